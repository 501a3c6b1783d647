// Sums of hourly counts, for plots.

import type { Hour } from '../api/types.ts'
import { dayOf } from './local-time.ts'

export const MEASURES = ['started', 'texted', 'verified', 'delivered', 'loggedIn'] as const
export type Measure = (typeof MEASURES)[number]

export const RANGES = ['24h', '7d', '90d'] as const
export type Range = (typeof RANGES)[number]

export const SPLITS = ['none', 'app', 'country', 'provider'] as const
export type Split = (typeof SPLITS)[number]

const HOUR = 3_600_000
const HOURS: Record<Range, number> = { '24h': 24, '7d': 168, '90d': 2160 }

/** A bar: its beginning, and the counts of the series in their order. */
export type Bar = { at: number, day: string | null, values: number[] }

export type Plot = { series: string[], bars: Bar[], sums: number[], total: number }

/** The name of what the server has summed up. */
const REST = '*'

/** The series with names of their own; the rest is summed up. */
export const MOST_SERIES = 5

/** Returns the bounds of a range that ends with the present hour. */
export function boundsOf(range: Range, now: number): { from: number, to: number } {
  const to = Math.floor(now / HOUR) * HOUR + HOUR
  return { from: to - HOURS[range] * HOUR, to }
}

/** Returns the sum of each measure. */
export function sumsOf(hours: Hour[]): Record<Measure, number> {
  const sums = { started: 0, texted: 0, verified: 0, delivered: 0, loggedIn: 0 }
  for (const hour of hours) for (const measure of MEASURES) sums[measure] += hour[measure]
  return sums
}

function keyOf(hour: Hour, split: Split): string {
  return split === 'none' ? '' : hour[split] ?? ''
}

/** Returns the largest series by name, and whether there are more. */
function largest(hours: Hour[], measure: Measure, split: Split): { names: string[], hasOther: boolean } {
  const sums = new Map<string, number>()
  let hasRest = false
  for (const hour of hours) {
    if (hour[measure] === 0) continue
    const key = keyOf(hour, split)
    if (key === REST) hasRest = true
    else sums.set(key, (sums.get(key) ?? 0) + hour[measure])
  }
  const names = [...sums].sort(([a, m], [b, n]) => n - m || a.localeCompare(b)).map(([name]) => name)
  return { names: names.slice(0, MOST_SERIES), hasOther: hasRest || names.length > MOST_SERIES }
}

/** Returns the beginnings of the bars: each hour, or each day of the zone. */
function barsOf(range: Range, now: number, zone: string): Bar[] {
  const { from, to } = boundsOf(range, now)
  const bars: Bar[] = []
  for (let at = from; at < to; at += HOUR) {
    const day = range === '90d' ? dayOf(at, zone) : null
    if (day === null || bars.at(-1)?.day !== day) bars.push({ at, day, values: [] })
  }
  return bars
}

/**
 * Returns the bars of a measure. `other` names the sum of what has no series; its name is the last one.
 *
 * Days are those of the zone, summed from hours in UTC: one of 23 or 25 hours comes out right.
 */
export function plotOf(hours: Hour[], options: { measure: Measure, split: Split, range: Range, now: number, zone: string, other: string }): Plot {
  const { measure, split, range, now, zone, other } = options
  const { from, to } = boundsOf(range, now)
  const inRange = hours.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) < to)
  const { names, hasOther } = largest(inRange, measure, split)
  const series = hasOther ? [...names, other] : names
  const bars = barsOf(range, now, zone)
  for (const bar of bars) bar.values = series.map(() => 0)
  const places = new Map(bars.map((bar) => [bar.day ?? String(bar.at), bar]))
  for (const hour of inRange) {
    const at = Math.floor(Date.parse(hour.at) / HOUR) * HOUR
    const bar = places.get(range === '90d' ? dayOf(at, zone) : String(at))
    if (bar === undefined || hour[measure] === 0) continue
    const own = names.indexOf(keyOf(hour, split))
    const index = own === -1 ? series.length - 1 : own
    bar.values[index] = (bar.values[index] ?? 0) + hour[measure]
  }
  const sums = series.map((_, index) => bars.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))
  return { series, bars, sums, total: sums.reduce((sum, one) => sum + one, 0) }
}

/** Returns the sum of a bar. */
export function heightOf(bar: Bar): number {
  return bar.values.reduce((sum, value) => sum + value, 0)
}

/** Returns a round number at or above the highest bar, which divides into quarters of whole numbers. */
export function topOf(highest: number): number {
  if (highest <= 4) return 4
  const power = 10 ** Math.floor(Math.log10(highest))
  const steps = [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10, 12]
  const top = steps.map((step) => step * power).find((step) => step >= highest && step % 4 === 0)
  return top ?? Math.ceil(highest / 4) * 4
}
