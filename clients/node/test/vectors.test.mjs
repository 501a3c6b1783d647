// Behaviour that this library shares with the other languages' libraries: clients/vectors.json.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { assemble } from '../src/countersign.js'
import { Clock } from '../src/clock.js'
import { loginHandler, webhookHandler } from '../src/handlers/index.js'
import { login as expressLogin } from '../src/express.js'
import { webhook as lambdaWebhook } from '../src/lambda.js'
import { baseUrl } from '../src/service-url.js'
import { API_KEY, connect } from './support/stub.mjs'
import { fakeSystem } from './support/system.mjs'

const VECTORS = JSON.parse(readFileSync(new URL('../../vectors.json', import.meta.url), 'utf8'))
const URL_OF_THE_SERVICE = 'https://countersign.example'

/** Converts options to this language: times in milliseconds, and null as undefined or unchanged. */
function optionsOf(set, nothing) {
  const inMilliseconds = 'timeout' in set && set.timeout !== null ? { timeout: set.timeout * 1000 } : {}
  const given = Object.entries({ ...set, ...inMilliseconds })
  return Object.fromEntries(given.map(([name, value]) => [name, value === null ? nothing : value]))
}

const clientOf = (set, nothing) => (
  assemble({ url: URL_OF_THE_SERVICE, apiKey: API_KEY, ...optionsOf(set, nothing) }, fakeSystem())
)

test('options are refused immediately, or taken', () => {
  for (const { name, set, ok } of VECTORS.options) {
    for (const nothing of [undefined, null]) {
      if (ok) clientOf(set, nothing)
      else assert.throws(() => clientOf(set, nothing), TypeError, name)
    }
  }
})

test('no error about an option quotes a secret', () => {
  for (const { name, set, ok } of VECTORS.options) {
    if (ok) continue
    const texts = Object.values(set).flat().filter((value) => typeof value === 'string' && value.length > 9)
    assert.throws(() => clientOf(set), ({ message }) => !texts.some((text) => message.includes(text.trim())), name)
  }
})

test('URLs are refused, or taken', () => {
  for (const { url, becomes, becomesUnencrypted } of VECTORS.urls) {
    for (const [unencrypted, expected] of [[false, becomes], [true, becomesUnencrypted]]) {
      if (expected) assert.equal(baseUrl(url, unencrypted), expected)
      else assert.throws(() => baseUrl(url, unencrypted), TypeError, url)
    }
  }
})

test('handlers are mounted, or refused immediately', () => {
  const callback = () => undefined
  for (const { name, handler, client, set, ok } of VECTORS.mounts) {
    for (const nothing of [undefined, null]) {
      const defaults = handler === 'webhook' ? { onVerified: callback }
        : { origin: 'https://shop.example', findKey: callback, onLogin: callback }
      const given = Object.entries({ ...defaults, ...optionsOf(set, nothing) }).filter(([, value]) => value !== 'absent')
      const options = Object.fromEntries(given.map(([key, value]) => [key, value === 'callback' ? callback : value]))
      const countersign = clientOf(client)
      const mount = () => handler === 'webhook' ? webhookHandler(countersign, options) : expressLogin(countersign, options)
      if (ok) mount()
      else assert.throws(mount, Error, name)
    }
  }
  for (const none of [undefined, null, {}, 'client']) {
    assert.throws(() => webhookHandler(none, { onVerified: callback }), TypeError)
    assert.throws(() => loginHandler(none, { origin: 'https://shop.example', findKey: callback }), TypeError)
  }
})

const ID = 'cfm_1'
const CALLS = {
  acquire: ({ confirmations }, options) => confirmations.acquire({}, options),
  acquireWithClient: ({ confirmations }, options) => confirmations.acquire({ clientChannel: true }, options),
  confirm: ({ confirmations }, options) => confirmations.confirm({ phoneNumber: '+12025550100' }, options),
  get: ({ confirmations }, options) => confirmations.get(ID, options),
  redeliver: ({ confirmations }, options) => confirmations.redeliver(ID, options),
  page: ({ confirmations }, options) => confirmations.page({}, options),
  pageLogins: ({ logins }, options) => logins.page({}, options),
  createLogin: ({ logins }, options) => logins.create({ browserToken: 'token', origin: 'https://shop.example' }, options),
  cancelLogin: ({ logins }, options) => logins.cancel('qrs_1', options),
  registerKey: ({ associationKeys }, options) => associationKeys.register({ publicUserId: 'zoe', publicKey: 'MFkw' }, options),
  listKeys: ({ associationKeys }, options) => associationKeys.list({ publicUserId: 'zoe' }, options),
  revokeKey: ({ associationKeys }, options) => associationKeys.revoke('k1', options),
  createPhoneRegistration: ({ phoneRegistrations }, options) => phoneRegistrations.create({ publicUserId: 'zoe' }, options),
  getPhoneRegistration: ({ phoneRegistrations }, options) => phoneRegistrations.get('phr_1', options),
  cancelPhoneRegistration: ({ phoneRegistrations }, options) => phoneRegistrations.cancel('phr_1', options),
}

