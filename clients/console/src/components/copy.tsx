import { useEffect, useState } from 'preact/hooks'

import { texts } from '../i18n/index.ts'
import { Button } from './button.tsx'

/** A button that copies a text, and says so. */
export function Copy({ text, what }: { text: string, what: string }) {
  const t = texts().common
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(() => setCopied(true), () => setCopied(false))
  }
  return (
    <>
      <Button kind="quiet" onClick={copy} label={`${t.copy}: ${what}`}>{isCopied ? t.copied : t.copy}</Button>
      <span class="unseen" role="status">{isCopied ? t.copied : ''}</span>
    </>
  )
}

/** A value to copy, in one line. */
export function CopyLine({ text, what }: { text: string, what: string }) {
  return (
    <span class="copy-line">
      <code>{text}</code>
      <Copy text={text} what={what} />
    </span>
  )
}

/** Some lines to copy. */
export function CopyBlock({ text, what }: { text: string, what: string }) {
  return (
    <div class="copy-block">
      <pre tabIndex={0} role="region" aria-label={what}>{text}</pre>
      <Copy text={text} what={what} />
    </div>
  )
}
