import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import jsqr from 'jsqr'

import { backoff, pageClock } from '../src/clock.ts'
import { isPhone } from '../src/device.ts'
import { lifetime, watchLifetime } from '../src/lifetime.ts'
import { drawCode } from '../src/qr.ts'
import { Refusal, refusalOf, retryAfter } from '../src/refusal.ts'
import { request } from '../src/request.ts'
import { TestClock } from './support/clock.ts'

describe('lifetime of a code', () => {
  test('is measured by the clock of the service', () => {
    const date = 'Sat, 21 Nov 2026 12:00:00 GMT'
    assert.equal(lifetime('2026-11-21T12:00:45Z', date), 45_000)
    assert.equal(lifetime('2026-11-21T12:01:00.250Z', date), 60_250)
  })

  test('is a minute if the clock of the service is missing or makes no sense', () => {
    assert.equal(lifetime('2026-11-21T12:00:45Z', null), 60_000)
    for (const expiresAt of ['', 'soon', '2026-11-21T11:59:00Z', '2027-01-01T00:00:00Z']) {
      assert.equal(lifetime(expiresAt, 'Sat, 21 Nov 2026 12:00:00 GMT'), 60_000)
    }
  })

  test('counts from the request for the replacement, and from the answer for the end', async () => {
    for (const [life, lead] of [[60_000, 55_000], [8_000, 4_000]] as const) {
      const clock = new TestClock()
      const start = clock.now()
      const log: [string, number][] = []
      const note = (what: string) => () => log.push([what, clock.now() - start])
      watchLifetime(clock, { lifetime: life, askedAt: start - 1_000 }, note('due'), note('over'))
      await clock.pass(120_000)
      assert.deepEqual(log, [['due', lead - 1_000], ['over', life]])
    }
  })

  test('has the code replaced immediately if the answer took too long', async () => {
    const clock = new TestClock()
    let due = 0
    const stop = watchLifetime(clock, { lifetime: 60_000, askedAt: clock.now() - 90_000 }, () => (due += 1), () => {})
    await clock.pass(0)
    assert.equal(due, 1)
    stop()
    assert.equal(clock.armed, 0)
  })
})

