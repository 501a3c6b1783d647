import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { RateLimiterMemory } from 'rate-limiter-flexible'

import { startLimiter } from '../src/limits.js'
import { addressValue, keyOf, numberValue } from '../src/limits/keys.js'

const { limits } = JSON.parse(readFileSync(new URL('../../vectors.json', import.meta.url), 'utf8'))
const once = (seconds) => ({ limit: 1, seconds })
const many = { limit: 1000, seconds: 600 }
const ADDRESS = '192.0.2.1'

test('addresses, numbers and keys', () => {
  for (const { address, value } of limits.addresses) {
    if (value === null) assert.throws(() => addressValue(address), TypeError, address)
    else assert.equal(addressValue(address), value)
  }
  for (const none of [undefined, null, 7, [ADDRESS]]) assert.throws(() => addressValue(none), TypeError)
  for (const { number, value } of limits.numbers) assert.equal(numberValue(number), value ?? undefined, number)
  for (const { kind, value, key } of limits.keys) assert.equal(keyOf(kind, value), key)
})

test('digits of every script have their value', () => {
  let digits = 0
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = code < 0xd800 || code > 0xdfff ? String.fromCodePoint(code) : ''
    if (!/^\p{Nd}$/u.test(character)) continue
    // The normal forms of some digits are ASCII digits.
    const [ascii] = character.normalize('NFKC')
    if (/\d/.test(ascii)) assert.equal(numberValue(character), ascii, `U+${code.toString(16)}`)
    digits += 1
  }
  assert.ok(digits > 600)
})

/** Returns a function that takes the next start, and returns the limit that refuses it. */
function limiterOf(options) {
  const limiter = startLimiter(options)
  return async (start) => (await limiter.take({ browser: 'b', address: ADDRESS, ...start }))?.limit
}

test('each limit counts for itself', async () => {
  const take = limiterOf({ perBrowser: { limit: 2, seconds: 600 }, perAddress: many, perNumber: many })
  assert.deepEqual([await take(), await take(), await take(), await take({ browser: 'c' })], [undefined, undefined, 'browser', undefined])

  const byAddress = limiterOf({ perBrowser: many, perAddress: once(600), perNumber: many })
  assert.equal(await byAddress({ address: '2001:db8::1' }), undefined)
  assert.equal(await byAddress({ address: '2001:db8::2' }), 'address')
  assert.equal(await byAddress({ address: '2001:db8:0:1::2' }), undefined)

  const byNumber = limiterOf({ perBrowser: many, perAddress: many, perNumber: once(600) })
  assert.equal(await byNumber({ phoneNumber: '0170 12345678' }), undefined)
  assert.equal(await byNumber({ phoneNumber: '+4917012345678' }), 'number')
  assert.equal(await byNumber({ phoneNumber: '+4917012345679' }), undefined)
  for (const phoneNumber of [undefined, null, 'none', '', 'none']) assert.equal(await byNumber({ phoneNumber }), undefined)
})

test('refused start does not count for the other limits', async () => {
  const take = limiterOf({ perBrowser: { limit: 2, seconds: 600 }, perAddress: { limit: 2, seconds: 600 }, perNumber: once(600) })
  assert.equal(await take({ phoneNumber: '0170 12345678' }), undefined)
  for (let i = 0; i < 5; i++) assert.equal(await take({ phoneNumber: '0170 12345678' }), 'number')
  assert.equal(await take({ phoneNumber: '0171 12345678' }), undefined)
  assert.equal(await take({ phoneNumber: '0172 12345678' }), 'browser')
  assert.equal(await take({ browser: 'c', phoneNumber: '0172 12345678' }), 'address')
  // Neither refusal has used up the number's limit.
  assert.equal(await take({ browser: 'c', address: '192.0.2.2', phoneNumber: '0172 12345678' }), undefined)
})

test('refusal says when to try again, and starts count again in the next window', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'] })
  const limiter = startLimiter({ perBrowser: once(600), perAddress: many, perNumber: many })
  const start = { browser: 'b', address: ADDRESS }
  await limiter.take(start)
  t.mock.timers.tick(599_500)
  assert.deepEqual(await limiter.take(start), { limit: 'browser', retryAfter: 1 })
  t.mock.timers.tick(500)
  assert.equal(await limiter.take(start), undefined)
  assert.deepEqual(await limiter.take(start), { limit: 'browser', retryAfter: 600 })
})

