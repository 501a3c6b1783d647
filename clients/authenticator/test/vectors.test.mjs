// The vectors that the other implementations share: shared/proof (ids, proofs, registrations, reserved data), the phones of
// the server libraries, and cases of the mobile SDK's core.

import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { MemoryStorage } from '../dist/index.js'
import { readOpened } from '../dist/answer.js'
import { readPoint, sealedId } from '../dist/identity.js'
import { KeyRing } from '../dist/keys.js'
import { isReserved } from '../dist/reserved.js'
import { fromDer, readPublicKey, registrationText } from '../dist/signature.js'
import { isContext } from '../dist/text.js'
import { identifyChallenge, isAssertion, registrationChallenge } from '../dist/webauthn.js'
import { APP_KEY, World, failure } from './support/world.mjs'

const vectors = (path) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'))

const PKCS8_HEAD = '3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420'

/** A store with one key, of these bytes. */
function storeOf(privateKey, user) {
  const der = Buffer.concat([Buffer.from(PKCS8_HEAD, 'hex'), Buffer.from(privateKey, 'base64url')])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return { generate: () => spki, publicKey: (name) => (name === user ? new Uint8Array(spki) : undefined), list: () => [user], sign: (_user, data) => sign('sha256', data, key) }
}

test('ids', async () => {
  const all = vectors('shared/proof/vectors/ids.json').filter(({ browserPublicKey }) => browserPublicKey)
  assert.ok(all.length >= 3)
  for (const { appKey, browserPublicKey, context, origin, sessionId } of all) {
    assert.equal(await sealedId(appKey, origin, context, readPoint(browserPublicKey)), sessionId)
  }
})

test('proofs', async () => {
  const all = vectors('shared/proof/vectors/proofs.json')
  assert.ok(all.length >= 3)
  for (const { appKey, at, context, keyId, origin, payload, privateKey, proof, publicKey, publicUserId, salt, sessionId } of all) {
    const ring = new KeyRing(storeOf(privateKey, publicUserId ?? 'ANON'), appKey)
    assert.deepEqual([await ring.keyId(publicUserId ?? 'ANON'), await ring.publicKey(publicUserId ?? 'ANON')], [keyId, publicKey])
    const facts = { appKey, origin, sessionId, user: publicUserId ?? undefined, context: context ?? undefined, payload, salt: Buffer.from(salt, 'base64url'), at }
    const own = await ring.prove(facts)
    // Signatures are random here, and derived from the data there.
    assert.equal(own.slice(0, own.lastIndexOf('.')), proof.slice(0, proof.lastIndexOf('.')))
  }
})

test('registrations', async () => {
  const all = vectors('shared/proof/vectors/registrations.json')
  assert.ok(all.length >= 3)
  for (const { appKey, privateKey, publicKey, publicUserId, signature, text } of all) {
    const ring = new KeyRing(storeOf(privateKey, publicUserId), appKey)
    const own = await ring.registration(publicUserId)
    assert.deepEqual([registrationText(appKey, publicUserId), own.publicKey], [text, publicKey])
    assert.equal(fromDer(Buffer.from(signature, 'base64')).length, 64)
  }
})

test('reserved data', () => {
  const all = vectors('shared/proof/vectors/reserved.json')
  assert.equal(all.filter(({ reserved }) => reserved).length, 12)
  for (const { data, reserved } of all) assert.equal(isReserved(data), reserved, data)
})

test('header of a proof is reserved, however it is spelled', () => {
  const json = '{"alg":"ES256","typ":"countersign-login+jwt"}'
  for (let at = 1; at < json.length; at += 1) {
    const parts = [json.slice(0, at), json.slice(at)].map((part) => Buffer.from(part).toString('base64'))
    assert.ok(isReserved(`${parts.join('')}.e30`), `split at ${at}`)
  }
  for (const encoding of ['utf8', 'utf16le']) assert.ok(isReserved(`${Buffer.from(`\ufeff${json}`, encoding).toString('base64url')}.e30`))
})

// Reasons of the test phones that the SDK has under another name.
const CODES = {
  link_malformed: ['invalid_link'], link_insecure: ['invalid_link', 'wrong_scheme'], session_id_missing: ['invalid_link', 'session_id_missing'],
  session_id_malformed: ['invalid_link', 'session_id_malformed'], plain_refused: ['plain_refused'], key_missing: ['key_mismatch', 'key_missing'],
  key_unexpected: ['key_mismatch', 'key_unexpected'], context_unexpected: ['key_mismatch', 'context_unexpected'],
  context_malformed: ['key_mismatch', 'mismatch'], key_mismatch: ['key_mismatch', 'mismatch'], answer_malformed: ['malformed_answer', 'not_a_login'],
}

/** The SDK takes the first id, as its specification says. Test phones are stricter, because only our own links are their input. */
const STRICTER = ['two ids', 'the same id twice']

for (const { name, link, allowPlain = false, answer, reason, reports } of vectors('clients/vectors.json').phones) {
  if (STRICTER.includes(name)) continue
  test(`phone: ${name}`, async () => {
    const world = await World.of()
    const seen = []
    const http = async ({ url, body }) => {
      seen.push([url.split('/').at(-1), body])
      return { status: 200, retryAfter: undefined, body: JSON.stringify(url.endsWith('initiate') ? answer : true) }
    }
    const now = () => Date.parse(answer?.serverTime ?? '2026-01-02T03:04:05Z')
    const linkHosts = ['login.shop.example', 'localhost:8787', '127.0.0.1:8787', '[::1]:8787']
    const phone = world.phone({ http, now, linkHosts, allowUnencrypted: allowPlain })
    const opened = await (async () => phone.open(phone.sessionId(link)))().catch((error) => error)
    if (reason === null) {
      assert.deepEqual([opened.origin, opened.context ?? null, opened.checkCode ?? null], [answer.origin, answer.context ?? null, answer.checkCode ?? null])
    } else {
      const [code, detail = opened.reason] = CODES[reason]
      assert.deepEqual([opened.code, opened.reason], [code, detail], String(opened))
    }
    const report = ['deny', '{"payload":"","reason":"key_mismatch"}']
    assert.deepEqual(seen.slice(answer ? 1 : 0), reports ? [report] : [])
  })
}

