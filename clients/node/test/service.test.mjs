// The library with the real server.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'

import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'

import { Countersign } from '../src/index.js'
import { assemble } from '../src/countersign.js'
import { serviceTest, startWithReceiver as start } from './support/server.mjs'
import { fakeSystem } from './support/system.mjs'

const NUMBER = '+12025550100'
const OTHER = '+12025550111'
const ZOE = 'zoe@example.com'
const TEN_MINUTES = 600_000

/** Waits until a webhook's delivery has been recorded. */
async function delivered(countersign, id) {
  for (;;) {
    const confirmation = await countersign.confirmations.get(id)
    if (confirmation.delivery?.status === 'delivered') return confirmation
  }
}

serviceTest('acquired number arrives as a webhook, once', async (t) => {
  const { server, countersign, seen, callbackUrl, nextAnswer } = await start(t)
  const started = await countersign.confirmations.acquire({ callbackUrl, metadata: { order: 'é & <17>' } })
  assert.ok(started.expiresIn > 290 && started.expiresIn <= 300)
  await server.text(started, NUMBER)
  assert.equal(await nextAnswer(), '200 accepted')
  assert.equal(seen.verified[0].phoneNumber, NUMBER)
  assert.deepEqual(seen.verified[0].metadata, { order: 'é & <17>' })

  await delivered(countersign, started.confirmationId)
  const again = await countersign.confirmations.redeliver(started.confirmationId)
  assert.equal(again.status, 'verified')
  assert.equal(await nextAnswer(), '200 already accepted')
  assert.equal(seen.verified.length, 1)

  await delivered(countersign, started.confirmationId)
  const redacted = await countersign.confirmations.redact(started.confirmationId)
  assert.ok(redacted.redactedAt)
  assert.equal(redacted.phoneNumber, undefined)
  const refused = { name: 'ProblemError', status: 409 }
  await assert.rejects(countersign.confirmations.redeliver(started.confirmationId), refused)
})

serviceTest('known number is confirmed by a text from it alone', async (t) => {
  const { server, countersign, callbackUrl, nextAnswer } = await start(t)
  const started = await countersign.confirmations.confirm({ phoneNumber: '+1 202 555-0111', callbackUrl })
  await server.text(started, NUMBER)
  const missed = await countersign.confirmations.get(started.confirmationId)
  assert.deepEqual([missed.status, missed.lastMiss.reason], ['open', 'wrong_sender'])
  await server.text(started, OTHER)
  assert.equal(await nextAnswer(), '200 accepted')
  await assert.rejects(countersign.confirmations.cancel(started.confirmationId), { code: 'confirmation_verified' })
})

serviceTest('number of a test is found in the record that onStarted wrote', async (t) => {
  const optionsOf = async ({ command }) => (
    { apiKey: JSON.parse(await command('key', 'issue', 'demo', '--test', '--json')).apiKey }
  )
  const { countersign, seen, callbackUrl, nextAnswer } = await start(t, { optionsOf })
  const records = new Map()
  const started = await countersign.confirmations.confirm({
    phoneNumber: '(500) 555-0001',
    country: 'US',
    callbackUrl,
    onStarted: ({ confirmationId, phoneNumber }) => records.set(confirmationId, phoneNumber),
  })
  // The webhook is sent once, after the answer, and contains the number of the record.
  assert.equal(await nextAnswer(), '200 accepted')
  const [{ confirmationId, phoneNumber }] = seen.verified
  assert.deepEqual([...records], [[confirmationId, phoneNumber]])
  assert.equal(started.phoneNumber, phoneNumber)
  assert.equal((await delivered(countersign, confirmationId)).delivery.attempts.length, 1)
})

serviceTest('idempotency key starts one confirmation', async (t) => {
  const { countersign, callbackUrl } = await start(t)
  const [first, second] = [
    await countersign.confirmations.acquire({ callbackUrl, idempotencyKey: 'one' }),
    await countersign.confirmations.acquire({ callbackUrl, idempotencyKey: 'one' }),
  ]
  assert.equal(first.confirmationId, second.confirmationId)
  assert.equal((await countersign.confirmations.cancel(first.confirmationId)).status, 'cancelled')
})

