import type { Moment } from '../api/types.ts'
import { language, texts } from '../i18n/index.ts'
import type { Said } from './sentences.ts'

/** Returns the title of an attempt to deliver a webhook; undefined for other moments. */
function attempt({ kind, values = {} }: Moment): string | undefined {
  const t = texts().moments
  const { attempt: number, status, failure } = values
  if (number === undefined) return undefined
  if (kind === 'attempt_pending') return `${t.attempt(number)}: ${t.follows}`
  if (status === undefined) return `${t.attempt(number)}: ${texts().apps.failures[failure ?? ''] ?? failure ?? ''}`
  return `${t.attempt(number)}: ${kind === 'attempt_succeeded' ? t.accepted(status) : t.answered(status)}`
}

/** Returns the page's own title; undefined where the server's is in the operator's language. */
function titleOf(moment: Moment): string | undefined {
  const t = texts().moments
  const { flow, miss } = moment.values ?? {}
  if (language.value === 'en') return attempt(moment)
  return attempt(moment)
    ?? (miss === undefined ? undefined : texts().confirmations.misses[miss]?.sentence)
    ?? (flow === undefined ? undefined : t.flows[flow])
    ?? t.titles[moment.kind]
}

/** Returns what stands below a title: the page's own words, or the server's. */
function below({ kind, detail, values = {} }: Moment): Said | null {
  // The advice stands beside the story.
  if (kind === 'missed' || detail === undefined || detail === null) return null
  const t = texts().moments
  const { channel, provider, flags, reason, test } = values
  if (channel !== undefined && provider !== undefined) return { text: t.by(t.channels[channel] ?? channel, provider) }
  if (flags !== undefined) return { text: t.risk(flags.split(', ').map((flag) => t.flags[flag] ?? flag)) }
  if (language.value === 'en') return { text: detail }
  const own = test === 'true' ? t.testKey : reason === undefined ? t.details[kind] : t.reasons[reason]
  // Times and answers of receivers have no language of ours.
  return { text: own ?? detail }
}

/** Returns the words of what happened. */
export function wordsOf(moment: Moment): { title: Said, detail: Said | null } {
  const own = titleOf(moment)
  const title: Said = own !== undefined ? { text: own } : language.value === 'en' ? { text: moment.title } : { text: moment.title, lang: 'en' }
  return { title, detail: below(moment) }
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
