import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

import type { ApiError } from '../api/client.ts'
import { texts } from '../i18n/index.ts'
import { Button } from './button.tsx'
import { Failed } from './notes.tsx'

type Props = {
  title: string
  children?: ComponentChildren
  /** The words of the button that does it. */
  action: string
  /** Those of the button that leaves everything as it is, if *Cancel* would be unclear. */
  leave?: string
  isDangerous?: boolean
  isBusy?: boolean
  isDisabled?: boolean
  error?: ApiError | undefined
  onDo: () => void
  onClose: () => void
}

/** A dialog that says what happens before it does. Escape and the second button leave everything as it is. */
export function Dialog({ title, children, action, leave, isDangerous, isBusy, isDisabled, error, onDo, onClose }: Props) {
  const t = texts().common
  const box = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const before = document.activeElement
    box.current?.showModal()
    return () => {
      box.current?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  const submit = (event: Event): void => {
    event.preventDefault()
    if (!isBusy && !isDisabled) onDo()
  }
  const cancel = (event: Event): void => {
    event.preventDefault()
    onClose()
  }
  return (
    <dialog ref={box} aria-labelledby={heading} onCancel={cancel}>
      <form onSubmit={submit}>
        <h2 id={heading}>{title}</h2>
        {children}
        {error && <Failed error={error} />}
        <div class="actions">
          <Button type="submit" kind={isDangerous ? 'danger' : 'main'} disabled={Boolean(isBusy || isDisabled)}>
            {isBusy ? t.busy : action}
          </Button>
          <Button onClick={onClose}>{leave ?? t.cancel}</Button>
        </div>
      </form>
    </dialog>
  )
}
