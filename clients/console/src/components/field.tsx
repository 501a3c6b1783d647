import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type Common = { label: string, hint?: string, hasHiddenLabel?: boolean }

function Frame({ id, label, hint, hasHiddenLabel, children }: Common & { id: string, children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id} class={hasHiddenLabel ? 'unseen' : undefined}>{label}</label>
      {children}
      {hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  )
}

type TextProps = Common & {
  value: string
  onInput: (value: string) => void
  type?: 'text' | 'search' | 'url' | 'datetime-local'
  placeholder?: string
  isRequired?: boolean
}

export function TextField({ value, onInput, type = 'text', placeholder, isRequired, ...common }: TextProps) {
  const id = useId()
  // The types of Preact have other members for each type of field; these have all that is used here.
  const kind = { type } as { type: 'text' }
  return (
    <Frame id={id} {...common}>
      <input
        id={id} {...kind} value={value} placeholder={placeholder} required={isRequired} autocomplete="off" spellcheck={false}
        aria-describedby={common.hint ? `${id}-hint` : undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </Frame>
  )
}

export function Lines({ value, onInput, ...common }: Common & { value: string, onInput: (value: string) => void }) {
  const id = useId()
  return (
    <Frame id={id} {...common}>
      <textarea
        id={id} rows={Math.min(10, Math.max(3, value.split('\n').length + 1))} value={value} spellcheck={false}
        aria-describedby={common.hint ? `${id}-hint` : undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </Frame>
  )
}

type ChoiceProps = Common & { value: string, options: [string, string][], onChange: (value: string) => void }

export function Choice({ value, options, onChange, ...common }: ChoiceProps) {
  const id = useId()
  return (
    <Frame id={id} {...common}>
      <select
        id={id} value={value} aria-describedby={common.hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map(([name, words]) => <option key={name} value={name} selected={name === value}>{words}</option>)}
      </select>
    </Frame>
  )
}

type CheckProps = { label: string, isOn: boolean, onChange: (isOn: boolean) => void }

/** A filter that is on or off. */
export function Toggle({ label, isOn, onChange }: CheckProps) {
  return (
    <button type="button" class="toggle" aria-pressed={isOn} onClick={() => onChange(!isOn)}>{label}</button>
  )
}

export function Check({ label, isOn, onChange }: CheckProps) {
  const id = useId()
  return (
    <div class="check">
      <input id={id} type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      <label for={id}>{label}</label>
    </div>
  )
}
