// Opening logins: what a phone accepts, refuses and reports.

import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { test } from 'node:test'

import { AuthenticatorError, MemoryStorage } from '../dist/index.js'
import { APP_KEY, CONTEXT, ORIGIN, START, World, browserKey, failure, iso } from './support/world.mjs'

test('session has what the service says', async () => {
  const world = await World.of({ context: CONTEXT })
  Object.assign(world.answer, { checkCode: '42', newMember: { of: 'a later version' } })
  const session = await world.open()
  assert.deepEqual(
    [session.id, session.appName, session.origin, session.context, session.checkCode, session.isEncrypted, session.returnUrl],
    [world.id, 'shop', ORIGIN, CONTEXT, '42', true, undefined],
  )
  assert.deepEqual(session.addresses, { ipAddressMobile: '198.51.100.9', ipAddressWidget: '203.0.113.7' })
  const { riskStatus, geoData } = session.riskAnalytics
  assert.deepEqual([riskStatus, geoData.mobile.city, geoData.browser.city], ['warn', 'Köln', undefined])
  const { title, widget, mobile, flags, attributions } = session.mobileTemplateResponse
  assert.deepEqual([title, widget.issue, mobile.issue, flags[0].severity, attributions], ['Log in to shop.example?', 'In another country.', undefined, 'warn', []])
})

test('request names app, languages and user', async () => {
  const world = await World.of()
  world.options.languages = ['de-AT', 'en']
  await world.open('zoe@example.com')
  const [{ route, headers, body }] = world.calls
  assert.deepEqual([route, body], ['initiate', '{"publicUserId":"zoe@example.com"}'])
  assert.match(headers.authorization, /^Bearer [\w-]{43}$/)
  assert.deepEqual([headers['x-app-key'], headers['accept-language'], headers['content-type']], [APP_KEY, 'de-AT, en;q=0.9', 'application/json'])
})

test('anonymous user is not named', async () => {
  for (const user of [undefined, 'ANON']) {
    const world = await World.of()
    await world.open(user)
    assert.deepEqual(world.bodies('initiate'), ['{}'])
  }
})

test('malformed arguments send nothing', async () => {
  const world = await World.of()
  const phone = world.phone()
  for (const [id, user, code] of [
    ['qrs_1', undefined, 'invalid_session_id'], [`qrs_${'AB'.repeat(16)}`, undefined, 'invalid_session_id'], [7, undefined, 'invalid_session_id'],
    [world.id, '', 'invalid_public_user_id'], [world.id, 'x'.repeat(257), 'invalid_public_user_id'], [world.id, 'z\u043ee', 'invalid_public_user_id'],
    [world.id, null, 'invalid_public_user_id'],
  ]) {
    assert.equal((await failure(phone.open(id, { user }))).code, code, `${id} ${user}`)
  }
  assert.deepEqual(world.calls, [])
})

test('phone that lost its memory is the same phone', async () => {
  const world = await World.of()
  await world.open()
  await world.open()
  assert.deepEqual(world.calls[0], world.calls[1])
  world.storage = new MemoryStorage()
  assert.equal((await failure(world.open())).code, 'blocked')
})

/** Expects the phone to show nothing, to send no payload, and to report the reason to the service. */
async function assertStops(world, reason) {
  const error = await failure(world.open())
  assert.deepEqual([error.code, error.reason, error.endsLogin], ['key_mismatch', reason, true])
  assert.deepEqual(world.routes(), ['initiate', 'deny'])
  assert.deepEqual(world.bodies('deny'), ['{"payload":"","reason":"key_mismatch"}'])
  const [opening, denial] = world.calls
  assert.equal(denial.headers.authorization, opening.headers.authorization)
  assert.equal(denial.headers['x-app-key'], undefined)
}

test('service that names another key, page or context is stopped', async () => {
  const stranger = (await browserKey()).point.toString('base64url')
  for (const change of [
    { browserPublicKey: stranger }, { browserPublicKey: 'nonsense' }, { origin: 'https://evil.example' }, { origin: 'nonsense' },
    { context: 'Pay 20 EUR to Mallory' }, { context: '' }, { context: 'Pay \u202e02 EUR' },
  ]) {
    const world = await World.of()
    Object.assign(world.answer, change)
    await assertStops(world, 'mismatch')
  }
  const world = await World.of()
  delete world.answer.browserPublicKey
  await assertStops(world, 'key_missing')
})

