import type { Moment } from '../api/types.ts'
import { toneOf, wordsOf } from '../formats/moments.ts'
import { inZone } from '../formats/time.ts'
import { Time } from './time.tsx'

/** What happened, from the beginning. Titles and details are foreign texts, shown as they are. */
export function Timeline({ moments, label }: { moments: Moment[], label: string }) {
  let day = ''
  return (
    <ol class="timeline" aria-label={label}>
      {moments.map((moment, index) => {
        const today = inZone(moment.at, 'day')
        const isNewDay = today !== day
        day = today
        const { title, detail } = wordsOf(moment)
        return (
          <li key={`${moment.at}-${index}`} class={toneOf(moment.kind)}>
            <span class="when">
              {isNewDay && <span class="day">{today} </span>}
              <Time at={moment.at} form="clock" />
            </span>
            <span class="what">
              <strong lang={title.lang}>{title.text}</strong>
              {detail && <span class="detail">{detail.text}</span>}
            </span>
          </li>
        )
      })}
    </ol>
  )
}
