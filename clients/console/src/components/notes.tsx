import type { ComponentChildren } from 'preact'

import { ApiError } from '../api/client.ts'
import { refusalOf, type Said } from '../formats/sentences.ts'
import { language, texts } from '../i18n/index.ts'
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
export function sentenceOf(error: ApiError): Said {
  const t = texts()
  const own = refusalOf(error.code, error.values)
  if (own !== null) return { text: own }
  if (error.kind === 'unreachable') return { text: t.shell.unreachable.replaceAll('`', '') }
  if (error.kind === 'ended') return { text: t.shell.ended }
  if (language.value !== 'en' && error.kind === 'forbidden') return { text: t.shell.readOnlyWhy }
  if (error.kind === 'missing' && error.message === '') return { text: t.common.missing }
  if (error.message === '') return { text: error.kind === 'stopped' ? t.shell.stopped : t.common.noReason }
  return language.value === 'en' ? { text: sentence(error.message) } : { text: sentence(error.message), lang: 'en' }
}

/** A sentence of an error. What the page cannot say in its own language stands below its own words. */
function Why({ error }: { error: ApiError }) {
  const { text, lang } = sentenceOf(error)
  const t = texts().common
  const own = error.kind === 'missing' ? t.missing : error.kind === 'malformed' ? t.badValue : error.passes ? texts().shell.stopped : t.refused
  return (
    <>
      {lang !== undefined && <p>{own}</p>}
      {lang === undefined && error.kind === 'missing' && text !== t.missing && <p>{t.missing}</p>}
      <p lang={lang}>{text}</p>
    </>
  )
}

/** An error of an action. */
export function Failed({ error }: { error: ApiError }) {
  return (
    <div class="note bad" role="alert">
      <strong>{texts().common.failedAction}</strong>
      <Why error={error} />
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
      <Why error={error} />
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
