import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'

import { Webhook } from 'standardwebhooks'

import { Countersign } from '../src/index.js'
import { API_KEY, connect, eventOf, loginEventOf, problem, signingKey } from './support/stub.mjs'

const BODY = eventOf('cfm_1')
const TEN_MINUTES = 600_000

const secret = () => `whsec_${randomBytes(32).toString('base64')}`
const refused = (reason) => ({ name: 'WebhookVerificationError', reason })

/** Returns the headers of a webhook signed with a secret. */
function secretHeaders(key, { body = BODY, at = new Date() } = {}) {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(key).sign('msg_1', at, body),
  }
}

test('webhook is verified with its secret', async (t) => {
  const key = secret()
  const { countersign: { webhooks } } = await connect(t, { webhookSecret: key })
  const headers = secretHeaders(key)
  assert.equal((await webhooks.verify(BODY, headers)).phoneNumber, '+12025550100')
  assert.equal((await webhooks.verify(new TextEncoder().encode(BODY), new Headers(headers))).confirmationId, 'cfm_1')
  const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
  assert.equal((await webhooks.verify(BODY, capitals)).confirmationId, 'cfm_1')
})

test('secrets are changed without a gap', async (t) => {
  const [old, next] = [secret(), secret()]
  const { countersign: { webhooks } } = await connect(t, { webhookSecret: [old, next] })
  await webhooks.verify(BODY, secretHeaders(old))
  await webhooks.verify(BODY, secretHeaders(next))
  const both = { ...secretHeaders(old) }
  const stranger = secretHeaders(secret())['webhook-signature']
  both['webhook-signature'] = `v1,AAAA v1a,x ${stranger} ${both['webhook-signature']}`
  await webhooks.verify(BODY, both)
})

test('forged signature by a secret is refused', async (t) => {
  const key = secret()
  const signer = signingKey('first')
  const { stub, countersign: { webhooks } } = await connect(t, { webhookSecret: key })
  stub.keys.push(signer)
  const good = secretHeaders(key)
  const signature = good['webhook-signature']
  for (const [headers, reason] of [
    [{ ...good, 'webhook-id': 'msg_2' }, 'signature_wrong'],
    [{ ...good, 'webhook-timestamp': String(Number(good['webhook-timestamp']) + 1) }, 'signature_wrong'],
    [{ ...good, 'webhook-signature': signature.slice(0, -4) }, 'signature_wrong'],
    [{ ...good, 'webhook-signature': signature.replace('v1,', 'v2,') }, 'signature_wrong'],
    [{ ...good, 'webhook-signature': 'v1,' }, 'signature_wrong'],
    [{ ...good, 'webhook-signature': '' }, 'signature_missing'],
    [{ ...good, 'webhook-signature': undefined }, 'signature_missing'],
    [{ ...good, 'webhook-id': undefined }, 'signature_missing'],
    [{ ...good, 'webhook-timestamp': undefined }, 'signature_missing'],
    [secretHeaders(secret()), 'signature_wrong'],
    // The other kind of signature is not enough.
    [signer.sign(BODY), 'signature_missing'],
  ]) await assert.rejects(webhooks.verify(BODY, headers), refused(reason))
  await assert.rejects(webhooks.verify(eventOf('cfm_2'), good), refused('signature_wrong'))
  const mac = createHmac('sha256', Buffer.from(key.slice(6), 'base64')).update(`msg_1.soon.${BODY}`).digest('base64')
  const soon = { 'webhook-id': 'msg_1', 'webhook-timestamp': 'soon', 'webhook-signature': `v1,${mac}` }
  await assert.rejects(webhooks.verify(BODY, soon), refused('timestamp_out_of_range'))
})

for (const clockError of [-TEN_MINUTES, 0, TEN_MINUTES]) {
  test(`webhook's age is judged by the service's clock, with a machine's clock off by ${clockError} ms`, async (t) => {
    const key = secret()
    const { stub, countersign: { webhooks } } = await connect(t, { webhookSecret: key }, { clockError })
    const sent = (seconds) => webhooks.verify(BODY, secretHeaders(key, { at: new Date(Date.now() + seconds * 1000) }))
    await sent(0)
    await sent(-290)
    await sent(290)
    for (const seconds of [-310, 310, -clockError / 1000 || 600]) {
      await assert.rejects(sent(seconds), refused('timestamp_out_of_range'))
    }
    assert.deepEqual(stub.requests.map(({ path }) => path), ['/.well-known/jwks.json'], 'the time was asked for once')
  })
}

test('machine’s clock counts if the service cannot be asked', async (t) => {
  const key = secret()
  const { stub, countersign: { webhooks } } = await connect(t, { webhookSecret: key })
  await stub.stop()
  await webhooks.verify(BODY, secretHeaders(key))
  const old = secretHeaders(key, { at: new Date(Date.now() - TEN_MINUTES) })
  await assert.rejects(webhooks.verify(BODY, old), refused('timestamp_out_of_range'))
})

test('malformed secrets are refused immediately', () => {
  for (const webhookSecret of ['', 'whsec_', 'whsec_c2hvcnQ=', secret().slice(6), [], [secret(), 'x']]) {
    const options = { url: 'https://countersign.example', apiKey: API_KEY, webhookSecret }
    assert.throws(() => new Countersign(options), TypeError)
  }
})