test('backoff doubles up to half a minute, half of it random', () => {
  const waits = (random: number) => [1, 2, 3, 4, 5, 6, 99].map((failures) => backoff(failures, () => random))
  assert.deepEqual(waits(1), [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  assert.deepEqual(waits(0), [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
})

describe('refusals', () => {
  test('Retry-After is parsed in both forms, up to a maximum', () => {
    const now = Date.parse('2026-11-21T12:00:00Z')
    assert.equal(retryAfter('7', now), 7_000)
    assert.equal(retryAfter('0', now), 0)
    assert.equal(retryAfter('Sat, 21 Nov 2026 12:00:30 GMT', now), 30_000)
    assert.equal(retryAfter('99999999', now), 600_000)
    for (const text of [null, '', '-3', 'soon', 'Sat, 21 Nov 2026 11:59:00 GMT']) {
      assert.equal(retryAfter(text, now), null)
    }
  })

  test('problem has its code, and any other response a code with its status', async () => {
    const problem = { code: 'origin_not_allowed', title: 'T', detail: 'D' }
    const told = await refusalOf(Response.json(problem, { status: 403 }))
    assert.deepEqual([told.code, told.message, told.status, told.passing], ['origin_not_allowed', 'D', 403, false])
    const other = await refusalOf(new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'retry-after': '3' } }))
    assert.deepEqual([other.code, other.status, other.wait, other.passing], ['http_502', 502, 3_000, true])
    for (const body of ['null', '3', '[]', '{"code":1}']) {
      assert.equal((await refusalOf(new Response(body, { status: 400 }))).code, 'http_400')
    }
  })

  test('error answer that ends too early is no refusal', async () => {
    const cut = (status: number) => new Response(new ReadableStream({
      start(stream) {
        stream.enqueue(new TextEncoder().encode('{"code":"check_code_'))
        stream.error(new TypeError('network error'))
      },
    }), { status })
    await assert.rejects(refusalOf(cut(403)), TypeError)
    const { fetch } = globalThis
    globalThis.fetch = async () => cut(403)
    try {
      await assert.rejects(request(pageClock, 'https://service.example', {}), { code: 'unreachable', status: 0, passing: true, uncertain: true })
    } finally {
      globalThis.fetch = fetch
    }
  })

  test('only statuses that may change are temporary', () => {
    const passing = (status: number) => new Refusal('x', 'x', { status }).passing
    assert.deepEqual([0, 408, 429, 500, 503].filter(passing), [0, 408, 429, 500, 503])
    assert.deepEqual([200, 400, 401, 403, 404, 409, 410].filter(passing), [])
  })
})

describe('drawing of a code', () => {
  /** Paints the outline as a browser does, and reads it with an independent decoder. */
  function decoded(text: string): string | undefined {
    const { path, size } = drawCode(text)
    const scale = 4
    const width = size * scale
    const pixels = new Uint8ClampedArray(4 * width * width).fill(255)
    for (const [, x, y, run] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
      for (let row = Number(y) * scale; row < (Number(y) + 1) * scale; row += 1) {
        const from = 4 * (row * width + Number(x) * scale)
        for (let at = from; at < from + 4 * Number(run) * scale; at += 4) pixels.fill(0, at, at + 3)
      }
    }
    assert.equal(path.replace(/M(\d+) (\d+)h(\d+)v1h-\3z/g, ''), '')
    return jsqr(pixels, width, width)?.data
  }

  const link = `https://login.shop.example?sessionId=qrs_${'0a'.repeat(16)}`

  /** Returns the version of the code for a text (ISO/IEC 18004): each version is 4 modules wider. */
  const version = (text: string) => (drawCode(text).size - 2 * 4 - 17) / 4

  test('is read by a foreign decoder', () => {
    assert.equal(decoded(link), link)
    const long = link.replace('login', 'a'.repeat(63))
    assert.equal(decoded(long), long)
  })

  test('of a link has version 5; with the hash of a key in the link it would have version 7', () => {
    assert.deepEqual([link.length, version(link)], [73, 5])
    const hashed = `${link}#k=${'Zz-_'.repeat(10)}abc`
    assert.deepEqual([hashed.length, version(hashed)], [119, 7])
    // Lengths of hosts around those at which the version changes.
    for (const [length, expected] of [[6, 4], [7, 5], [28, 5], [29, 6], [50, 6], [51, 7]] as const) {
      const host = `${'a'.repeat(length - 3)}.eg`
      assert.equal(version(link.replace('login.shop.example', host)), expected, host)
    }
  })

  test('has a margin of four modules on every side', () => {
    const { path, size } = drawCode('https://a.example')
    for (const [, x, y, run] of path.matchAll(/M(\d+) (\d+)h(\d+)v/g)) {
      assert.ok(Number(x) >= 4 && Number(y) >= 4 && Number(x) + Number(run) <= size - 4 && Number(y) < size - 4)
    }
    assert.match(path, /^M4 4h7v1/)
  })
})

test('only mobile devices with a coarse pointer are phones', () => {
  const page = (userAgent: string, coarse: boolean, mobile?: boolean) => ({
    navigator: { userAgent, ...(mobile === undefined ? {} : { userAgentData: { mobile } }) },
    matchMedia: (query: string) => ({ matches: coarse && query === '(pointer: coarse)' }),
  }) as unknown as Window
  const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148'
  const android = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/140.0 Mobile Safari/537.36'
  const tablet = 'Mozilla/5.0 (Linux; Android 15; Tab) Chrome/140.0 Safari/537.36'
  const desktop = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36'
  assert.equal(isPhone(page(iphone, true)), true)
  assert.equal(isPhone(page(android, true)), true)
  assert.equal(isPhone(page(android, true, true)), true)
  assert.equal(isPhone(page(android, true, false)), false)
  assert.equal(isPhone(page(iphone, false)), false)
  assert.equal(isPhone(page(tablet, true)), false)
  assert.equal(isPhone(page(desktop, true)), false)
})
