import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Flow } from '../src/flow.ts'
import type { Reply } from '../src/service.ts'

const LIFETIME = 300_000
const BACK = 'https://shop.example/callback?code=1'
const LOGIN = 'qrs_1'

const reply = (status: number, code = '', location = ''): Reply => ({ status, code, location })
const done = reply(200, '', BACK)

/** Starts a page with a clock and a service under the test's control. */
function start({ kept = false } = {}) {
  const timers = new Map<object, { at: number, then: () => void }>()
  const one = {
    now: 0,
    /** What the page did, in order. */
    seen: [] as string[],
    asked: [] as [string, object][],
    replies: [] as Reply[],
    /** Moves the clock, and lets answers arrive. */
    async pass(time: number) {
      one.now += time
      await settle()
      for (const [key, { at, then }] of [...timers]) {
        if (at > one.now) continue
        timers.delete(key)
        then()
        await settle()
      }
    },
    flow: undefined as unknown as Flow,
  }
  one.flow = new Flow({ sealed: 'sealed', until: LIFETIME, kept }, {
    ask: async (route, body) => {
      one.asked.push([route, body])
      return one.replies.shift() ?? reply(0)
    },
    after: (delay, then) => {
      const key = {}
      timers.set(key, { at: one.now + delay, then })
      return () => timers.delete(key)
    },
    now: () => one.now,
    show: (scene) => one.seen.push(scene),
    leave: (location) => one.seen.push(location),
    restart: () => one.seen.push('restart'),
    reject: () => one.seen.push('reject'),
  })
  return one
}

async function settle() {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

test('text leads back to the site', async () => {
  const page = start()
  page.replies = [done]
  page.flow.began('text')
  page.flow.finish(null)
  await page.pass(0)
  assert.deepEqual(page.asked, [['/authorize/finish', { request: 'sealed' }]])
  assert.deepEqual(page.seen, ['leaving', BACK])
  await page.pass(LIFETIME * 2)
  assert.deepEqual(page.seen, ['leaving', BACK], 'the end no longer matters')
})

test('confirmation in the app is passed on', async () => {
  const page = start()
  page.replies = [done]
  page.flow.finish(LOGIN)
  await page.pass(0)
  assert.deepEqual(page.asked, [['/authorize/finish', { request: 'sealed', login: LOGIN }]])
})

test('phone that the service does not know may be replaced by another', async () => {
  const page = start()
  page.replies = [reply(403, 'openid_phone_unknown'), done]
  page.flow.finish(LOGIN)
  await page.pass(0)
  assert.deepEqual(page.seen, ['open', 'reject'])
  page.flow.finish(LOGIN)
  await page.pass(0)
  assert.deepEqual(page.seen.slice(2), ['leaving', BACK])
})

test('request without an answer is repeated, then offered again', async () => {
  const page = start()
  page.replies = [reply(0), reply(503), reply(429), reply(409, 'openid_not_verified'), done]
  page.flow.finish(null)
  for (const pause of [1_000, 2_000, 4_000]) {
    await page.pass(0)
    assert.deepEqual(page.seen, [])
    await page.pass(pause)
  }
  assert.equal(page.asked.length, 4)
  assert.deepEqual(page.seen, ['failed'])
  page.flow.retry()
  await page.pass(0)
  assert.deepEqual(page.seen, ['failed', 'leaving', BACK])
})

test('refusal of a text is not repeated', async () => {
  const page = start()
  page.replies = [reply(403, 'origin_not_allowed')]
  page.flow.finish(null)
  await page.pass(0)
  assert.equal(page.asked.length, 1)
  assert.deepEqual(page.seen, ['failed'])
})

test('cancelling leads back to the site, even after the end', async () => {
  const page = start()
  await page.pass(LIFETIME)
  assert.deepEqual(page.seen, ['expired'])
  page.replies = [reply(200, '', 'https://shop.example/callback?error=access_denied')]
  page.flow.cancel()
  await page.pass(0)
  assert.deepEqual(page.asked, [['/authorize/cancel', { request: 'sealed' }]])
  assert.deepEqual(page.seen, ['expired', 'leaving', 'https://shop.example/callback?error=access_denied'])
})

test('cancelling drops the answer to a step before it', async () => {
  const page = start()
  page.replies = [reply(0), reply(200, '', 'https://shop.example/cancelled'), done]
  page.flow.finish(null)
  await page.pass(0)
  page.flow.cancel()
  await page.pass(10_000)
  assert.deepEqual(page.seen, ['leaving', 'https://shop.example/cancelled'])
})

test('login that was finished in another tab is over', async () => {
  const page = start()
  page.replies = [reply(409, 'openid_answered')]
  page.flow.finish(null)
  await page.pass(0)
  assert.deepEqual(page.seen, ['over'])
})

test('browser that the service does not recognize starts again', async () => {
  for (const [kept, expected] of [[false, 'unknown'], [true, 'restart']] as const) {
    const page = start({ kept })
    page.flow.answered(reply(400, 'openid_request_invalid'))
    assert.deepEqual(page.seen, [expected])
  }
  const late = start({ kept: true })
  late.now = LIFETIME
  late.flow.answered(reply(400, 'openid_request_invalid'))
  assert.deepEqual(late.seen, ['expired'], 'a request that is too old')
})

test('answers that the element handles change nothing', () => {
  const page = start()
  for (const answer of [reply(200), reply(429, 'app_rate_exceeded'), reply(422, 'number_type_refused'), reply(500)]) page.flow.answered(answer)
  assert.deepEqual(page.seen, [])
})

test('page ends after five minutes', async () => {
  const page = start()
  await page.pass(LIFETIME - 1)
  assert.deepEqual(page.seen, [])
  await page.pass(1)
  assert.deepEqual(page.seen, ['expired'])
})

test('text that was sent in time is waited for', async () => {
  for (const [then, expected] of [
    ['verified', ['leaving', BACK]], ['ended', ['expired']], ['nothing', ['expired']],
  ] as const) {
    const page = start()
    page.flow.began('text')
    await page.pass(LIFETIME)
    assert.deepEqual(page.seen, [])
    page.replies = [done]
    if (then === 'verified') page.flow.finish(null)
    if (then === 'ended') page.flow.ended('text')
    await page.pass(60_000)
    assert.deepEqual(page.seen, expected, then)
  }
})

test('timer that stood still while the device slept is caught up with', () => {
  const page = start()
  page.now = LIFETIME + 1
  page.flow.look()
  assert.deepEqual(page.seen, ['expired'])
})
