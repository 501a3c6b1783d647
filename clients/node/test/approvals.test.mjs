import assert from 'node:assert/strict'
import { test } from 'node:test'

import { sqlStore } from '../examples/sql-store.mjs'
import { webhookHandler } from '../src/handlers/index.js'
import { approvalId, approvalToken, pageToken, sessionIdOf } from '../src/login-ids.js'
import { loginWebhookId } from '../src/store.js'
import { openSqlite } from './support/databases.mjs'
import { ORIGIN, ZOE, finder, phone } from './support/phone.mjs'
import { API_KEY, APP_KEY, connect, loginEventOf, signingKey } from './support/stub.mjs'

const CONTEXT = 'Pay 20 EUR to Zoë'
const request = { origin: ORIGIN, context: CONTEXT, userId: ZOE }
const silent = () => {}

/** The service's answer to a server that opens a login. */
function opened(change = {}) {
  return ({ text }) => {
    const { browserPublicKey, origin, context } = JSON.parse(text)
    const point = Buffer.from(browserPublicKey, 'base64url')
    const sessionId = sessionIdOf({ appKey: APP_KEY, origin, context, browserPublicKey: point })
    const body = {
      sessionId,
      url: `https://login.shop.example?sessionId=${sessionId}`,
      expiresAt: '2026-01-02T03:05:05.000Z',
      expiresIn: 60,
      serverTime: new Date().toISOString(),
      socketUrl: 'wss://countersign.example/socket',
      ...change,
    }
    return { status: 200, body }
  }
}

/** Starts an approval, and returns the answer of `GET` to its server. */
async function started(t, options) {
  const connected = await connect(t, options)
  const { stub, countersign } = connected
  stub.answers.push(opened())
  const approval = await countersign.approvals.start(request)
  const { browserPublicKey, origin, context, publicUserId } = JSON.parse(stub.requests.at(-1).text)
  const inspected = (state, more = {}) => ({
    status: 200,
    body: {
      sessionId: approval.id, state, origin, context, browserPublicKey, expectedPublicUserId: publicUserId,
      checkCodeRequired: false, expiresIn: 60, serverTime: new Date().toISOString(), ...more,
    },
  })
  const zoe = await phone(7, { session: approval.id, context: CONTEXT })
  const confirmed = () => inspected('confirmed', { proof: zoe.proof(), confirmedAt: new Date().toISOString() })
  return { ...connected, approval, inspected, confirmed, zoe, findKey: finder([[zoe, ZOE]]) }
}

test('start sends what the user approves, and keeps the token that redeems', async (t) => {
  const { stub, countersign } = await connect(t)
  stub.answers.push(opened({ checkCodeRequired: true }))
  const { id, session, expiresIn, expiresAt } = await countersign.approvals.start({ ...request, context: 'Pay 20 EUR to Zoe\u0308' })
  const [{ method, path, headers, text }] = stub.requests
  const { browserPublicKey, ...body } = JSON.parse(text)
  assert.deepEqual([method, path, headers['x-api-key']], ['POST', '/qr-sessions', API_KEY])
  assert.deepEqual(body, { origin: ORIGIN, context: CONTEXT, publicUserId: ZOE })
  const browserToken = approvalToken(API_KEY, Buffer.from(browserPublicKey, 'base64url'))
  assert.equal(headers.authorization, `Bearer ${browserToken}`)
  assert.deepEqual([expiresIn, expiresAt, session.token], [60, session.expiresAt, pageToken(browserToken)])
  assert.deepEqual(Object.keys(session).sort(), [
    'checkCodeRequired', 'expiresAt', 'expiresIn', 'serverTime', 'sessionId', 'socketUrl', 'token', 'url',
  ])
  assert.equal(session.sessionId, id)
  // It is sent to a page.
  assert.ok(!JSON.stringify(session).includes(browserToken))
})

test('each approval has its own key, and a lost answer is asked for with the same one', async (t) => {
  const { stub, countersign } = await connect(t)
  stub.answers.push('drop', opened(), opened())
  const first = await countersign.approvals.start(request)
  const second = await countersign.approvals.start(request)
  assert.notEqual(first.id, second.id)
  assert.equal(stub.requests[0].text, stub.requests[1].text)
})

