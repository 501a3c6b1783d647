import type { Moment } from '../api/types.ts'
import { inZone } from '../formats/time.ts'
import { texts } from '../i18n/index.ts'
import { Time } from './time.tsx'

const TONES: [RegExp, string][] = [
  [/miss|refus|fail|denied|expired|wrong|blocked/, 'bad'],
  [/verified|deliver|confirmed|redeemed/, 'good'],
  [/cancel|redact|second/, 'warn'],
]

/** Returns the tone of a kind of event. The server's title of an attempt with 2xx says more than its kind. */
export function toneOf({ kind, title }: Moment): string {
  if (/attempt/.test(kind)) return /\b2\d\d\b/.test(title) ? 'good' : 'bad'
  return TONES.find(([pattern]) => pattern.test(kind))?.[1] ?? 'plain'
}

/** What happened, from the beginning. Titles and details are foreign texts, shown as they are. */
export function Timeline({ moments, label }: { moments: Moment[], label: string }) {
  const own = texts().moments
  let day = ''
  return (
    <ol class="timeline" aria-label={label}>
      {moments.map((moment, index) => {
        const today = inZone(moment.at, 'day')
        const isNewDay = today !== day
        day = today
        return (
          <li key={`${moment.at}-${index}`} class={toneOf(moment)}>
            <span class="when">
              {isNewDay && <span class="day">{today} </span>}
              <Time at={moment.at} form="clock" />
            </span>
            <span class="what">
              <strong>{own[moment.kind] ?? moment.title}</strong>
              {moment.detail && <span class="detail">{moment.detail}</span>}
            </span>
          </li>
        )
      })}
    </ol>
  )
}
