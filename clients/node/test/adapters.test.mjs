import assert from 'node:assert/strict'
import { test } from 'node:test'

import { FRAMEWORKS } from './support/frameworks.mjs'
import { ORIGIN, SESSION, ZOE, finder, phone } from './support/phone.mjs'
import { connect, eventOf, loginEventOf, signingKey, started } from './support/stub.mjs'

const MAX_BODY = 64 * 1024
const zoe = await phone(7)
const findKey = finder([[zoe, ZOE]])

/** Starts a framework with a client that started `cfm_…1`, and records what happens in it. */
async function start(t, name, { onVerified, onLoginEvent, onLogin, parse } = {}) {
  const { stub, countersign } = await connect(t)
  const key = signingKey('first')
  stub.keys.push(key)
  stub.answers.push(started())
  const { confirmationId } = await countersign.confirmations.acquire()
  const seen = { verified: [], events: [], logins: [], log: [] }
  const log = (message, error) => seen.log.push(error?.message ?? message)
  const post = await FRAMEWORKS[name](t, countersign, {
    webhook: {
      onVerified: onVerified ?? ((event) => { seen.verified.push(event.phoneNumber) }),
      onLogin: onLoginEvent,
      log,
    },
    login: { origin: ORIGIN, findKey, log, onLogin: onLogin ?? ((login) => { seen.logins.push(login.userId) }) },
    parse,
  })
  const json = { 'content-type': 'application/json' }
  return {
    stub,
    countersign,
    confirmationId,
    seen,
    post,
    deliver: (body, headers = {}) => post('/webhook', { body, headers: { ...json, ...key.sign(body), ...headers } }),
    logIn: (detail, headers = {}) => (
      post('/login', { body: JSON.stringify(detail), headers: { ...json, origin: ORIGIN, ...headers } })
    ),
  }
}

/** Asserts an answer, with the headers that all have. */
function answers(answer, status, text) {
  assert.deepEqual([answer.status, answer.text], [status, text])
  assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
}

for (const name of Object.keys(FRAMEWORKS)) {
  test(`${name}: webhook is accepted once, and forgeries are refused`, async (t) => {
    const { confirmationId, deliver, post, seen } = await start(t, name)
    const body = eventOf(confirmationId)
    const wrong = 'signature refused'
    answers(await deliver(body, { 'x-signature': 'AAAA' }), 403, wrong)
    answers(await post('/webhook', { body, headers: { 'content-type': 'application/json' } }), 403, wrong)
    answers(await deliver('{}'), 400, 'not a confirmation')
    answers(await deliver('not JSON'), 400, 'not a confirmation')
    answers(await deliver(''), 400, 'not a confirmation')
    answers(await deliver(eventOf('cfm_2')), 404, 'unknown confirmation')
    answers(await deliver(loginEventOf(SESSION)), 400, 'not a confirmation')
    assert.deepEqual(seen.verified, [])
    answers(await deliver(body), 200, 'accepted')
    answers(await deliver(body), 200, 'already accepted')
    answers(await post('/webhook', { method: 'GET' }), 405, 'POST only')
    assert.deepEqual(seen.verified, ['+12025550100'])
  })

  test(`${name}: raw bytes are verified, whatever their form`, async (t) => {
    const { confirmationId, deliver } = await start(t, name)
    const form = eventOf(confirmationId).replace('"metadata":{}', ' "metadata" : {"é":"<&>", "n":1.50}')
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/special']) {
      answers(await deliver(eventOf('cfm_2'), { 'content-type': type }), 404, 'unknown confirmation')
    }
    answers(await deliver(form), 200, 'accepted')
  })

  test(`${name}: body of 64 KiB is read, and a larger one is refused`, async (t) => {
    const { confirmationId, deliver } = await start(t, name)
    const body = eventOf(confirmationId).padEnd(MAX_BODY)
    if (name !== 'Express with express.raw()') answers(await deliver(`${body} `), 413, 'body too large')
    answers(await deliver(body), 200, 'accepted')
  })

  test(`${name}: webhook that could not be handled can be tried again`, async (t) => {
    let failures = 1
    const onVerified = async () => { if (failures-- > 0) throw new Error('the database is down') }
    const { stub, confirmationId, deliver, seen } = await start(t, name, { onVerified })
    const body = eventOf(confirmationId)
    answers(await deliver(body), 500, 'internal error')
    assert.deepEqual(seen.log, ['the database is down'])
    answers(await deliver(body), 200, 'accepted')
    answers(await deliver(body, { 'x-signature-key-id': 'unknown' }), 500, 'cannot verify just now')
    assert.equal(stub.requests.filter(({ path }) => path.endsWith('jwks.json')).length, 1)
  })
}

