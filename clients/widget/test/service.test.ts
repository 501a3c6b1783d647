import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'

import { plainIdentity, sealedIdentity, type Identity } from '../src/identity.ts'
import type { Refusal } from '../src/refusal.ts'
import { OwnServer } from '../src/start.ts'
import { Service } from '../src/service.ts'
import { TestClock } from './support/clock.ts'
import { FakeService } from './support/fake-service.ts'

const ORIGIN = 'https://shop.example'
const SALT = 'AAECAwQFBgcICQoLDA0ODw'

const fake = new FakeService(ORIGIN)
const clock = new TestClock()
let service: Service

before(async () => {
  service = new Service(await fake.start(), 'app_demo', clock)
})

/** Opens a session, and returns what the page knows about it. */
async function opened(): Promise<Identity> {
  const identity = await sealedIdentity('app_demo', ORIGIN)
  await service.open(identity, null)
  return identity
}
beforeEach(() => {
  fake.seen.length = 0
  fake.interfere = () => false
})
after(() => fake.stop())

/** Runs a test with the given browser features. */
async function onPage({ href, origin }: { href: string; origin: string }, run: () => Promise<void>): Promise<void> {
  Object.assign(globalThis, { document: { baseURI: href }, location: { origin } })
  try {
    await run()
  } finally {
    Reflect.deleteProperty(globalThis, 'document')
    Reflect.deleteProperty(globalThis, 'location')
  }
}

/** Answers a route like a page's server that has opened the session. */
const startsAt = (route: string): typeof fake.interfere => (request, response) => {
  if (request.url !== route) return false
  response.writeHead(201).end('{}')
  return true
}

const refused = (code: string, status: number) => (error: Refusal) => error.code === code && error.status === status

