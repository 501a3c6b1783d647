import type { Moment } from '../api/types.ts'
import { language, texts } from '../i18n/index.ts'

/** Returns the title of an attempt in the operator's language, from the server's English one. */
function attempt({ kind, title }: Moment): string | undefined {
  const t = texts().moments
  const number = /^Attempt (\d+)/.exec(title)?.[1]
  if (number === undefined) return undefined
  const status = /(\d{3})$/.exec(title)?.[1]
  const reason = /\((\w+)\)$/.exec(title)?.[1]
  const words = kind === 'attempt_pending'
    ? t.follows
    : status !== undefined ? t.answered(status) : t.noAnswer(texts().apps.failures[reason ?? ''] ?? reason ?? '')
  return `${t.attempt(number)}: ${words}`
}

/** Returns the words of what happened: the server's in English, and ours in other languages for what we know. */
export function wordsOf(moment: Moment): { title: string, detail: string | null } {
  const detail = moment.detail ?? null
  if (language.value === 'en') return { title: moment.title, detail }
  const t = texts().moments
  const title = attempt(moment) ?? t.titles[moment.kind] ?? moment.title
  // The advice stands beside the story, in the operator's language.
  if (moment.kind === 'missed') return { title, detail: null }
  return { title, detail: detail === null ? null : t.details[detail] ?? detail }
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