test('answers of another login are refused, and nothing is remembered', async (t) => {
  const other = 'qrs_00000000000000000000000000000000'
  for (const change of [
    { sessionId: other }, { sessionId: other, url: `https://login.shop.example?sessionId=${other}` }, { sessionId: undefined },
    { url: 'https://evil.example' }, { url: undefined }, { socketUrl: undefined }, { expiresIn: '60' }, { expiresAt: 7 }, { serverTime: undefined },
  ]) {
    const remembered = []
    const store = { remember: async (id) => { remembered.push(id) }, accept: async () => 'unknown' }
    const { stub, countersign } = await connect(t, { store })
    stub.answers.push(opened(change))
    const onStarted = () => assert.fail('a wrong answer was shown')
    await assert.rejects(countersign.approvals.start({ ...request, onStarted }), { name: 'ConnectionError' }, JSON.stringify(change))
    assert.deepEqual(remembered, [])
  }
})

test('wrong arguments are refused before anything is sent', async (t) => {
  const { stub, countersign } = await connect(t)
  for (const change of [
    { origin: undefined }, { origin: 'https://shop.example/' }, { context: undefined }, { context: '' }, { context: null },
    { context: 7 }, { userId: undefined }, { userId: '' }, { userId: 17 }, { user: ZOE }, { onStarted: 'later' },
  ]) {
    await assert.rejects(countersign.approvals.start({ ...request, ...change }), TypeError, JSON.stringify(change))
  }
  for (const how of [{ findKeys: silent }, { findKey: undefined }, { findKey: {} }, { onResult: null }, { log: 'console' }, null]) {
    await assert.rejects(countersign.approvals.result('qrs_1', how), TypeError, JSON.stringify(how))
  }
  await assert.rejects(countersign.approvals.result(''), TypeError)
  const keyless = await connect(t, { appKey: undefined })
  await assert.rejects(keyless.countersign.approvals.start(request), { message: /set appKey/ })
  await assert.rejects(keyless.countersign.approvals.result('qrs_1'), { message: /set appKey/ })
  assert.deepEqual([stub.requests, keyless.stub.requests], [[], []])
})

test('record is written before the call returns, or nothing is remembered', async (t) => {
  const { stub, countersign } = await connect(t)
  stub.answers.push(opened())
  const records = []
  const { id, session } = await countersign.approvals.start({ ...request, onStarted: (approval) => { records.push(approval) } })
  assert.deepEqual(records, [{ id, session, expiresIn: 60, expiresAt: session.expiresAt }])

  stub.answers.push(opened())
  const ids = []
  const onStarted = ({ id: failed }) => {
    ids.push(failed)
    throw new Error('the database is away')
  }
  await assert.rejects(countersign.approvals.start({ ...request, onStarted }), /database is away/)
  assert.equal(await countersign.store.accept(approvalId(ids[0], ZOE), silent), 'unknown')
})

test('decision stays to be had while onResult fails', async (t) => {
  const { stub, countersign, approval, confirmed, findKey, zoe } = await started(t)
  stub.answers.push(confirmed(), confirmed(), confirmed())
  const onResult = () => { throw new Error('the database is away') }
  await assert.rejects(countersign.approvals.result(approval.id, { findKey, onResult }), /database is away/)
  const decision = { id: approval.id, status: 'approved', userId: ZOE, keyId: zoe.keyId, context: CONTEXT, origin: ORIGIN }
  assert.deepEqual(await countersign.approvals.result(approval.id, { findKey }), decision)
  assert.deepEqual(await countersign.approvals.result(approval.id, { findKey }), { id: approval.id, status: 'already_reported' })
})

test('record and decision are written in the store’s transaction, or not at all', async (t) => {
  const { transaction, effects } = await openSqlite()
  const insert = (text) => (connection) => connection.query('INSERT INTO effects VALUES ($1)', [text])
  const { stub, countersign, approval, inspected } = await started(t, { store: sqlStore(transaction) })
  stub.answers.push(opened())
  const onStarted = async ({ id }, connection) => {
    await insert(id)(connection)
    throw new Error('trouble')
  }
  await assert.rejects(countersign.approvals.start({ ...request, onStarted }), /trouble/)
  assert.deepEqual(effects(), [])
  stub.answers.push(...Array.from({ length: 3 }, () => inspected('denied')))
  const result = (fails) => countersign.approvals.result(approval.id, {
    async onResult({ status }, connection) {
      await insert(status)(connection)
      if (fails) throw new Error('trouble')
    },
  })
  await assert.rejects(result(true), /trouble/)
  assert.deepEqual(effects(), [])
  assert.equal((await result(false)).status, 'denied')
  assert.equal((await result(false)).status, 'already_reported')
  assert.deepEqual(effects(), ['denied'])
})