test('login of another app is stopped', async () => {
  const world = await World.of()
  world.options.appKey = 'cs_app_0000000000000000000002'
  await assertStops(world, 'mismatch')
})

test('mismatch counts even if the report is lost', async () => {
  const world = await World.of()
  world.answer.origin = 'https://evil.example'
  world.fates = [undefined, 'hopeless']
  assert.equal((await failure(world.open())).code, 'key_mismatch')
})

test('login without a key is taken only if the app allows it', async () => {
  const world = await World.of({ plain: true })
  assert.equal((await failure(world.open())).code, 'plain_refused')
  assert.deepEqual(world.calls, [])
  world.options.allowUnencrypted = true
  assert.equal((await world.open()).isEncrypted, false)
  for (const [change, reason] of [
    [{ browserPublicKey: (await browserKey()).point.toString('base64url') }, 'key_unexpected'], [{ context: CONTEXT }, 'context_unexpected'],
  ]) {
    const other = await World.of({ plain: true })
    other.options.allowUnencrypted = true
    Object.assign(other.answer, change)
    await assertStops(other, reason)
  }
})

test('context that the app does not show stops the login', async () => {
  const world = await World.of({ context: CONTEXT })
  world.options = {}
  assert.equal((await failure(world.open())).code, 'context_unsupported')
  assert.deepEqual(world.routes(), ['initiate'], 'nobody denied it')
})

test('session names the page to return to, and no page of another origin', async () => {
  const back = `${ORIGIN}/sign-in#countersign=x.y`
  const world = await World.of()
  world.answer.returnUrl = back
  world.options.returnsToPages = true
  assert.equal((await world.open()).returnUrl, back)
  assert.deepEqual(world.bodies('initiate'), ['{"canReturn":true}'])
  for (const returnUrl of [
    'https://evil.example/#countersign=x.y', 'javascript:alert(1)', `${ORIGIN}.evil.example/#x`, `${ORIGIN}/`, `${ORIGIN}/?to=x#x`,
    'https://u@shop.example/#x', 'https://shop.example./#x', 'http://shop.example/#x', 7,
  ]) {
    const other = await World.of()
    other.answer.returnUrl = returnUrl
    const { code, reason } = await failure(other.open())
    assert.deepEqual([code, reason], ['malformed_answer', 'not_a_login'], String(returnUrl))
  }
})

test('answers that describe no login are errors', async () => {
  const isNoLogin = async (world, hint) => {
    const { code, reason } = await failure(world.open())
    assert.deepEqual([code, reason, world.routes()], ['malformed_answer', 'not_a_login', ['initiate']], hint)
  }
  const changes = [
    (answer) => { answer.session = null },
    (answer) => { delete answer.session },
    (answer) => { answer.session.mobileTemplateResponse = null },
    (answer) => { answer.session.riskAnalytics.riskStatus = 'fine' },
    (answer) => { answer.session.riskAnalytics.geoData = null },
    (answer) => { answer.session.mobileTemplateResponse.flags[0].severity = 1 },
    (answer) => { answer.session.mobileTemplateResponse.flags = null },
    (answer) => { answer.app = 'shop' },
    (answer) => { answer.origin = 7 },
    ...['4', '424', '4x', '4\x1b', '４２', '٤٢'].map((code) => (answer) => { answer.checkCode = code }),
  ]
  for (const change of changes) {
    const world = await World.of()
    change(world.answer)
    await isNoLogin(world, change.toString())
  }
  for (const body of [[], { hello: 'world' }, 7]) {
    const world = await World.of()
    world.fates = [{ status: 200, body }]
    await isNoLogin(world)
  }
})

test('answers of others are no answers', async () => {
  for (const [fate, code, reason] of [
    [{ status: 302, body: {} }, 'network'], [{ status: 401, body: {} }, 'network'], [{ status: 404, body: '"not found"' }, 'network'],
    [{ status: 500, body: { title: 'x' } }, 'network'], [{ status: 200, body: '<html>' }, 'network'], [{ status: 0, body: '' }, 'network'],
    [{ status: 200, body: 'x'.repeat(70_000) }, 'malformed_answer', 'too_long'], ['long', 'malformed_answer', 'too_long'],
  ]) {
    const world = await World.of()
    world.fates = [fate]
    const error = await failure(world.open())
    assert.deepEqual([error.code, error.reason, world.routes()], [code, reason, ['initiate']])
  }
})

