// Times of fields such as `2026-03-29T14:30`, which name no zone, in a zone.

const readers = new Map<string, Intl.DateTimeFormat>()

function reader(zone: string): Intl.DateTimeFormat {
  let format = readers.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
    })
    readers.set(zone, format)
  }
  return format
}

/** Returns what clocks in the zone show, as milliseconds of that time in UTC. */
function shown(instant: number, zone: string): number {
  const parts = Object.fromEntries(reader(zone).formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** Returns the instant of a field's value in the zone: RFC 3339, or null if it is not a time. */
export function toInstant(text: string, zone: string): string | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) return null
  const wanted = Date.parse(`${text}Z`)
  if (Number.isNaN(wanted)) return null
  // The offset at the first guess may be that of the other side of a change of clocks.
  let instant = wanted
  for (let round = 0; round < 2; round += 1) instant = wanted - (shown(instant, zone) - instant)
  return new Date(instant).toISOString()
}

/** Returns an instant as a field's value in the zone, or an empty text. */
export function toField(instant: string | undefined, zone: string): string {
  const at = Date.parse(instant ?? '')
  return Number.isNaN(at) ? '' : new Date(shown(Math.floor(at / 1000) * 1000, zone)).toISOString().slice(0, 16)
}

/** Returns the day of an instant in the zone, such as `2026-03-29`. */
export function dayOf(instant: number, zone: string): string {
  return new Date(shown(Math.floor(instant / 1000) * 1000, zone)).toISOString().slice(0, 10)
}

/** True if the zone differs from UTC by a part of an hour at that time, so that hours in UTC do not fit its days. */
export function hasPartHours(instant: number, zone: string): boolean {
  const whole = Math.floor(instant / 1000) * 1000
  return (shown(whole, zone) - whole) % 3_600_000 !== 0
}
