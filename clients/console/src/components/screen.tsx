import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import { texts } from '../i18n/index.ts'

type Props = { title: string, lead?: string, back?: ComponentChildren, aside?: ComponentChildren, children: ComponentChildren }

/** A screen: its heading gets the focus when the operator comes to it, so that screen readers say where they are. */
export function Screen({ title, lead, back, aside, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · ${texts().shell.title}`
  }, [title])
  useEffect(() => {
    if (document.activeElement instanceof HTMLAnchorElement || history.state?.within) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <>
      {back && <p class="back">{back}</p>}
      <div class="heading">
        <h1 ref={heading} tabIndex={-1}>{title}</h1>
        {aside}
      </div>
      {lead && <p class="lead">{lead}</p>}
      {children}
    </>
  )
}

export function Card({ title, aside, children }: { title?: string, aside?: ComponentChildren, children: ComponentChildren }) {
  return (
    <section class="card">
      {title && <div class="card-heading"><h2>{title}</h2>{aside}</div>}
      {children}
    </section>
  )
}
