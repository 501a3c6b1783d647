import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'

import type { Refusal } from '../src/refusal.ts'
import { Service } from '../src/service.ts'
import { TestClock } from './support/clock.ts'
import { FakeService } from './support/fake-service.ts'

const fake = new FakeService()
const clock = new TestClock()
let service: Service

before(async () => {
  service = new Service(await fake.start(), 'app_demo', clock)
})
beforeEach(() => {
  fake.seen.length = 0
  fake.interfere = () => false
})
after(() => fake.stop())

const refused = (code: string, status: number) => (error: Refusal) => error.code === code && error.status === status

describe('routes', () => {
  test('session is opened with the app key and the browser\'s public key', async () => {
    const opened = await service.open('BKey')
    const [{ body, headers, method, path }] = fake.seen as [(typeof fake.seen)[0]]
    assert.deepEqual([method, path, headers['x-app-key']], ['POST', '/qr-sessions', 'app_demo'])
    assert.deepEqual(JSON.parse(body), { browserPublicKey: 'BKey' })
    assert.deepEqual([headers.cookie, headers.referer, headers.authorization], [undefined, undefined, undefined])
    assert.match(opened.id, /^qrs_[0-9a-f]{32}$/)
    // The header `Date` has no fractions of a second.
    assert.ok(opened.lifetime >= 60_000 && opened.lifetime < 61_000, String(opened.lifetime))
    assert.equal(opened.askedAt, clock.now())
  })

  test('state is requested with the token and the tag of the last answer', async () => {
    const opened = await service.open('BKey')
    const first = await service.status(opened, null)
    assert.deepEqual(first, { state: 'created', tag: '"created"' })
    assert.equal(await service.status(opened, first), first)
    fake.becomes(opened.id, 'scanned')
    assert.equal((await service.status(opened, first)).state, 'scanned')
    const asked = fake.seen.slice(1)
    assert.ok(asked.every(({ headers }) => headers.authorization === `Bearer ${opened.token}`))
    assert.deepEqual(asked.map(({ headers }) => headers['if-none-match']), [undefined, '"created"', '"created"'])
    assert.ok(asked.every(({ path }) => path === `/qr-sessions/${opened.id}`))
  })

  test('payload can be redeemed once', async () => {
    const opened = await service.open('BKey')
    await assert.rejects(service.redeem(opened), refused('qr_session_state', 409))
    fake.becomes(opened.id, 'confirmed', { payload: 'p', encrypted: false })
    assert.deepEqual(await service.redeem(opened), { payload: 'p', encrypted: false })
    await assert.rejects(service.redeem(opened), refused('qr_session_state', 409))
  })

  test('session is cancelled, and a failure to cancel is ignored', async () => {
    const opened = await service.open('BKey')
    await service.cancel(opened)
    assert.equal((await service.status(opened, null)).state, 'cancelled')
    await service.cancel({ ...opened, token: 'another' })
  })

  test('token of another session is refused', async () => {
    const one = await service.open('BKey')
    const other = await service.open('BKey')
    await assert.rejects(service.status({ ...one, token: other.token }, null), refused('qr_session_unknown', 404))
  })
})

describe('invalid answers are refused', () => {
  const answers: [string, number, string, string][] = [
    ['page of a captive portal', 200, '<h1>Log in to this network</h1>', 'bad_answer'],
    ['empty body', 200, '', 'bad_answer'],
    ['not an object', 200, 'null', 'bad_answer'],
    ['members of wrong types', 200, '{"sessionId":1}', 'bad_answer'],
    ['error page of a proxy', 502, '<h1>502</h1>', 'http_502'],
  ]
  for (const [what, status, body, code] of answers) {
    test(what, async () => {
      fake.interfere = (_, response) => {
        response.writeHead(status).end(body)
        return true
      }
      await assert.rejects(service.open('BKey'), refused(code, status))
    })
  }

  test('unknown state', async () => {
    const opened = await service.open('BKey')
    fake.interfere = (_, response) => {
      response.writeHead(200).end('{"state":"toString"}')
      return true
    }
    await assert.rejects(service.status(opened, null), refused('bad_answer', 200))
  })

  test('redirect is not followed', async () => {
    const opened = await service.open('BKey')
    fake.interfere = ({ url }, response) => {
      if (url === '/elsewhere') return false
      response.writeHead(307, { location: '/elsewhere' }).end()
      return true
    }
    await assert.rejects(service.redeem(opened), refused('unreachable', 0))
    assert.ok(fake.seen.every(({ path }) => path !== '/elsewhere'))
  })

  test('silence times out after ten seconds, even in the middle of an answer', async () => {
    for (const begin of ['', '{"sessionId":']) {
      let asked = () => {}
      const heard = new Promise<void>((resolve) => {
        asked = resolve
      })
      fake.interfere = (_, response) => {
        if (begin) response.writeHead(200).write(begin)
        asked()
        return true
      }
      const answer = assert.rejects(service.open('BKey'), refused('unreachable', 0))
      await heard
      await clock.pass(10_000)
      await answer
    }
  })

  test('refused connection is reported as unreachable', async () => {
    const nobody = new Service('http://127.0.0.1:1', 'app_demo', clock)
    await assert.rejects(nobody.open('BKey'), refused('unreachable', 0))
    assert.equal(clock.armed, 0)
  })
})