serviceTest('confirmations are listed by status', async (t) => {
  const { countersign, callbackUrl } = await start(t)
  const started = []
  for (let i = 0; i < 4; i++) started.push((await countersign.confirmations.acquire({ callbackUrl })).confirmationId)
  await countersign.confirmations.cancel(started.pop())
  const listed = []
  const open = countersign.confirmations.list({ status: 'open', limit: 1 })
  for await (const { confirmationId } of open) listed.push(confirmationId)
  // Confirmations of the same millisecond have no defined order.
  assert.deepEqual(listed.sort(), started.sort())
})

serviceTest('problems of the service are typed', async (t) => {
  const { countersign, server: { demo } } = await start(t)
  const request = { phoneNumber: '0151 23456', callbackUrl: 'http://127.0.0.1:1/' }
  await assert.rejects(countersign.confirmations.confirm(request), {
    name: 'ProblemError',
    status: 422,
    code: 'phone_number_not_international',
    field: '/phoneNumber',
  })
  await assert.rejects(countersign.confirmations.get('cfm_00000000000000000000000000000000'), { status: 404 })
  const stranger = new Countersign({ url: demo.url, apiKey: 'cs_live_wrong' })
  await assert.rejects(stranger.confirmations.acquire(), { status: 401, code: 'api_key_malformed' })
})

serviceTest('test webhook is genuine but unknown', async (t) => {
  const { server, callbackUrl, nextAnswer } = await start(t)
  const [, answer] = await Promise.all([
    server.command('webhook', 'test', '--app', 'demo', '--url', callbackUrl).catch(() => {}),
    nextAnswer(),
  ])
  assert.equal(answer, '404 unknown confirmation')
})

serviceTest('rotated signing key is found', async (t) => {
  const { server, countersign, callbackUrl, nextAnswer } = await start(t, { optionsOf: () => ({ keyRefetchSeconds: 0 }) })
  for (const [rotate, number] of [[false, NUMBER], [true, OTHER]]) {
    if (rotate) await server.command('signing-key', 'rotate')
    await server.text(await countersign.confirmations.acquire({ callbackUrl }), number)
    assert.equal(await nextAnswer(), '200 accepted')
  }
})

/** Returns the secrets that sign the app's webhooks, after changing them. */
async function secrets({ command }, ...change) {
  return JSON.parse(await command('app', 'webhook-secret', 'demo', ...change, '--json')).webhookSecrets
}

serviceTest('webhook is verified with its secret while the secret is changed', async (t) => {
  const optionsOf = async (server) => ({ webhookSecret: await secrets(server) })
  const { server, countersign, callbackUrl, nextAnswer } = await start(t, { optionsOf })
  for (const [change, answer] of [
    [[], '200 accepted'],
    [['--rotate'], '200 accepted'],
    [['--retire'], '403 signature refused'],
  ]) {
    await secrets(server, ...change)
    await server.text(await countersign.confirmations.acquire({ callbackUrl }), NUMBER)
    assert.equal(await nextAnswer(), answer)
  }
})

for (const clockError of [-TEN_MINUTES, TEN_MINUTES]) {
  serviceTest(`webhook is verified with a machine's clock off by ${clockError} ms`, async (t) => {
    const optionsOf = async (server) => ({ webhookSecret: await secrets(server) })
    const system = fakeSystem({ clockError })
    const { server, countersign, callbackUrl, nextAnswer } = await start(t, { optionsOf, system })
    await server.text(await countersign.confirmations.acquire({ callbackUrl }), NUMBER)
    assert.equal(await nextAnswer(), '200 accepted')
  })
}

