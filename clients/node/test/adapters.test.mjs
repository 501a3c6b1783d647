import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'

import { webhook as expressWebhook } from '../src/express.js'
import { webhookHandler } from '../src/handlers/index.js'
import { login as lambdaLogin } from '../src/lambda.js'
import { FRAMEWORKS } from './support/frameworks.mjs'
import { ORIGIN, SESSION, ZOE, finder, phone } from './support/phone.mjs'
import { connect, eventOf, loginEventOf, phoneEventOf, signingKey, started } from './support/stub.mjs'

const MAX_BODY = 64 * 1024
const REGISTRATION = 'phr_5f0c8a41f2d94e6b7a13c0de9b81d2a4'
const zoe = await phone(7)
const findKey = finder([[zoe, ZOE]])

/** Starts a framework with a client that started `cfm_…1`, and records what happens. */
async function start(t, name, { onVerified, onLoginEvent, onPhoneRegistered, onLogin, parse } = {}) {
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
      ...(onLoginEvent ? { onLogin: onLoginEvent } : {}),
      ...(onPhoneRegistered ? { onPhoneRegistered } : {}),
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

/** Asserts an answer, including the headers that all answers have. */
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

  test(`${name}: phone that was set up is reported once`, async (t) => {
    const phones = []
    let failures = 1
    const onPhoneRegistered = async ({ publicUserId, kind }) => {
      if (failures-- > 0) throw new Error('the mail server is down')
      phones.push([publicUserId, kind])
    }
    const { stub, countersign, deliver } = await start(t, name, { onPhoneRegistered })
    const body = phoneEventOf(REGISTRATION)
    answers(await deliver(body), 404, 'unknown registration')
    stub.answers.push({ status: 200, body: { registrationId: REGISTRATION } })
    await countersign.phoneRegistrations.create({ publicUserId: ZOE })
    answers(await deliver(body, { 'x-signature': 'AAAA' }), 403, 'signature refused')
    answers(await deliver(phoneEventOf('')), 400, 'not a confirmation')
    answers(await deliver(body.replace('phone.registered', 'phone.removed')), 400, 'not a confirmation')
    answers(await deliver(body), 500, 'internal error')
    assert.deepEqual(phones, [])
    answers(await deliver(body), 200, 'accepted')
    answers(await deliver(body), 200, 'already accepted')
    assert.deepEqual(phones, [[ZOE, 'passkey']])
  })

  test(`${name}: phone that was set up is acknowledged without a callback`, async (t) => {
    const { deliver, seen } = await start(t, name)
    answers(await deliver(phoneEventOf(REGISTRATION), { 'x-signature': 'AAAA' }), 403, 'signature refused')
    answers(await deliver(phoneEventOf(REGISTRATION)), 200, 'acknowledged')
    assert.deepEqual([seen.verified, seen.events], [[], []])
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

const REMEDIES = { Express: /before express\.json\(\)/, 'Next.js': /middleware/ }

for (const [name, remedy] of Object.entries(REMEDIES)) {
  test(`${name}: body that was parsed before is reported with the remedy`, async (t) => {
    const { confirmationId, deliver, seen } = await start(t, name, { parse: true })
    answers(await deliver(eventOf(confirmationId)), 500, 'internal error')
    assert.match(seen.log[0], /pass the raw body/)
    assert.match(seen.log[0], remedy)
    assert.deepEqual(seen.verified, [])
  })
}

test('Express: login may be parsed before', async (t) => {
  const { logIn } = await start(t, 'Express', { parse: true })
  answers(await logIn(zoe.detail(zoe.proof())), 200, 'logged in')
})


test('Hono: body that middleware has read by the context is raw', async (t) => {
  const { confirmationId, deliver, seen } = await start(t, 'Hono', { parse: true })
  const body = eventOf(confirmationId).replace('"metadata":{}', ' "metadata" : {"n":1.50}')
  answers(await deliver(body), 200, 'accepted')
  assert.equal(seen.verified.length, 1)
})

/** Returns a client, a webhook signed with its service's key, and what a handler logs. */
async function signed(t) {
  const { stub, countersign } = await connect(t)
  const key = signingKey('first')
  stub.keys.push(key)
  const body = eventOf('cfm_1').replace('"metadata":{}', ' "metadata" : {"é":1.50}')
  const log = []
  await countersign.store.remember('cfm_1', 60, () => {})
  const options = { onVerified: () => {}, log: (message, error) => log.push(error?.message ?? message) }
  return { countersign, key, body, headers: key.sign(body), options, log }
}

/** Passes a request to the Express handler, and returns the answer. */
async function express({ countersign, options }, request) {
  const answer = {}
  const response = { writeHead: (status) => { answer.status = status; return response }, end: (text) => { answer.text = text } }
  await expressWebhook(countersign, options)({ method: 'POST', ...request }, response)
  return [answer.status, answer.text]
}

for (const [name, requestOf] of Object.entries({
  'rawBody of Nest, Firebase or verify': (bytes, body) => ({ rawBody: bytes, body: JSON.parse(body), readableDidRead: true }),
  'rawBody that is a text': (_bytes, body) => ({ rawBody: body, body: JSON.parse(body), readableDidRead: true }),
  'rawBody of another realm': (bytes) => ({ rawBody: runInNewContext('Uint8Array.from(bytes)', { bytes }) }),
  'body of express.raw()': (bytes) => ({ body: bytes, readableDidRead: true }),
  'body of express.text()': (_bytes, body) => ({ body, readableDidRead: true }),
  'body that express.json() of Express 4 has not read': (bytes) => Object.assign(Readable.from([bytes]), { body: {} }),
})) {
  test(`Express: ${name}`, async (t) => {
    const given = await signed(t)
    const request = requestOf(Buffer.from(given.body), given.body)
    request.headers = given.headers
    // A stream's own members are on its prototype.
    request.method = 'POST'
    const answer = {}
    const response = { writeHead: (status) => { answer.status = status; return response }, end: (text) => { answer.text = text } }
    await expressWebhook(given.countersign, given.options)(request, response)
    assert.deepEqual([answer.status, answer.text], [200, 'accepted'], given.log.join())
  })
}

for (const [name, request] of Object.entries({
  'parsed body': { body: { confirmationId: 'cfm_1' }, readableDidRead: true },
  'parsed body of a host without streams': { body: { confirmationId: 'cfm_1' } },
  'empty rawBody': { rawBody: Buffer.alloc(0), headers: { 'content-length': '9' } },
  'no stream': {},
})) {
  test(`Express: ${name} is answered with the remedy in the log`, async (t) => {
    const given = await signed(t)
    const headers = { ...given.headers, ...request.headers }
    assert.deepEqual(await express(given, { ...request, headers }), [500, 'internal error'])
    assert.match(given.log[0], /pass the raw body/)
  })
}

test('handlers: headers and bodies have the forms that hosts give them', async (t) => {
  const given = await signed(t)
  const pairs = Object.entries(given.headers)
  const handle = webhookHandler(given.countersign, given.options)
  for (const headers of [
    new Headers(pairs),
    new Map(pairs.map(([name, value]) => [name.toUpperCase(), value])),
    runInNewContext('new Map(pairs)', { pairs }),
    pairs,
    Object.fromEntries(pairs.map(([name, value]) => [name.toUpperCase(), [value]])),
    { ...given.headers, 'x-other': undefined, 'x-more': null, 'x-list': [] },
  ]) {
    const answer = await handle({ method: 'POST', headers, body: given.body })
    assert.equal(answer.status, 200, given.log.join())
  }
  const bytes = new TextEncoder().encode(given.body)
  const padded = new Uint8Array([0, ...bytes, 0]).subarray(1, -1)
  for (const body of [bytes, padded, bytes.buffer, Buffer.from(bytes), new DataView(bytes.buffer), () => bytes, async () => given.body]) {
    assert.equal((await handle({ method: 'POST', headers: given.headers, body })).status, 200)
  }
  for (const body of [JSON.parse(given.body), 7, [1]]) {
    assert.equal((await handle({ method: 'POST', headers: given.headers, body })).status, 500)
    assert.match(given.log.at(-1), /pass the raw body/)
    await assert.rejects(given.countersign.webhooks.verify(body, given.headers), /pass the raw body/)
  }
})

test('handlers: store that does not wait for its act accepts nothing', async (t) => {
  const given = await signed(t)
  for (const accept of [
    async (_id, act) => { act(); return 'accepted' },
    async () => 'accepted',
  ]) {
    given.countersign.store = { remember: async (_id, _ttl, act) => { await act(); return true }, accept }
    const onVerified = () => new Promise((resolve) => { setImmediate(resolve) })
    const handle = webhookHandler(given.countersign, { ...given.options, onVerified })
    const answer = await handle({ method: 'POST', headers: given.headers, body: given.body })
    assert.deepEqual([answer.status, answer.body], [500, 'internal error'])
    assert.match(given.log.at(-1), /await it in accept/)
  }
  // Databases without promises run callbacks without promises.
  given.countersign.store = { remember: async (_id, _ttl, act) => { await act(); return true }, accept: (_id, act) => { act(); return 'accepted' } }
  const handle = webhookHandler(given.countersign, given.options)
  assert.equal((await handle({ method: 'POST', headers: given.headers, body: given.body })).status, 200)
})

test('Lambda: proven login is taken once, and its answer may be the callback’s', async (t) => {
  const { countersign } = await connect(t)
  const event = (detail) => ({
    requestContext: { http: { method: 'POST' } },
    headers: { origin: ORIGIN },
    isBase64Encoded: true,
    body: Buffer.from(JSON.stringify(detail)).toString('base64'),
  })
  const options = { origin: ORIGIN, findKey, log: () => {} }
  const plain = lambdaLogin(countersign, { ...options, onLogin: () => undefined })
  const detail = zoe.detail(zoe.proof())
  const { statusCode, body } = await plain(event(detail))
  assert.deepEqual([statusCode, body], [200, 'logged in'])
  assert.equal((await plain(event(detail))).statusCode, 403)
  assert.equal((await plain({ ...event(detail), headers: { origin: 'https://evil.example' } })).statusCode, 403)
  const other = await phone(7, { session: 'qrs_cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd' })
  const own = { statusCode: 204, headers: {}, cookies: ['session=abc'], body: '' }
  const mine = lambdaLogin(countersign, { ...options, onLogin: async ({ userId }) => userId === ZOE ? own : undefined })
  assert.equal(await mine(event(other.detail(other.proof()))), own)
})

test('origin that came twice is refused', async (t) => {
  const { post, seen } = await start(t, 'Hono')
  const detail = JSON.stringify(zoe.detail(zoe.proof()))
  const headers = new Headers([['origin', ORIGIN], ['origin', 'https://evil.example']])
  answers(await post('/login', { body: detail, headers }), 403, 'not logged in')
  assert.deepEqual(seen.logins, [])
})
