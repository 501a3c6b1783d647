import type { ComponentChildren } from 'preact'

type Props = {
  kind?: 'plain' | 'main' | 'danger' | 'quiet'
  type?: 'button' | 'submit'
  disabled?: boolean
  label?: string
  onClick?: () => void
  children: ComponentChildren
}

export function Button({ kind = 'plain', type = 'button', disabled, label, onClick, children }: Props) {
  return (
    <button type={type} class={`button ${kind}`} disabled={disabled} aria-label={label} onClick={onClick}>
      {children}
    </button>
  )
}
