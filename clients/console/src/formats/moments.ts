import type { Moment } from '../api/types.ts'
import { texts } from '../i18n/index.ts'

/** Returns the title of an attempt in the operator's language, from the server's English one. */
function attempt({ kind, title }: Moment): string | undefined {
  const t = texts().moments
  const number = /^Attempt (\d+)/.exec(title)?.[1]
  if (number === undefined) return undefined
  const status = /(\d{3})$/.exec(title)?.[1]
  if (kind === 'attempt_succeeded' && status !== undefined) return `${t.attempt(number)}: ${t.accepted(status)}`
  const reason = /\((\w+)\)$/.exec(title)?.[1]
  const words = kind === 'attempt_pending'
    ? t.follows
    : status !== undefined ? t.answered(status) : t.noAnswer(texts().apps.failures[reason ?? ''] ?? reason ?? '')
  return `${t.attempt(number)}: ${words}`
}

/** Returns what stands below a title, in words instead of the names of a channel and a provider. */
function below({ kind, detail }: Moment): string | null {
  // The advice stands beside the story.
  if (kind === 'missed' || detail === undefined || detail === null) return null
  const t = texts().moments
  const [, channel, provider] = (kind === 'verified' && /^(\w+) by (.+)$/.exec(detail)) || []
  if (channel !== undefined && provider !== undefined) return t.by(t.channels[channel] ?? channel, provider)
  return t.details[detail] ?? detail
}

/** Returns the words of what happened: the server's in English, and ours for attempts and in other languages. */
export function wordsOf(moment: Moment): { title: string, detail: string | null } {
  const own = attempt(moment) ?? texts().moments.titles[moment.kind]
  return { title: own ?? moment.title, detail: below(moment) }
}

const TONES: [RegExp, string][] = [
  [/pending/, 'plain'],
  [/succeed|deliver(ed|y)$/, 'good'],
  [/miss|refus|fail|denied|expired|wrong|blocked/, 'bad'],
  [/verified|deliver|confirmed|consumed|redeemed/, 'good'],
  [/cancel|redact|second/, 'warn'],
]

/** Returns the tone of a kind of event. */
export function toneOf(kind: string): string {
  return TONES.find(([pattern]) => pattern.test(kind))?.[1] ?? 'plain'
}
