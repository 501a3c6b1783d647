import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Hour } from '../src/api/types.ts'
import { barAfter } from '../src/formats/bar-keys.ts'
import { boundsOf, heightOf, plotOf, sumsOf, topOf } from '../src/formats/history.ts'

const NOW = Date.parse('2026-03-31T10:20:00Z')

function hour(at: string, started: number, more: Partial<Hour> = {}): Hour {
  return { at, app: 'shop', country: 'DE', provider: 'twilio', started, texted: 0, verified: 0, delivered: 0, loggedIn: 0, ...more }
}

const options = { measure: 'started', split: 'none', range: '24h', now: NOW, zone: 'UTC', other: 'Other' } as const

test('a range ends with the present hour', () => {
  const { from, to } = boundsOf('24h', NOW)
  assert.equal(new Date(from).toISOString(), '2026-03-30T11:00:00.000Z')
  assert.equal(new Date(to).toISOString(), '2026-03-31T11:00:00.000Z')
})

test('hours without counts have bars', () => {
  const plot = plotOf([hour('2026-03-31T09:00:00Z', 3), hour('2026-03-31T10:00:00Z', 2), hour('2026-03-29T10:00:00Z', 99)], options)
  assert.equal(plot.bars.length, 24)
  assert.deepEqual(plot.bars.slice(-3).map(heightOf), [0, 3, 2])
  assert.equal(plot.total, 5)
})

test('days of the zone are summed, also the short one', () => {
  const hours = Array.from({ length: 72 }, (_, index) => hour(new Date(Date.parse('2026-03-28T00:00:00Z') + index * 3_600_000).toISOString(), 1))
  const plot = plotOf(hours, { ...options, range: '90d', zone: 'Europe/Berlin' })
  const of = (day: string): number => heightOf(plot.bars.find((bar) => bar.day === day) ?? { at: 0, day, values: [] })
  // Clocks in Berlin skip an hour on 29 March.
  assert.equal(of('2026-03-28'), 23)
  assert.equal(of('2026-03-29'), 23)
  assert.equal(of('2026-03-30'), 24)
  assert.equal(of('2026-03-31'), 2)
  assert.equal(plot.total, 72)
})

test('the largest series have names, and the rest is one', () => {
  const hours = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((app, index) => hour('2026-03-31T09:00:00Z', 10 - index, { app }))
  const plot = plotOf(hours, { ...options, split: 'app' })
  assert.deepEqual(plot.series, ['a', 'b', 'c', 'd', 'e', 'Other'])
  assert.deepEqual(plot.sums, [10, 9, 8, 7, 6, 9])
  assert.equal(plot.total, 49)
  const few = plotOf(hours.slice(0, 2), { ...options, split: 'app' })
  assert.deepEqual(few.series, ['a', 'b'])
})

test('what the server has summed up is part of the rest', () => {
  const hours = [hour('2026-03-31T09:00:00Z', 9, { app: '*' }), hour('2026-03-31T09:00:00Z', 4, { app: 'a' })]
  const plot = plotOf(hours, { ...options, split: 'app' })
  assert.deepEqual(plot.series, ['a', 'Other'])
  assert.deepEqual(plot.sums, [4, 9])
})

test('a provider that is not known is a series too', () => {
  const plot = plotOf([hour('2026-03-31T09:00:00Z', 4, { provider: null })], { ...options, split: 'provider' })
  assert.deepEqual(plot.series, [''])
  assert.equal(plot.total, 4)
})

test('sums are of all hours', () => {
  assert.deepEqual(sumsOf([hour('x', 1, { verified: 1 }), hour('y', 2, { loggedIn: 5 })]), { started: 3, texted: 0, verified: 1, delivered: 0, loggedIn: 5 })
})

test('the axis ends at a round number above the highest bar', () => {
  for (const [highest, top] of [[0, 4], [3, 4], [5, 8], [9, 12], [17, 20], [99, 100], [170, 200], [1001, 1200]] as const) assert.equal(topOf(highest), top, String(highest))
  for (let highest = 1; highest < 5000; highest += 7) {
    const top = topOf(highest)
    assert.ok(top >= highest && top % 4 === 0 && top <= Math.max(4, highest * 2), `${highest}: ${top}`)
  }
})

test('keys move from bar to bar, and stop at the ends', () => {
  const from = (index: number) => (key: string) => barAfter(key, index, 168, '7d')
  assert.deepEqual(['ArrowLeft', 'ArrowDown', 'ArrowRight', 'ArrowUp'].map(from(5)), [4, 4, 6, 6])
  assert.deepEqual(['PageUp', 'PageDown', 'Home', 'End'].map(from(30)), [54, 6, 0, 167])
  assert.deepEqual(['ArrowLeft', 'PageDown'].map(from(0)), [0, 0])
  assert.deepEqual(['ArrowRight', 'PageUp'].map(from(167)), [167, 167])
  assert.deepEqual(['Tab', 'a', 'Escape'].map(from(5)), [null, null, null])
})