const sdk = vectors('clients/authenticator/test/vectors.json')

for (const { link, id, reason } of sdk.links) {
  test(`link: ${link.slice(0, 80)}`, async () => {
    const phone = (await World.of()).phone({ linkHosts: sdk.linkHosts })
    if (id) assert.equal(phone.sessionId(link), id)
    else assert.throws(() => phone.sessionId(link), { code: 'invalid_link', reason })
  })
}

test('tokens', async () => {
  for (const { secret, service, appKey, id, token } of sdk.tokens) {
    const world = await World.of()
    const storage = new MemoryStorage()
    storage.set('countersign.secret', secret)
    const seen = []
    const http = async ({ headers }) => {
      seen.push(headers.authorization)
      return { status: 404, retryAfter: undefined, body: '{"code":"session_not_found","title":"No"}' }
    }
    await failure(world.phone({ storage, http, service, appKey }).open(id))
    assert.deepEqual(seen, [`Bearer ${token}`])
  }
})

test('texts', async () => {
  for (const { text, isShown } of sdk.contexts) assert.equal(isContext(text), isShown, JSON.stringify(text))
  const { isUserId } = await import('../dist/text.js')
  for (const { text, isUser } of sdk.users) assert.equal(isUserId(text), isUser, JSON.stringify(text))
})

test('service addresses', async () => {
  const { normalServiceUrl } = await import('../dist/origin.js')
  for (const { text, url } of sdk.services) assert.equal(normalServiceUrl(text) ?? null, url, text)
})

test('origins', async () => {
  for (const { text, origin } of sdk.origins) {
    const { normalOrigin } = await import('../dist/origin.js')
    assert.equal(normalOrigin(text) ?? null, origin, text)
  }
})

test('answer is checked against the phone’s own app key', async () => {
  const { answer } = vectors('clients/vectors.json').phones[0]
  const id = 'qrs_cdbc7818772a635a958b512d854cb055'
  assert.equal((await readOpened(answer, id, APP_KEY)).origin, answer.origin)
  assert.equal((await failure(readOpened(answer, id, 'cs_app_0000000000000000000002'))).code, 'key_mismatch')
})

/** A store whose passkey returns what a vector's authenticator did. */
function passkeyOf({ authenticatorData, challenge, clientDataJSON, linkOrigin, publicKey, rpId, signature }, user) {
  const bytes = (text) => new Uint8Array(Buffer.from(text, 'base64url'))
  return {
    generate: () => bytes(publicKey),
    publicKey: (name) => (name === user ? bytes(publicKey) : undefined),
    list: () => [user],
    sign: () => assert.fail('a passkey signs no bytes'),
    passkey: () => ({ rpId, origin: linkOrigin }),
    assert: (_user, asked) => {
      assert.equal(Buffer.from(asked).toString('base64url'), challenge)
      return { authenticatorData: bytes(authenticatorData), clientDataJSON: bytes(clientDataJSON), signature: bytes(signature) }
    },
  }
}

test('proofs of passkeys', async () => {
  const all = vectors('shared/proof/vectors/passkey_proofs.json')
  assert.ok(all.length >= 3)
  for (const vector of all) {
    const { appKey, at, context, origin, payload, proof, publicUserId, salt, sessionId } = vector
    const ring = new KeyRing(passkeyOf(vector, publicUserId ?? 'ANON'), appKey)
    const facts = { appKey, origin, sessionId, user: publicUserId ?? undefined, context: context ?? undefined, payload, salt: Buffer.from(salt, 'base64url'), at }
    assert.equal(await ring.prove(facts), proof)
    const other = { ...vector, linkOrigin: 'https://login.evil.example' }
    assert.equal((await failure(new KeyRing(passkeyOf(other, publicUserId ?? 'ANON'), appKey).prove(facts))).code, 'key_store_failed')
  }
})

test('passkeys that are registered, or identified', async () => {
  const bytes = (text) => new Uint8Array(Buffer.from(text, 'base64url'))
  for (const [name, challengeOf] of [
    ['passkey_registrations', ({ appKey, publicUserId, registrationId }) => registrationChallenge(registrationId, appKey, publicUserId)],
    ['passkey_identifications', ({ appKey, at }) => identifyChallenge(appKey, at)],
  ]) {
    const all = vectors(`shared/proof/vectors/${name}.json`)
    assert.ok(all.length >= 3)
    for (const vector of all) {
      const challenge = await challengeOf(vector)
      assert.equal(Buffer.from(challenge).toString('base64url'), vector.challenge)
      const key = await readPublicKey(bytes(vector.publicKey))
      const [authenticatorData, clientDataJSON, signature] = [vector.authenticatorData, vector.clientDataJSON, vector.signature].map(bytes)
      const assertion = { authenticatorData, clientDataJSON, signature }
      const scope = { rpId: vector.rpId, origin: vector.linkOrigin }
      assert.ok(await isAssertion(assertion, { challenge, scope, key }), name)
      assert.ok(!await isAssertion(assertion, { challenge, scope: { ...scope, rpId: 'shop.example' }, key }), name)
    }
  }
})