test('webhook is verified by the published keys', async (t) => {
  const { stub, countersign: { webhooks } } = await connect(t)
  const key = signingKey('first')
  stub.keys.push(key)
  assert.equal((await webhooks.verify(BODY, key.sign(BODY))).confirmationId, 'cfm_1')
  const login = loginEventOf('qrs_1')
  assert.equal((await webhooks.verify(login, key.sign(login))).event, 'login.confirmed')
  for (const [headers, reason] of [
    [{}, 'signature_missing'],
    [{ ...key.sign(BODY), 'x-signature': undefined }, 'signature_missing'],
    [{ ...key.sign(BODY), 'x-signature-key-id': '' }, 'signature_missing'],
    [{ ...key.sign(BODY), 'x-signature': '!!!!' }, 'signature_wrong'],
    [{ ...key.sign(BODY), 'x-signature': 'MAA=' }, 'signature_wrong'],
    [key.sign(`${BODY}\n`), 'signature_wrong'],
    [signingKey('first').sign(BODY), 'signature_wrong'],
    [secretHeaders(secret()), 'signature_missing'],
  ]) await assert.rejects(webhooks.verify(BODY, headers), refused(reason))
})

test('signed body that is not an event has its own reason', async (t) => {
  const { stub, countersign: { webhooks } } = await connect(t)
  const key = signingKey('first')
  stub.keys.push(key)
  const odd = ['', 'null', '[]', '{}', '"text"', BODY.slice(1), BODY.replace('"valid"', '"invalid"'), '[['.repeat(9999)]
  for (const body of odd) {
    await assert.rejects(webhooks.verify(body, key.sign(body)), refused('not_an_event'))
  }
})

test('rotated key is found, and the old one stays valid', async (t) => {
  const { stub, system, countersign: { webhooks } } = await connect(t)
  const [first, second] = [signingKey('first'), signingKey('second')]
  stub.keys.push(first)
  await webhooks.verify(BODY, first.sign(BODY))
  stub.keys.push(second)
  system.advance(10_000)
  await webhooks.verify(BODY, second.sign(BODY))
  await webhooks.verify(BODY, first.sign(BODY))
  assert.equal(stub.requests.length, 2)
})

test('forged key ids cause one fetch in ten seconds', async (t) => {
  const { stub, system, countersign: { webhooks } } = await connect(t)
  const [key, stranger] = [signingKey('first'), signingKey('stranger')]
  stub.keys.push(key)
  await assert.rejects(webhooks.verify(BODY, stranger.sign(BODY)), refused('signature_wrong'))
  system.advance(9_000)
  const forged = { ...key.sign(BODY), 'x-signature-key-id': '__proto__' }
  await assert.rejects(webhooks.verify(BODY, forged), { name: 'KeysUnavailableError' })
  await webhooks.verify(BODY, key.sign(BODY))
  assert.equal(stub.requests.length, 1)
  system.advance(1_000)
  await assert.rejects(webhooks.verify(BODY, forged), refused('signature_wrong'))
  assert.equal(stub.requests.length, 2)
})

test('concurrent webhooks share one fetch', async (t) => {
  const { stub, system, countersign: { webhooks } } = await connect(t)
  const key = signingKey('first')
  stub.keys.push(key)
  await Promise.all(Array.from({ length: 16 }, () => webhooks.verify(BODY, key.sign(BODY))))
  assert.equal(stub.requests.length, 1)
  assert.equal(stub.requests[0].headers['x-api-key'], undefined)
  assert.equal(system.deadlines[0].ms, 5000)
})

test('keys are cached for as long as the service allows', async (t) => {
  for (const [headers, fresh, stale] of [
    [{}, 299, 2],
    [{ 'cache-control': 'public, max-age=60' }, 59, 2],
    [{ 'cache-control': 'max-age=0' }, 9, 2],
  ]) {
    const { stub, system, countersign: { webhooks } } = await connect(t)
    const key = signingKey('first')
    stub.keys.push(key)
    stub.keysHeaders = headers
    const fetches = async () => {
      await webhooks.verify(BODY, key.sign(BODY))
      return stub.requests.length
    }
    assert.equal(await fetches(), 1)
    system.advance(fresh * 1000)
    assert.equal(await fetches(), 1)
    system.advance(stale * 1000)
    assert.equal(await fetches(), 2)
  }
})

test('keys that cannot be fetched are told apart from forgeries', async (t) => {
  const { stub, system, countersign: { webhooks } } = await connect(t)
  const key = signingKey('first')
  for (const answer of [
    problem(503, 'service_unavailable'),
    'drop',
    { status: 301, headers: { location: '/public-key' }, body: '' },
    { status: 200, body: '<html>' },
    { status: 200, body: {} },
    { status: 200, body: { keys: 7 } },
    { status: 200, body: { keys: [{ kty: 'EC', crv: 'P-256', kid: 'first' }] } },
  ]) {
    stub.answers.push(answer)
    await assert.rejects(webhooks.verify(BODY, key.sign(BODY)), { name: 'KeysUnavailableError' })
    system.advance(10_000)
  }
  assert.equal(stub.requests.length, 7)
  assert.deepEqual(system.waits, [], 'nothing was repeated')
})

test('keys of other kinds are skipped', async (t) => {
  const { stub, system, countersign: { webhooks } } = await connect(t)
  stub.keys.push(
    { jwk: { kty: 'RSA', kid: 'rsa', n: 'AQAB', e: 'AQAB' } },
    { jwk: { kty: 'EC', crv: 'P-384', kid: 'p384', x: 'AA', y: 'AA' } },
    { jwk: { kty: 'OKP', crv: 'Ed25519', kid: 'ed', x: 'AA' } },
  )
  for (const kid of ['rsa', 'p384', 'ed']) {
    await assert.rejects(webhooks.verify(BODY, signingKey(kid).sign(BODY)), refused('signature_wrong'))
    system.advance(10_000)
  }
})