/** Converts an answer to the stub's format. */
function stubbed(answer) {
  if (answer === 'drop') return answer
  const { status, headers, body, text = status === 204 ? '' : body } = answer
  const given = Object.fromEntries(headers)
  return { status, headers: given, body: text, dateless: given.date === undefined }
}

for (const { name, call, options = {}, answers, requests, waits, error, ok } of VECTORS.answers) {
  test(`answers: ${name}`, async (t) => {
    for (const perCall of [false, true]) {
      const own = optionsOf(options)
      const { stub, system, countersign } = await connect(t, perCall ? {} : own)
      stub.answers.push(...answers.map(stubbed))
      const result = await CALLS[call](countersign, perCall ? own : undefined).catch((thrown) => thrown)
      if (error) {
        const { type, ...facts } = error
        assert.equal(result.name, type === 'problem' ? 'ProblemError' : 'ConnectionError', String(result))
        for (const [member, value] of Object.entries(facts)) assert.equal(result[member], value, member)
        assert.equal(result.retryAfter, error.retryAfter)
      } else {
        if (result instanceof Error) throw result
        for (const [member, value] of Object.entries(ok)) assert.equal(result[member], value ?? undefined)
      }
      assert.equal(stub.requests.length, requests)
      assert.deepEqual(system.waits.map((ms) => ms / 1000), waits)
    }
  })
}

/** Returns a client of a service that has the time of the vectors. */
async function connectThen(t, options) {
  const { stub, ...others } = await connect(t, options)
  stub.keysHeaders = { date: VECTORS.date }
  return { stub, ...others }
}

test('webhooks are judged by their secret', async (t) => {
  for (const { name, secrets, headers, body, reason, ...ids } of VECTORS.webhooks) {
    const { countersign: { webhooks } } = await connectThen(t, { webhookSecret: secrets })
    const verified = await webhooks.verify(body, headers).catch((thrown) => thrown)
    const [[member, expected]] = reason ? [['reason', reason]] : Object.entries(ids)
    assert.equal(verified[member], expected, `${name}: ${verified}`)
  }
})

for (const { name, steps } of VECTORS.keySets.sequences) {
  test(`published keys: ${name}`, async (t) => {
    const { stub, system, countersign: { webhooks } } = await connect(t, { webhookKeys: 'published' })
    for (const [number, { advance, jwks, headers, expect, fetches }] of steps.entries()) {
      system.advance(advance * 1000)
      stub.answers.splice(0, Infinity, ...(jwks ? [stubbed(jwks)] : []))
      const verified = await webhooks.verify(VECTORS.keySets.body, headers).catch((thrown) => thrown)
      const outcome = verified.confirmationId ? 'accepted'
        : verified.name === 'KeysUnavailableError' ? 'unavailable' : verified.reason
      assert.equal(outcome, expect, `step ${number}: ${verified}`)
      if (fetches !== undefined) assert.equal(stub.requests.length, fetches, `fetches in step ${number}`)
    }
  })
}

test('the time is learned', () => {
  for (const { name, headers, body, time } of VECTORS.clocks) {
    const clock = new Clock(fakeSystem())
    clock.learn(new Headers(headers), body)
    assert.equal(clock.known, time !== null, name)
    if (time !== null) assert.ok(Math.abs(clock.now() / 1000 - time) < 0.5, name)
  }
})

for (const { name, event, status, text, multiValueHeaders } of VECTORS.lambda.events) {
  test(`Lambda: ${name}`, async (t) => {
    const { countersign } = await connectThen(t, { webhookSecret: VECTORS.lambda.secret })
    await countersign.store.remember(VECTORS.lambda.confirmationId, 60, () => {})
    const handle = lambdaWebhook(countersign, { onVerified: () => {}, log: () => {} })
    const answer = await handle(event)
    assert.deepEqual([answer.statusCode, answer.body], [status, text])
    assert.equal(answer.headers['cache-control'], 'no-store')
    if (multiValueHeaders) assert.deepEqual(answer.multiValueHeaders['cache-control'], ['no-store'])
  })
}
