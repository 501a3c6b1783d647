import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Clock } from '../src/clock.js'
import { fakeSystem } from './support/system.mjs'

const SERVICE = '2026-01-02T03:04:05.000Z'
const DATE = 'Fri, 02 Jan 2026 03:04:05 GMT'

const near = (clock, expected) => assert.ok(Math.abs(clock.now() - expected) < 500, `${clock.now()} is not ${expected}`)

test('clock goes by the body, else by the header', () => {
  const clock = new Clock(fakeSystem())
  assert.equal(clock.known, false)
  near(clock, Date.now())
  clock.learn(new Headers({ date: 'Fri, 02 Jan 2026 09:09:09 GMT' }), { serverTime: SERVICE })
  near(clock, Date.parse(SERVICE))
  clock.learn(new Headers({ date: 'Fri, 02 Jan 2026 09:09:09 GMT' }), { serverTime: 'soon' })
  near(clock, Date.parse('2026-01-02T09:09:09.000Z'))
  clock.learn(new Headers({ date: DATE, age: '60' }), [])
  near(clock, Date.parse(SERVICE) + 60_000)
})

test('answer without a time changes nothing', () => {
  const clock = new Clock(fakeSystem())
  clock.learn(new Headers(), undefined)
  assert.equal(clock.known, false)
  clock.learn(new Headers({ date: DATE }), undefined)
  clock.learn(new Headers({ date: 'today' }), null)
  near(clock, Date.parse(SERVICE))
})

test('time passes', () => {
  const system = fakeSystem()
  const clock = new Clock(system)
  clock.learn(new Headers({ date: DATE }), undefined)
  system.advance(3_600_000)
  near(clock, Date.parse(SERVICE) + 3_600_000)
})

test('offset is forgotten when the machine’s clock is set', () => {
  const system = fakeSystem({ clockError: -600_000 })
  const clock = new Clock(system)
  clock.learn(new Headers({ date: DATE }), undefined)
  assert.equal(clock.known, true)
  system.setClock(0)
  assert.equal(clock.known, false)
  near(clock, Date.now())
})