/** A browser's key pair, with which it opens payloads that were encrypted for it. */
async function browser() {
  const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })
  const { publicKey, privateKey } = await suite.kem.generateKeyPair()
  const framed = (text) => {
    const bytes = Buffer.from(text)
    return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
  }
  return {
    token: randomBytes(32).toString('base64url'),
    browserPublicKey: Buffer.from(await suite.kem.serializePublicKey(publicKey)).toString('base64url'),
    async open(sealed, sessionId, origin) {
      const bytes = Buffer.from(sealed, 'base64url')
      const info = Buffer.concat(['countersign/qr/2', sessionId, origin].map(framed))
      const enc = bytes.subarray(0, 65)
      const recipient = await suite.createRecipientContext({ recipientKey: privateKey, enc, info })
      return JSON.parse(Buffer.from(await recipient.open(bytes.subarray(65))).toString())
    },
  }
}

/** Opens a login, lets the phone confirm it, and returns what the browser receives. */
async function logIn({ server, countersign, context }) {
  const origin = server.demo.url
  const { token, browserPublicKey, open } = await browser()
  const opened = await countersign.logins.create({ browserToken: token, origin, browserPublicKey, context })
  await server.phone('open', opened.url, '--confirm', '--payload', 'a token', '--public-user-id', ZOE)
  const answer = await fetch(`${origin}/qr-sessions/${opened.sessionId}/redeem`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ receipt: randomBytes(16).toString('base64url') }),
  })
  const { payload, proof } = await answer.json()
  return { sessionId: opened.sessionId, proof, ...await open(payload, opened.sessionId, origin) }
}

serviceTest('login is verified from its creation to its proof', async (t) => {
  const { server, countersign, seen, callbackUrl, nextAnswer } = await start(t)
  await server.command('app', 'update', 'demo', '--login-callback', callbackUrl)
  const { appKey, url: origin } = server.demo
  const create = ['keys', 'create', '--public-user-id', ZOE, '--app-key', appKey]
  const { publicKey, keyId, signature } = await server.phone(...create)
  assert.equal((await countersign.associationKeys.register({ publicUserId: ZOE, publicKey, signature })).keyId, keyId)
  assert.equal((await countersign.associationKeys.list({ publicUserId: ZOE }))[0].keyId, keyId)

  const context = 'Pay 20 EUR to Zoë'
  const findKey = (id) => id === keyId ? { publicKey, userId: ZOE } : null
  const detail = await logIn({ server, countersign, context })
  assert.equal(detail.payload, 'a token')
  assert.deepEqual(await countersign.logins.verify(detail, { origin, findKey, context }), { userId: ZOE, keyId })
  await assert.rejects(countersign.logins.verify(detail, { origin, findKey }), { name: 'LoginVerificationError' })
  const login = await countersign.logins.get(detail.sessionId)
  assert.deepEqual([login.state, login.verifiedPublicUserId, login.context], ['consumed', ZOE, context])
  assert.equal(await nextAnswer(), '200 accepted')
  assert.equal(seen.logins[0].event, 'login.confirmed')

  for (const clockError of [-TEN_MINUTES, TEN_MINUTES]) {
    const wrong = assemble({ url: origin, apiKey: server.demo.apiKey, appKey }, fakeSystem({ clockError }))
    assert.equal((await wrong.logins.verify(detail, { origin, findKey, context })).userId, ZOE)
  }

  await countersign.associationKeys.revoke(keyId)
  assert.deepEqual(await countersign.associationKeys.list({ publicUserId: ZOE }), [])
})

serviceTest('login can be cancelled', async (t) => {
  const { server, countersign } = await start(t)
  const { token, browserPublicKey } = await browser()
  const request = { browserToken: token, origin: server.demo.url, browserPublicKey }
  const { sessionId } = await countersign.logins.create(request)
  assert.equal((await countersign.logins.create(request)).sessionId, sessionId)
  assert.equal(await countersign.logins.cancel(sessionId), undefined)
  assert.equal((await countersign.logins.get(sessionId)).state, 'cancelled')
})