test('concurrent calls act once', async (t) => {
  const { stub, countersign, approval, confirmed, findKey } = await started(t)
  stub.answers.push(...Array.from({ length: 5 }, confirmed))
  let acts = 0
  const onResult = async () => { acts += 1 }
  const calls = Array.from({ length: 5 }, () => countersign.approvals.result(approval.id, { findKey, onResult }))
  const statuses = (await Promise.all(calls)).map(({ status }) => status).sort()
  assert.deepEqual([acts, statuses], [1, [...Array(4).fill('already_reported'), 'approved']])
})

test('log says why a confirmation is not verified, and the result does not', async (t) => {
  const { stub, countersign, approval, confirmed } = await started(t)
  stub.answers.push(confirmed())
  const lines = []
  const decision = await countersign.approvals.result(approval.id, { findKey: silent, log: (line) => lines.push(line) })
  assert.deepEqual(decision, { id: approval.id, status: 'denied', reason: 'unverified' })
  assert.match(lines.join(), /the key is unknown/)
})

test('faults of findKey and of the keys are no decision', async (t) => {
  const { stub, countersign, approval, confirmed, findKey } = await started(t)
  stub.answers.push(confirmed(), confirmed(), { status: 500, body: {} }, { status: 500, body: {} }, { status: 500, body: {} }, confirmed())
  await assert.rejects(countersign.approvals.result(approval.id, { findKey: () => ({ publicKey: 'AAAA', userId: ZOE }) }), { name: 'CountersignError' })
  await assert.rejects(countersign.approvals.result(approval.id), { name: 'ProblemError', status: 500 })
  assert.equal((await countersign.approvals.result(approval.id, { findKey })).status, 'approved')
})

test('service that does not say enough decides nothing', async (t) => {
  const { stub, countersign, approval, confirmed, findKey, zoe } = await started(t)
  const silentAboutDigits = confirmed()
  delete silentAboutDigits.body.checkCodeRequired
  stub.answers.push(silentAboutDigits, confirmed(), { status: 200, body: { keys: [{ keyId: zoe.keyId }] } }, confirmed())
  await assert.rejects(countersign.approvals.result(approval.id, { findKey }), { name: 'ConnectionError', message: /checkCodeRequired/ })
  await assert.rejects(countersign.approvals.result(approval.id), { name: 'ConnectionError', message: /publicKey/ })
  assert.equal((await countersign.approvals.result(approval.id, { findKey })).status, 'approved')
})

test('webhooks of logins and of approvals find their callbacks', async (t) => {
  const { stub, countersign, approval, confirmed, findKey } = await started(t, { webhookKeys: 'published' })
  const key = signingKey('k1')
  stub.keys = [key]
  await countersign.store.remember(loginWebhookId('qrs_1'), 60, silent)
  const seen = []
  const handle = webhookHandler(countersign, {
    onLogin: ({ sessionId }) => { seen.push(['login', sessionId]) },
    onApproval: ({ id, status }) => { seen.push(['approval', id, status]) },
    findKey,
    log: silent,
  })
  const post = async (sessionId, ...answers) => {
    // The key set is fetched first.
    if (seen.length === 0) stub.answers.push({ status: 200, body: { keys: [key.jwk] } })
    stub.answers.push(...answers)
    const body = loginEventOf(sessionId)
    return (await handle({ method: 'POST', headers: key.sign(body), body })).body
  }
  assert.equal(await post('qrs_1'), 'accepted')
  assert.equal(await post(approval.id, confirmed()), 'accepted')
  assert.equal(await post(approval.id, confirmed()), 'already accepted')
  assert.deepEqual(seen, [['login', 'qrs_1'], ['approval', approval.id, 'approved']])
  stub.answers.push(confirmed())
  assert.equal((await countersign.approvals.result(approval.id, { findKey })).status, 'already_reported')
})

test('handlers of approvals are mounted only with what they need', async (t) => {
  const { countersign } = await connect(t)
  for (const options of [{ onApproval: 'x' }, { onApproval: undefined }, { onVerified: silent, findKey: silent }, { findKey: silent }, { onApproved: silent }]) {
    assert.throws(() => webhookHandler(countersign, options), TypeError, JSON.stringify(options))
  }
  webhookHandler(countersign, { onApproval: silent, findKey: silent })
  const keyless = await connect(t, { appKey: undefined })
  assert.throws(() => webhookHandler(keyless.countersign, { onApproval: silent }), { message: /set appKey/ })
})