test('defaults are those of the documentation', async () => {
  const refusedAfter = async (limit, startOf) => {
    const limiter = startLimiter()
    for (let taken = 0; ; taken += 1) {
      const refusal = await limiter.take(startOf(taken))
      if (refusal) return [limit, refusal.limit, taken, refusal.retryAfter]
    }
  }
  assert.deepEqual([
    await refusedAfter('browser', (i) => ({ browser: 'b', address: `192.0.2.${i}`, phoneNumber: `0170 1234567${i}` })),
    await refusedAfter('address', (i) => ({ browser: `b${i}`, address: ADDRESS, phoneNumber: `0170 12345${100 + i}` })),
    await refusedAfter('number', (i) => ({ browser: `b${i}`, address: `192.0.2.${i}`, phoneNumber: '0170 12345678' })),
  ], [['browser', 'browser', 5, 600], ['address', 'address', 30, 600], ['number', 'number', 5, 3600]])
})

test('concurrent starts do not pass together', async () => {
  const take = limiterOf({ perBrowser: { limit: 3, seconds: 600 }, perAddress: many, perNumber: many })
  const taken = await Promise.all(Array.from({ length: 10 }, () => take()))
  assert.equal(taken.filter((limit) => limit === undefined).length, 3)
})

test('a store is shared, and sees hashes only', async () => {
  const keys = []
  const counters = new Map()
  const store = (options) => {
    const memory = counters.get(options.points) ?? new RateLimiterMemory(options)
    counters.set(options.points, memory)
    return { consume: (key) => { keys.push(key); return memory.consume(key) }, reward: (key) => memory.reward(key) }
  }
  const shared = { perBrowser: { limit: 1, seconds: 60 }, perAddress: { limit: 20, seconds: 60 }, perNumber: { limit: 30, seconds: 60 }, store }
  const [first, second] = [limiterOf(shared), limiterOf(shared)]
  assert.deepEqual([await first({ phoneNumber: '+12025550100' }), await second({ phoneNumber: '+12025550100' })], [undefined, 'browser'])
  assert.deepEqual(keys.slice(0, 3).map((key) => key.split(':')[0]), ['browser', 'address', 'number'])
  assert.doesNotMatch(keys.join(), /025550100|192\.0\.2/)
})

test('failure of the store goes on, and is no refusal', async () => {
  const failing = { consume: () => Promise.reject(new Error('the store is away')), reward: () => Promise.reject(new Error('away, too')) }
  const store = ({ points }) => points === 5 ? new RateLimiterMemory({ points, duration: 60 }) : failing
  await assert.rejects(startLimiter({ store }).take({ browser: 'b', address: ADDRESS }), /store is away/)
})

test('wrong options and starts are refused', async () => {
  for (const options of [
    null, 7, { perbrowser: many }, { perBrowser: undefined }, { perBrowser: null }, { perBrowser: 5 }, { perBrowser: {} },
    { perBrowser: { limit: 5 } }, { perBrowser: { limit: 0, seconds: 60 } }, { perBrowser: { limit: 1.5, seconds: 60 } },
    { perBrowser: { limit: '5', seconds: 60 } }, { perBrowser: { limit: 5, seconds: -1 } }, { perBrowser: { limit: 5, seconds: Infinity } },
    { perBrowser: { limit: 5, seconds: 60, minutes: 1 } }, { store: 'redis' }, { store: () => undefined }, { store: () => ({}) },
  ]) assert.throws(() => startLimiter(options), TypeError, JSON.stringify(options))
  const limiter = startLimiter()
  for (const start of [
    undefined, {}, { browser: 'b' }, { address: ADDRESS }, { browser: '', address: ADDRESS }, { browser: undefined, address: ADDRESS },
    { browser: 7, address: ADDRESS }, { browser: 'b', address: undefined }, { browser: 'b', address: 'unknown' },
    { browser: 'b', address: ADDRESS, phoneNumber: 7 }, { browser: 'b', address: ADDRESS, number: '+12025550100' },
  ]) await assert.rejects(limiter.take(start), TypeError, JSON.stringify(start))
})