describe('routes', () => {
  test('open a session with the app key, and with the browser\'s key and token', async () => {
    const identity = await sealedIdentity('app_demo', ORIGIN)
    const answer = await service.open(identity, null)
    const [{ body, headers, method, path }] = fake.seen as [(typeof fake.seen)[0]]
    assert.deepEqual([method, path, headers['x-app-key']], ['POST', '/qr-sessions', 'app_demo'])
    assert.equal(headers.authorization, `Bearer ${identity.token}`)
    assert.deepEqual(JSON.parse(body), { browserPublicKey: identity.keys?.publicKey })
    assert.deepEqual([headers.cookie, headers.referer], [undefined, undefined])
    assert.equal(answer.sessionId, identity.id)
    // The `Date` header has no fractions of a second, and a second may end before it is written.
    assert.ok(answer.lifetime > 59_000 && answer.lifetime < 61_000, String(answer.lifetime))
    assert.equal(answer.askedAt, clock.now())
  })

  test('have the page\'s own server open a session with the browser\'s key and token, and join it', async () => {
    const identity = await sealedIdentity('app_demo', ORIGIN)
    const own = new Service(fake.url, 'app_demo', clock, new OwnServer(clock, () => ({ route: 'login/start' })))
    await onPage({ href: `${fake.url}/sign-in`, origin: fake.url }, async () => {
      fake.interfere = startsAt('/login/start')
      const { sessionId } = await own.open(identity, 'https://shop.example/sign-in')
      assert.equal(sessionId, identity.id)
      const [asked, joined] = fake.seen as [(typeof fake.seen)[0], (typeof fake.seen)[0]]
      assert.deepEqual([asked.method, asked.path], ['POST', '/login/start'])
      assert.deepEqual([asked.headers['x-app-key'], asked.headers.authorization], [undefined, undefined])
      const browserPublicKey = identity.keys?.publicKey
      assert.deepEqual(JSON.parse(asked.body), { browserToken: identity.token, browserPublicKey })
      assert.deepEqual([joined.path, joined.headers['x-app-key']], ['/qr-sessions', 'app_demo'])
      assert.deepEqual(JSON.parse(joined.body), { browserPublicKey, returnUrl: 'https://shop.example/sign-in' })
    })
  })

  test('ask the page\'s own server about a session that may be open only if it is not', async () => {
    const identity = await sealedIdentity('app_demo', ORIGIN)
    const own = new Service(fake.url, 'app_demo', clock, new OwnServer(clock, () => ({ route: '/login/start' })))
    await onPage({ href: `${fake.url}/sign-in`, origin: fake.url }, async () => {
      fake.interfere = startsAt('/login/start')
      await own.open(identity, null)
      fake.seen.length = 0
      await own.open(identity, null, true)
      assert.deepEqual(fake.seen.map(({ path }) => path), ['/qr-sessions'])
      fake.seen.length = 0
      let refusals = 1
      fake.interfere = (request, response) => {
        if (request.url === '/login/start') return startsAt('/login/start')(request, response)
        if (refusals-- === 0) return false
        response.writeHead(403).end(JSON.stringify({ code: 'login_server_only' }))
        return true
      }
      await own.open(identity, null, true)
      assert.deepEqual(fake.seen.map(({ path }) => path), ['/qr-sessions', '/login/start', '/qr-sessions'])
      // Once the server has opened it, the service's answer is final.
      refusals = 9
      await assert.rejects(own.open(identity, null, true), refused('login_server_only', 403))
    })
  })

  test('pass on what the page\'s own server refuses', async () => {
    const identity = await sealedIdentity('app_demo', ORIGIN)
    const own = new Service(fake.url, 'app_demo', clock, new OwnServer(clock, () => ({ route: '/login/start' })))
    await onPage({ href: `${fake.url}/sign-in`, origin: fake.url }, async () => {
      for (const [status, code, expected, seen] of [
        [403, 'csrf', 'start_refused', 200],
        [500, 'broken', 'start_refused', 503],
        [429, 'slow_down', 'slow_down', 429],
      ] as const) {
        fake.interfere = (_, response) => {
          response.writeHead(status).end(JSON.stringify({ code }))
          return true
        }
        await assert.rejects(own.open(identity, null), refused(expected, seen))
      }
      fake.seen.length = 0
      const elsewhere = new Service(fake.url, 'app_demo', clock, new OwnServer(clock, () => ({ route: 'https://shop.example/login/start' })))
      await assert.rejects(elsewhere.open(identity, null), refused('start_refused', 200))
      assert.deepEqual(fake.seen, [])
    })
  })

  test('open a session without a key', async () => {
    const identity = plainIdentity()
    const { sessionId } = await service.open(identity, null)
    assert.deepEqual(fake.seen.map(({ body }) => body), ['{}'])
    assert.equal(sessionId, identity.id)
  })

  test('open the same session again with the same key and token, and with no other token', async () => {
    const identity = await sealedIdentity('app_demo', ORIGIN)
    const first = await service.open(identity, null)
    assert.equal((await service.open(identity, null)).url, first.url)
    const { token } = plainIdentity()
    await assert.rejects(service.open({ ...identity, token }, null), refused('session_exists', 409))
    await service.cancel(identity)
    await assert.rejects(service.open(identity, null), refused('session_over', 410))
  })

  test('return the state for the token, and for the tag of the last answer', async () => {
    const identity = await opened()
    const first = await service.status(identity, null)
    assert.deepEqual(first, { state: 'created', left: 60_000, tag: '"created"' })
    assert.equal(await service.status(identity, first), first)
    fake.becomes(identity.id, 'scanned')
    assert.equal((await service.status(identity, first)).state, 'scanned')
    const asked = fake.seen.slice(1)
    assert.ok(asked.every(({ headers }) => headers.authorization === `Bearer ${identity.token}`))
    assert.deepEqual(asked.map(({ headers }) => headers['if-none-match']), [undefined, '"created"', '"created"'])
    assert.ok(asked.every(({ path }) => path === `/qr-sessions/${identity.id}`))
  })

  test('hand out an encrypted payload again for the same receipt, and for no other', async () => {
    const identity = await opened()
    await assert.rejects(service.redeem(identity, 'r1', {}), refused('session_not_confirmed', 409))
    fake.becomes(identity.id, 'confirmed', { payload: 'p', encrypted: true, proof: 'a.b.c' })
    const expected = { payload: 'p', encrypted: true, salt: null, proof: 'a.b.c' }
    assert.deepEqual(await service.redeem(identity, 'r1', {}), expected)
    assert.deepEqual(await service.redeem(identity, 'r1', {}), expected)
    assert.equal(fake.seen.at(-1)?.body, '{"receipt":"r1"}')
    await assert.rejects(service.redeem(identity, 'r2', {}), refused('session_redeemed', 409))
  })

  test('hand out a readable payload once, with its salt', async () => {
    const identity = plainIdentity()
    await service.open(identity, null)
    fake.becomes(identity.id, 'confirmed', { payload: 'p', encrypted: false, salt: SALT })
    const expected = { payload: 'p', encrypted: false, salt: SALT, proof: null }
    assert.deepEqual(await service.redeem(identity, 'r1', {}), expected)
    await assert.rejects(service.redeem(identity, 'r1', {}), refused('session_redeemed', 409))
  })

  test('take the check code where the session needs one, and say how many tries are left', async () => {
    fake.code = '07'
    const identity = await sealedIdentity('app_demo', ORIGIN)
    const { needsCode } = await service.open(identity, null)
    fake.code = null
    assert.equal(needsCode, true)
    assert.equal((await service.open(plainIdentity(), null)).needsCode, false)
    fake.becomes(identity.id, 'confirmed', { payload: 'p', encrypted: true })
    await assert.rejects(service.redeem(identity, 'r1', {}), refused('check_code_required', 403))
    const wrong = (left: number) => (error: Refusal) => (
      error.code === 'check_code_wrong' && error.triesLeft === left
    )
    await assert.rejects(service.redeem(identity, 'r1', { checkCode: '01' }), wrong(2))
    await assert.rejects(service.redeem(identity, 'r1', { checkCode: '01' }), wrong(2))
    await assert.rejects(service.redeem(identity, 'r1', { checkCode: '02' }), wrong(1))
    assert.equal((await service.redeem(identity, 'r1', { checkCode: '07' })).payload, 'p')
    assert.equal(fake.seen.at(-1)?.body, '{"receipt":"r1","checkCode":"07"}')
  })

  test('cancel a session, and ignore an error of that', async () => {
    const identity = await opened()
    await service.cancel(identity)
    assert.equal((await service.status(identity, null)).state, 'cancelled')
    await service.cancel({ ...identity, token: 'another' })
  })

  test('refuse the token of another session', async () => {
    const [one, other] = [await opened(), await opened()]
    const mixed = { ...one, token: other.token }
    await assert.rejects(service.status(mixed, null), refused('session_not_found', 404))
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
      await assert.rejects(service.open(plainIdentity(), null), refused(code, status))
    })
  }

  test('unknown state', async () => {
    const identity = await opened()
    fake.interfere = (_, response) => {
      response.writeHead(200).end('{"state":"toString"}')
      return true
    }
    await assert.rejects(service.status(identity, null), refused('bad_answer', 200))
  })

  test('payload, salt or proof of another type', async () => {
    const identity = await opened()
    const payload = { payload: 'p', encrypted: false, salt: SALT, proof: 'a.b.c' }
    for (const change of [{ payload: 1 }, { payload: null }, { salt: 1 }, { salt: '' }, { salt: 'AAAA' }, { proof: {} }]) {
      fake.interfere = (_, response) => {
        response.writeHead(200).end(JSON.stringify({ ...payload, ...change }))
        return true
      }
      await assert.rejects(service.redeem(identity, 'r1', {}), refused('bad_answer', 200), JSON.stringify(change))
    }
  })

  test('redirect is not followed', async () => {
    const identity = await opened()
    fake.interfere = ({ url }, response) => {
      if (url === '/elsewhere') return false
      response.writeHead(307, { location: '/elsewhere' }).end()
      return true
    }
    await assert.rejects(service.redeem(identity, 'r1', {}), refused('unreachable', 0))
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
      const answer = assert.rejects(service.open(plainIdentity(), null), refused('unreachable', 0))
      await heard
      await clock.pass(10_000)
      await answer
    }
  })

  test('refused connection is reported as unreachable', async () => {
    const nobody = new Service('http://127.0.0.1:1', 'app_demo', clock)
    await assert.rejects(nobody.open(plainIdentity(), null), refused('unreachable', 0))
    assert.equal(clock.armed, 0)
  })
})
