import assert from 'node:assert/strict'
import { test } from 'node:test'

import { dayOf, hasPartHours, toField, toInstant } from '../src/formats/local-time.ts'
import { ago, formatter } from '../src/formats/time.ts'
import { isZone } from '../src/formats/zone.ts'

const BERLIN = 'Europe/Berlin'

test('a field is a time of the chosen zone, in winter and in summer', () => {
  assert.equal(toInstant('2026-01-15T12:00', 'UTC'), '2026-01-15T12:00:00.000Z')
  assert.equal(toInstant('2026-01-15T12:00', BERLIN), '2026-01-15T11:00:00.000Z')
  assert.equal(toInstant('2026-07-15T12:00', BERLIN), '2026-07-15T10:00:00.000Z')
  assert.equal(toInstant('2026-07-15T12:00', 'Asia/Kathmandu'), '2026-07-15T06:15:00.000Z')
  assert.equal(toInstant('2026-01-01T00:30', 'America/Los_Angeles'), '2026-01-01T08:30:00.000Z')
})

test('a time around a change of clocks is near what was typed', () => {
  // Just before and just after the hour that Berlin skips, and the one that it repeats.
  assert.equal(toInstant('2026-03-29T01:59', BERLIN), '2026-03-29T00:59:00.000Z')
  assert.equal(toInstant('2026-03-29T03:00', BERLIN), '2026-03-29T01:00:00.000Z')
  assert.equal(toInstant('2026-10-25T01:59', BERLIN), '2026-10-24T23:59:00.000Z')
  assert.equal(toInstant('2026-10-25T03:00', BERLIN), '2026-10-25T02:00:00.000Z')
})

test('what is not a time is none', () => {
  for (const text of ['', '2026-01-15', 'now', '2026-13-01T00:00', '2026-01-15T12:00Z']) assert.equal(toInstant(text, 'UTC'), null, text)
  assert.equal(toField(undefined, 'UTC'), '')
  assert.equal(toField('yesterday', 'UTC'), '')
})

test('a field shows the instant that it gave', () => {
  for (const zone of ['UTC', BERLIN, 'Asia/Kolkata', 'America/New_York', 'Pacific/Kiritimati']) {
    for (const text of ['2026-01-15T12:34', '2026-07-31T23:59', '2028-02-29T00:00']) {
      assert.equal(toField(toInstant(text, zone) ?? '', zone), text, `${zone} ${text}`)
    }
  }
})

test('days are those of the zone', () => {
  const late = Date.parse('2026-07-15T22:30:00Z')
  assert.equal(dayOf(late, 'UTC'), '2026-07-15')
  assert.equal(dayOf(late, BERLIN), '2026-07-16')
  assert.equal(dayOf(late, 'America/New_York'), '2026-07-15')
})

test('zones that differ by a part of an hour are known', () => {
  const now = Date.parse('2026-07-15T22:30:00Z')
  assert.equal(hasPartHours(now, 'Asia/Kolkata'), true)
  assert.equal(hasPartHours(now, 'Asia/Kathmandu'), true)
  assert.equal(hasPartHours(now, BERLIN), false)
})

test('times name their zone, and have one formatter', () => {
  const at = Date.parse('2026-07-15T10:05:06Z')
  assert.equal(formatter('full', BERLIN, 'en').format(at), '15 Jul 2026, 12:05:06 CEST')
  assert.match(formatter('full', BERLIN, 'de').format(at), /^15\. Juli 2026.*12:05:06 MESZ$/)
  assert.equal(formatter('full', BERLIN, 'en'), formatter('full', BERLIN, 'en'))
})

test('a distance in time is told in its largest unit', () => {
  const now = Date.parse('2026-07-15T10:00:00Z')
  assert.equal(ago('2026-07-15T09:59:30Z', now, 'en'), '30 seconds ago')
  assert.equal(ago('2026-07-15T07:10:00Z', now, 'en'), '2 hours ago')
  assert.equal(ago('2026-07-15T10:10:00Z', now, 'en'), 'in 10 minutes')
  assert.equal(ago('2026-07-14T09:00:00Z', now, 'en'), 'yesterday')
  assert.equal(ago('never', now, 'en'), '')
})

test('only real zones are taken', () => {
  assert.equal(isZone('Europe/Berlin'), true)
  assert.equal(isZone('Mars/Olympus'), false)
})
