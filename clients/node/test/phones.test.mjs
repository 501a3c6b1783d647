// The test phone, with a stub of the service. test/shop.test.mjs uses it with the real service.

import assert from 'node:assert/strict'
import { createVerify, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { inspect } from 'node:util'

import { PhoneRefusedError, TestPhone, startTestLogin } from '../src/testing.js'
import { ORIGIN, ZOE } from './support/phone.mjs'
import { APP_KEY, connect, problem } from './support/stub.mjs'

const { phones } = JSON.parse(readFileSync(new URL('../../vectors.json', import.meta.url), 'utf8'))
const TEST_KEY = 'cs_test_secret'
const LINK = 'https://login.shop.example?sessionId='
const GRANTED = { status: 200, body: 'true' }

async function phoneOf(t, options = {}) {
  const { stub, countersign } = await connect(t, { apiKey: TEST_KEY })
  return { stub, countersign, phone: new TestPhone(countersign, { userId: ZOE, ...options }) }
}

for (const { name, link, allowPlain = false, answer, reason, reports } of phones) {
  test(`phone: ${name}`, async (t) => {
    const { stub, phone } = await phoneOf(t, { allowUnencrypted: allowPlain })
    if (answer) stub.answers.push({ status: 200, body: answer })
    if (reports) stub.answers.push(GRANTED)
    const opened = await phone.open(link).catch((thrown) => thrown)
    if (reason === null) {
      assert.deepEqual([opened.origin, opened.context, opened.checkCode], [answer.origin, answer.context ?? null, answer.checkCode ?? null])
    } else {
      assert.ok(opened instanceof PhoneRefusedError, String(opened))
      assert.equal(opened.reason, reason)
    }
    assert.equal(stub.requests.length, (answer ? 1 : 0) + (reports ? 1 : 0))
    if (!reports) return
    const [{ headers: opening }, { path, headers, text }] = stub.requests
    assert.match(path, /\/deny$/)
    assert.deepEqual(JSON.parse(text), { payload: '', reason: 'key_mismatch' })
    assert.deepEqual([headers.authorization, headers['x-api-key']], [opening.authorization, undefined])
  })
}

test('phone opens with the test key, and decides with its own token only', async (t) => {
  const { stub, phone } = await phoneOf(t)
  const { link, answer } = phones[0]
  for (const [as, body] of [[undefined, { publicUserId: ZOE }], ['yan', { publicUserId: 'yan' }], [null, {}]]) {
    stub.answers.push({ status: 200, body: answer }, GRANTED)
    const opened = await phone.open(link, as === undefined ? {} : { as })
    await opened.deny('not me')
    const [opening, denial] = stub.requests.splice(0)
    assert.deepEqual(JSON.parse(opening.text), body)
    assert.deepEqual([opening.headers['x-api-key'], opening.headers['x-app-key']], [TEST_KEY, undefined])
    assert.match(opening.headers.authorization, /^Bearer [\w-]{43}$/)
    assert.deepEqual([denial.headers.authorization, denial.headers['x-api-key']], [opening.headers.authorization, undefined])
    assert.deepEqual(JSON.parse(denial.text), { payload: 'not me' })
  }
})

test('confirmation has a proof by the phone’s key, or by the other one', async (t) => {
  const { stub, countersign, phone } = await phoneOf(t)
  const other = new TestPhone(countersign, { userId: 'mallory' })
  const { link, answer } = phones[0]
  const table = new Map([phone, other].map(({ keyId, publicKey }) => [keyId, { publicKey, userId: ZOE }]))
  const expected = { origin: ORIGIN, context: answer.context, findKey: (keyId) => table.get(keyId) }
  for (const [how, keyId] of [[{}, phone.keyId], [{ signWith: other }, other.keyId]]) {
    stub.answers.push({ status: 200, body: { ...answer, serverTime: new Date().toISOString() } }, GRANTED)
    const detail = await (await phone.open(link)).confirm('a token', how)
    assert.deepEqual(await countersign.logins.verify(detail, expected), { userId: ZOE, keyId })
    const { payload, encrypted, proof } = JSON.parse(stub.requests.at(-1).text)
    assert.deepEqual([encrypted, proof], [true, detail.proof])
    assert.ok(!payload.includes('token') && payload.length > 100)
  }
})

test('misspelt and wrong options are refused, since a test would pass with them', async (t) => {
  const { stub, phone } = await phoneOf(t)
  const { link, answer } = phones[0]
  for (const options of [{ user: 'yan' }, { as: '' }, { as: 7 }]) await assert.rejects(phone.open(link, options), TypeError)
  assert.equal(stub.requests.length, 0)
  stub.answers.push({ status: 200, body: answer })
  const opened = await phone.open(link)
  for (const payload of [7, null]) await assert.rejects(opened.confirm(payload), TypeError)
  await assert.rejects(opened.confirm('x'.repeat(9000)), { name: 'CountersignError', message: 'the payload is too long' })
  for (const how of [{ signwith: phone }, { signWith: undefined }, { signWith: null }, { signWith: {} }, { signWith: phone.keyId }]) {
    await assert.rejects(opened.confirm('', how), TypeError)
  }
  assert.equal(stub.requests.length, 1)
})

test('browser without a key gets payload and salt as they are', async (t) => {
  const { stub, phone } = await phoneOf(t, { allowUnencrypted: true })
  const { link, answer } = phones.find(({ allowPlain, reason }) => allowPlain && reason === null)
  stub.answers.push({ status: 200, body: answer }, GRANTED)
  const { payload, salt, proof } = await (await phone.open(link)).confirm('a token')
  assert.deepEqual(JSON.parse(stub.requests.at(-1).text), { payload, salt, proof })
})

test('late confirmation comes after the test has expired', async (t) => {
  const { stub, phone } = await phoneOf(t)
  stub.answers.push({ status: 200, body: phones[0].answer }, { status: 204, body: '' }, problem(410, 'session_expired'))
  const opened = await phone.open(phones[0].link)
  await assert.rejects(opened.confirmLate('a token'), { name: 'ProblemError', status: 410 })
  assert.deepEqual(stub.requests.map(({ path, headers }) => [path.split('/').at(-1), headers['x-api-key']]), [
    ['initiate', TEST_KEY], ['expire', TEST_KEY], ['confirm', undefined],
  ])
})

test('registration is signed', async (t) => {
  const { stub, phone } = await phoneOf(t)
  stub.answers.push({ status: 200, body: { keyId: phone.keyId } })
  await phone.register()
  const { publicUserId, publicKey, signature } = JSON.parse(stub.requests[0].text)
  assert.deepEqual([publicUserId, publicKey], [ZOE, phone.publicKey])
  const lines = `countersign-association-key/1\n${APP_KEY}\n${ZOE}`
  const pem = `-----BEGIN PUBLIC KEY-----\n${publicKey}\n-----END PUBLIC KEY-----`
  assert.ok(createVerify('sha256').update(lines).verify(pem, signature, 'base64'))
  assert.ok(!verify('sha256', Buffer.from(`${lines}\n`), pem, Buffer.from(signature, 'base64')))
})

test('each test login has its own key and token', async (t) => {
  const { stub, countersign } = await phoneOf(t)
  for (const sessionId of ['qrs_1', 'qrs_2']) {
    stub.answers.push({ status: 200, body: { sessionId, url: LINK + sessionId } })
    assert.equal((await startTestLogin(countersign, { origin: ORIGIN })).url, LINK + sessionId)
  }
  const [first, second] = stub.requests.map(({ text, headers }) => [JSON.parse(text).browserPublicKey, headers.authorization])
  assert.notEqual(first[0], second[0])
  assert.notEqual(first[1], second[1])
  assert.match(first[0], /^B[\w-]{86}$/)
})

test('phone needs a client with a test key and an app key', async (t) => {
  const { countersign } = await connect(t)
  assert.throws(() => new TestPhone(countersign, { userId: ZOE }), /test key/)
  const keyless = await connect(t, { apiKey: TEST_KEY, appKey: undefined })
  assert.throws(() => new TestPhone(keyless.countersign, { userId: ZOE }), /set appKey/)
  const good = (await phoneOf(t)).countersign
  for (const options of [undefined, {}, { userId: '' }, { userId: 7 }, { userId: undefined }, { user: ZOE }, { userId: ZOE, allowUnencrypted: 'false' }]) {
    assert.throws(() => new TestPhone(good, options), TypeError, JSON.stringify(options))
  }
  for (const none of [undefined, null, {}, 'client']) assert.throws(() => new TestPhone(none, { userId: ZOE }), TypeError)
})

test('neither a client nor a phone shows its secrets', async (t) => {
  const { countersign, phone } = await phoneOf(t)
  for (const shown of [countersign, phone].flatMap((value) => [inspect(value, { depth: 9, showHidden: true }), JSON.stringify(value)])) {
    assert.doesNotMatch(shown, /cs_test_secret|PRIVATE/)
  }
})
