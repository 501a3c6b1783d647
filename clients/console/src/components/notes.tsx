import type { ComponentChildren } from 'preact'

import { ApiError } from '../api/client.ts'
import { texts } from '../i18n/index.ts'
import { Button } from './button.tsx'

/** A list or a screen without content: what that means, and what to do. */
export function Empty({ title, children }: { title: string, children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}

/** A place that is loaded. It has the height of some rows, so that less moves afterwards. */
export function Loading() {
  return (
    <div class="loading" role="status">
      <span class="unseen">{texts().common.loading}</span>
      <span class="bar" /><span class="bar" /><span class="bar" />
    </div>
  )
}

/** Returns the command's words as a sentence: it writes them after a colon, without a capital and a full stop. */
function sentence(words: string): string {
  const begun = words.charAt(0).toUpperCase() + words.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}

/** Returns the sentence of an error. */
export function sentenceOf(error: ApiError): string {
  const t = texts()
  if (error.kind === 'missing') return error.message === '' ? t.common.missing : `${t.common.missing} (${error.message})`
  if (error.message !== '') return sentence(error.message)
  if (error.kind === 'unreachable') return t.shell.unreachable.replaceAll('`', '')
  if (error.kind === 'stopped') return t.shell.stopped
  if (error.kind === 'ended') return t.shell.ended
  return t.common.noReason
}

/** An error of an action. */
export function Failed({ error }: { error: ApiError }) {
  return (
    <div class="note bad" role="alert">
      <strong>{texts().common.failedAction}</strong>
      <p>{sentenceOf(error)}</p>
    </div>
  )
}

/** A screen or a part that could not be loaded. */
export function NotLoaded({ error, again }: { error: ApiError, again?: () => void }) {
  const t = texts().common
  // The banner says it, and the page tries by itself.
  if (error.kind === 'ended') return null
  return (
    <div class="note bad" role="alert">
      <strong>{t.failed}</strong>
      <p>{sentenceOf(error)}</p>
      {again && !error.passes && <Button onClick={again}>{t.again}</Button>}
    </div>
  )
}

export function Note({ tone = 'calm', role, children }: { tone?: 'good' | 'bad' | 'warn' | 'calm', role?: 'status' | 'alert', children: ComponentChildren }) {
  return <div class={`note ${tone}`} role={role}>{children}</div>
}

/** Says how much of a list is unreadable. */
export function LeftOut({ n }: { n: number | undefined }) {
  return n === undefined || n === 0 ? null : <Note tone="warn">{texts().common.leftOut(n)}</Note>
}
