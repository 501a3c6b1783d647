import type { ComponentChildren } from 'preact'

import { go, isPlainClick } from '../shell/route.ts'

type Props = { to: string, class?: string, current?: boolean, children: ComponentChildren }

/** A link within the page. Other clicks than the plain one do what the browser does. */
export function Link({ to, current, children, ...rest }: Props) {
  const follow = (event: MouseEvent): void => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    go(to)
  }
  return (
    <a href={to} onClick={follow} class={rest.class} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  )
}
