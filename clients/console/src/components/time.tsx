import { ago, inZone, type Form } from '../formats/time.ts'

/** A time in the chosen zone, and how long ago it was where that helps. */
export function Time({ at, form = 'full', relative = false }: { at: string, form?: Form, relative?: boolean }) {
  return (
    <time dateTime={at} title={inZone(at, 'full')}>
      {inZone(at, form)}
      {relative && <> <span class="soft nowrap">({ago(at)})</span></>}
    </time>
  )
}