test('time that cannot be is refused', async () => {
  const day = 24 * 60 * 60 * 1000
  for (const [time, isBelieved] of [
    ['1970-01-01T00:00:00.000Z', false], ['9999-12-31T23:59:59.999Z', false], [iso(START - day), true], [iso(START - day - 1), false],
    [iso(START + day), true], [iso(START + day + 1), false], ['2026-02-30T00:00:00Z', false], ['yesterday', false],
  ]) {
    const world = await World.of()
    world.fates = [{ status: 200, body: { ...world.answer, serverTime: time, expiresAt: time } }]
    const opened = await world.open().then(() => true, ({ code }) => code)
    assert.equal(opened, isBelieved || 'malformed_answer', time)
  }
})

test('refusals have errors of their own', async () => {
  for (const [status, code, expected, ends] of [
    [410, 'session_expired', 'expired', true], [409, 'second_phone', 'blocked', true], [409, 'session_blocked', 'blocked', true],
    [409, 'session_ended', 'ended', true], [409, 'session_cancelled', 'ended', true], [404, 'session_not_found', 'not_found', true],
    [403, 'risk_denied', 'risk_denied', true], [403, 'proof_required', 'proof_required', false], [401, 'app_key_unknown', 'problem', false],
    [500, 'internal_error', 'problem', false], [400, 'constructor', 'problem', false],
  ]) {
    const world = await World.of()
    world.fates = [{ status, body: { title: 'No', detail: 'Why.', code, more: 1 } }]
    const error = await failure(world.open())
    assert.ok(error instanceof AuthenticatorError)
    assert.deepEqual([error.code, error.endsLogin, error.problem.status, error.problem.code, error.message], [expected, ends, status, code, `No. Why. (${code})`])
    assert.ok(error.userMessage.length > 0)
  }
})

test('time is the service’s and what passed since', async () => {
  const world = await World.of()
  const session = await world.open()
  assert.deepEqual([session.now.getTime(), session.timeLeft], [START, 180_000])
  world.time += 7000
  assert.deepEqual([session.now.getTime(), session.timeLeft], [START + 7000, 173_000])
  world.time += 3_600_000
  assert.equal(session.timeLeft, 0)
})

test('damaged secret is refused and stays', async () => {
  const world = await World.of()
  world.storage.set('countersign.secret', 'AAAA')
  assert.equal((await failure(world.open())).code, 'storage_failed')
  assert.equal(world.storage.get('countersign.secret'), 'AAAA')
})

test('secret of the process that saved first counts', async () => {
  const world = await World.of()
  await world.open()
  const { storage } = world
  // Another process saves between the two calls.
  world.storage = { get: (name) => (name === 'countersign.secret' ? undefined : storage.get(name)), ...Object.fromEntries(['add', 'set', 'remove', 'names'].map((name) => [name, (...words) => storage[name](...words)])) }
  await world.open()
  assert.equal(world.calls[0].headers.authorization, world.calls[1].headers.authorization)
})

test('nothing secret is shown', async () => {
  const world = await World.of()
  world.answer.returnUrl = `${ORIGIN}/#countersign=x.token`
  const session = await world.open()
  const secret = world.storage.get('countersign.secret')
  await session.confirm('a payload')
  const answered = await failure(world.open())
  assert.equal(answered.returnUrl, `${ORIGIN}/#countersign=x.token`)
  for (const value of [session, world.phone(), answered]) {
    const shown = inspect(value, { depth: 9, showHidden: false }) + JSON.stringify(value)
    for (const hidden of ['x.token', secret, 'a payload', 'Bearer']) assert.ok(!shown.includes(hidden), `${hidden} in ${shown}`)
  }
})

test('misspelt and wrong options are refused', async () => {
  const world = await World.of()
  for (const options of [
    { service: 'http://shop.example' }, { service: undefined }, { linkHost: [] }, { linkHosts: 'a.example' }, { linkHosts: ['https://a.example'] },
    { storage: {} }, { keys: {} }, { secrets: {} }, { allowUnencrypted: 'false' }, { languages: ['de_AT'] }, { languages: Array(10).fill('de') },
    { retries: { delays: [-1] } }, { retries: { delays: [], timeout: 0 } },
  ]) {
    assert.throws(() => world.phone(options), TypeError, JSON.stringify(options))
  }
  assert.throws(() => world.phone({ appKey: 'cs_app_1' }), { code: 'invalid_app_key' })
})