for (const name of ['Express', 'Fastify', 'Hono', 'Next.js']) {
  test(`${name}: webhook about a login is accepted once and does not use up the login`, async (t) => {
    const events = []
    const onLoginEvent = ({ event }) => { events.push(event) }
    const { stub, countersign, deliver, logIn } = await start(t, name, { onLoginEvent })
    const body = loginEventOf(SESSION)
    answers(await deliver(body), 404, 'unknown login')
    stub.answers.push({ status: 200, body: { sessionId: SESSION } })
    await countersign.logins.create({ browserToken: 'token', origin: ORIGIN })
    answers(await deliver(body), 200, 'accepted')
    answers(await deliver(body), 200, 'already accepted')
    assert.deepEqual(events, ['login.confirmed'])
    answers(await logIn(zoe.detail(zoe.proof())), 200, 'logged in')
  })

  test(`${name}: proven login is taken once`, async (t) => {
    const { logIn, post, seen } = await start(t, name)
    const detail = zoe.detail(zoe.proof())
    for (const origin of ['https://evil.example', 'null', `${ORIGIN}/`]) {
      answers(await logIn(detail, { origin }), 403, 'not logged in')
    }
    answers(await logIn({ ...detail, payload: 'another' }), 403, 'not logged in')
    for (const odd of [null, [], 'text', {}, { ...detail, salt: 7 }]) answers(await logIn(odd), 400, 'not a login')
    answers(await logIn({ ...detail, more: 'x'.repeat(MAX_BODY) }), 413, 'body too large')
    answers(await post('/login', { method: 'GET' }), 405, 'POST only')
    assert.deepEqual(seen.logins, [])
    const together = await Promise.all(Array.from({ length: 8 }, () => logIn(detail)))
    assert.deepEqual(together.map(({ status }) => status).sort(), [200, ...Array(7).fill(403)])
    assert.deepEqual(seen.logins, [ZOE])
    assert.ok(seen.log.includes('refused: the login was used before'))
    assert.ok(seen.log.includes('refused: for another payload'))
  })

  test(`${name}: page may send JSON as plain text`, async (t) => {
    const { logIn } = await start(t, name)
    answers(await logIn(zoe.detail(zoe.proof()), { 'content-type': 'text/plain;charset=UTF-8' }), 200, 'logged in')
  })

  test(`${name}: callback sets a cookie, or answers itself`, async (t) => {
    const given = []
    const onLogin = (login, setCookie) => {
      given.push(login)
      if (given.length === 1) throw new Error('no session')
      setCookie('session', 'abc')
      return given.length === 2 ? undefined : 'welcome'
    }
    const { logIn, seen } = await start(t, name, { onLogin })
    const detail = zoe.detail(zoe.proof())
    answers(await logIn(detail), 500, 'internal error')
    assert.deepEqual(seen.log, ['no session'])
    const answer = await logIn(detail)
    assert.deepEqual([answer.status, answer.text], [200, 'logged in'])
    assert.match(answer.headers.get('set-cookie'), /^session=abc/)
    const other = await phone(7, { session: 'qrs_cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd' })
    const own = await logIn(other.detail(other.proof()))
    assert.deepEqual([own.status, own.text], [201, 'welcome'])
    assert.match(own.headers.get('set-cookie'), /^session=abc/)
    assert.deepEqual(given[2], { userId: ZOE, keyId: zoe.keyId })
  })
}

const REMEDIES = { Express: /before express\.json\(\)/, Hono: /middleware/, 'Next.js': /middleware/ }

for (const [name, remedy] of Object.entries(REMEDIES)) {
  test(`${name}: body that was parsed before is told with the remedy`, async (t) => {
    const { confirmationId, deliver, seen } = await start(t, name, { parse: true })
    answers(await deliver(eventOf(confirmationId)), 500, 'internal error')
    assert.match(seen.log[0], remedy)
    assert.deepEqual(seen.verified, [])
  })
}

test('Express: login may be parsed before', async (t) => {
  const { logIn } = await start(t, 'Express', { parse: true })
  answers(await logIn(zoe.detail(zoe.proof())), 200, 'logged in')
})

