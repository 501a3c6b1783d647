import { language } from '../i18n/index.ts'
import { zone } from './zone.ts'

/** The forms in which times are shown. All but `hour` and `weekday` are complete in themselves. */
const FORMS = {
  full: { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
  minute: { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
  short: { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  clock: { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
  day: { year: 'numeric', month: 'short', day: 'numeric' },
  axisDay: { month: 'short', day: 'numeric' },
  axisHour: { hour: '2-digit', minute: '2-digit' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

export type Form = keyof typeof FORMS

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns the one formatter of a form, since making one takes longer than using it. */
export function formatter(form: Form, inZone = zone.value, inLanguage: string = language.value): Intl.DateTimeFormat {
  const key = `${form} ${inZone} ${inLanguage}`
  let format = formats.get(key)
  if (format === undefined) {
    // British order with 24 hours: 3 Apr 2026, 14:05.
    const locale = inLanguage === 'en' ? 'en-GB' : inLanguage
    format = new Intl.DateTimeFormat(locale, { ...FORMS[form], hourCycle: 'h23', timeZone: inZone })
    formats.set(key, format)
  }
  return format
}

/** Returns a time in the zone that the operator chose; the text itself if it is not a time. */
export function inZone(at: string | number, form: Form = 'full'): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? String(at) : formatter(form).format(date)
}

/** Returns a day without a time, such as `2026-03-29`, which no zone moves. */
export function plainDay(day: string): string {
  return formatter('day', 'UTC').format(new Date(`${day}T00:00:00Z`))
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [['day', 86_400], ['hour', 3600], ['minute', 60], ['second', 1]]

/** Returns how long ago a time was, or how soon it comes. */
export function ago(at: string | number, now = Date.now(), inLanguage: string = language.value): string {
  const seconds = (new Date(at).getTime() - now) / 1000
  if (Number.isNaN(seconds)) return ''
  const [unit, size] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return new Intl.RelativeTimeFormat(inLanguage, { numeric: 'auto' }).format(Math.trunc(seconds / size), unit)
}
