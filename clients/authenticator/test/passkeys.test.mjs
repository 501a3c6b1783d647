// Passkeys: made, tried, kept, and signing proofs.

import assert from 'node:assert/strict'
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto'
import { test } from 'node:test'

import { MemoryKeyStore, MemoryStorage, PasskeyStore } from '../dist/index.js'
import { identifyChallenge, registrationChallenge } from '../dist/webauthn.js'
import { APP_KEY, CONTEXT, World, failure } from './support/world.mjs'
import { Passkeys } from './support/passkeys.mjs'

const SCOPE = { rpId: 'login.shop.example', origin: 'https://login.shop.example' }
const WISH = { appName: 'Shop', userName: 'Zoe', userHandle: randomBytes(32).toString('base64url'), excludeCredentials: [] }
const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts.map((part) => Buffer.from(part)))).digest()

class Software extends MemoryKeyStore {
  removed = []

  remove(name) {
    this.removed.push(name)
  }
}

function setUp() {
  const passkeys = new Passkeys(SCOPE.origin)
  const [storage, software] = [new MemoryStorage(), new Software()]
  const later = () => new PasskeyStore({ scope: SCOPE, storage, software, ...passkeys.options })
  return { passkeys, software, storage, store: later(), later }
}

/** A phone whose user has a passkey, with a login. */
async function prove(change = () => {}) {
  const own = setUp()
  await own.store.keep('zoe', await own.store.makePasskey(WISH))
  const world = await World.of({ context: CONTEXT })
  const phone = world.phone({ keys: own.store })
  const session = await phone.open(world.id, { user: 'zoe' })
  await change({ ...own, world, phone })
  return { ...own, world, phone, session }
}

test('passkey signs the claims of today under a header of its own', async () => {
  const { passkeys, phone, session, world } = await prove()
  assert.deepEqual(await session.confirm('token'), { proven: true })
  const { proof } = JSON.parse(world.decision.body)
  const [head, claims, data, client, signature, ...rest] = proof.split('.')
  assert.equal(rest.length, 0)
  const header = Buffer.from(head, 'base64url').toString()
  assert.equal(header, `{"alg":"WebAuthn-ES256","kid":"${await phone.keys.keyId('zoe')}","typ":"countersign-login+webauthn"}`)
  const { app, jti, sub } = JSON.parse(Buffer.from(claims, 'base64url'))
  assert.deepEqual([app, jti, sub], [APP_KEY, world.id, 'zoe'])
  const said = JSON.parse(Buffer.from(client, 'base64url'))
  assert.equal(said.challenge, sha256('countersign/webauthn/1\0', `${head}.${claims}`).toString('base64url'))
  const key = createPublicKey({ key: Buffer.from(await phone.keys.publicKey('zoe'), 'base64'), format: 'der', type: 'spki' })
  const signed = Buffer.concat([Buffer.from(data, 'base64url'), sha256(Buffer.from(client, 'base64url'))])
  assert.ok(verify('sha256', signed, key, Buffer.from(signature, 'base64url')))
  const { rpId, userVerification, allowCredentials } = passkeys.asked.at(-1)
  assert.deepEqual([rpId, userVerification, allowCredentials.length], [SCOPE.rpId, 'required', 1])
})

test('passkey is discoverable, verified, of P-256, and new for each registration', async () => {
  const { passkeys, store } = setUp()
  const made = await store.makePasskey(WISH)
  const { rp, pubKeyCredParams, authenticatorSelection: selection, attestation, user } = passkeys.asked[0]
  assert.deepEqual(rp, { id: SCOPE.rpId, name: 'Shop' })
  assert.deepEqual(pubKeyCredParams, [{ type: 'public-key', alg: -7 }])
  assert.deepEqual([selection.residentKey, selection.requireResidentKey, selection.userVerification, selection.authenticatorAttachment], ['required', true, 'required', 'platform'])
  assert.deepEqual([attestation, Buffer.from(user.id).toString('base64url')], ['none', WISH.userHandle])
  assert.deepEqual(await store.list(), [], 'a passkey that nobody tried belongs to no user')
  const again = await failure(store.makePasskey({ ...WISH, excludeCredentials: [made.credentialId] }))
  assert.equal(again.code, 'passkey_exists')
})

test('error that is faster than a person is the browser’s, a later one the user’s', async () => {
  for (const [error, thinks, code] of [
    ['NotAllowedError', 5, 'passkey_unavailable'],
    ['NotAllowedError', 2_000, 'user_authentication_required'],
    ['NotSupportedError', 2_000, 'passkey_unavailable'],
    ['SecurityError', 5, 'passkey_unavailable'],
    ['AbortError', 2_000, 'cancelled'],
  ]) {
    const { passkeys, session, world } = await prove()
    Object.assign(passkeys, { error, thinks })
    assert.equal((await failure(session.confirm('token'))).code, code, error)
    assert.equal(world.decision, undefined, 'nothing was sent')
    // The user tries again.
    assert.deepEqual(await session.confirm('token'), { proven: true })
  }
})

test('assertion that verifiers would refuse is not sent', async () => {
  for (const change of [
    { flags: 0x19 }, { flags: 0x1c }, { flags: 0x15 }, { flags: 0x5d },
    { clientData: { crossOrigin: true } }, { clientData: { topOrigin: 'https://evil.example' } }, { clientData: { origin: 'https://evil.example' } },
    { clientData: { type: 'webauthn.create' } }, { clientData: { challenge: 'AAAA' } },
  ]) {
    const { passkeys, session, world } = await prove()
    Object.assign(passkeys, change)
    assert.equal((await failure(session.confirm('token'))).code, 'key_store_failed', JSON.stringify(change))
    assert.equal(world.decision, undefined)
  }
  const { passkeys, session } = await prove()
  Object.assign(passkeys, { flags: 0x05, clientData: { other_keys_can_be_added_here: 'do not compare clientDataJSON against a template' } })
  assert.deepEqual(await session.confirm('token'), { proven: true })
})

test('passkey signs nothing but challenges', async () => {
  const { phone } = await prove()
  assert.equal((await failure(phone.keys.sign('zoe', 'data'))).code, 'key_store_failed')
  assert.equal((await failure(phone.keys.registration('zoe'))).code, 'key_store_failed')
})

test('keys outlive the page, replace each other and can be forgotten', async () => {
  const { later, software, store } = setUp()
  await store.generate('zoe')
  const { name } = await store.key('zoe')
  const [world, yan] = [await World.of(), 'yän/../\u4e2d']
  await store.keep(yan, await store.makePasskey(WISH))
  const { keys } = world.phone({ keys: later() })
  assert.deepEqual(await keys.list(), [yan, 'zoe'].sort())
  assert.equal((await keys.registration('zoe')).publicKey, await keys.publicKey('zoe'))
  await store.keep('zoe', await store.makePasskey(WISH))
  assert.deepEqual(software.removed, [name])
  await store.forget('zoe')
  assert.deepEqual(await later().list(), [yan])
})

test('passkey that the service does not know is reported to browsers that can forget it', async () => {
  const { passkeys, store } = setUp()
  const { credentialId } = await store.makePasskey(WISH)
  await store.forgetUnknown(credentialId)
  assert.deepEqual(passkeys.unknown, [{ rpId: SCOPE.rpId, credentialId }])
  const parts = { scope: SCOPE, storage: new MemoryStorage(), software: new Software(), credentials: passkeys }
  await new PasskeyStore(parts).forgetUnknown(credentialId)
  await new PasskeyStore({ ...parts, signalUnknown: async () => { throw new Error('no') } }).forgetUnknown(credentialId)
  assert.equal(passkeys.unknown.length, 1)
})

test('signature with surplus bytes is written as DER', async () => {
  const { passkeys, store } = setUp()
  const { credentialId } = await store.makePasskey(WISH)
  const { get } = passkeys
  let exact
  passkeys.get = async function (options) {
    const made = await get.call(this, options)
    exact = Buffer.from(made.response.signature)
    const first = exact[3]
    const body = Buffer.concat([
      Buffer.from([2, first + 1, 0]), exact.subarray(4, 4 + first), Buffer.from([2, exact[5 + first] + 2, 0, 0]), exact.subarray(6 + first),
    ])
    made.response.signature = new Uint8Array(Buffer.concat([Buffer.from([0x30, 0x81, body.length]), body])).buffer
    return made
  }
  const { signature } = await store.assertWith(credentialId, randomBytes(32))
  assert.deepEqual(Buffer.from(signature), exact)
})

test('passkey of an unknown user is found by asking for any', async () => {
  const { passkeys, store } = setUp()
  await store.makePasskey(WISH)
  await store.assertWith(undefined, await identifyChallenge(APP_KEY, 1_767_323_045_678))
  assert.deepEqual(passkeys.asked.at(-1).allowCredentials, [])
  const challenge = Buffer.from(passkeys.asked.at(-1).challenge)
  assert.deepEqual(challenge, sha256(`countersign/webauthn-identify/1\0${APP_KEY}\x001767323045678`))
})

test('registration’s challenge names registration, app and user', async () => {
  const challenge = await registrationChallenge('phr_0', APP_KEY, 'zoe')
  assert.deepEqual(Buffer.from(challenge), sha256(`countersign/webauthn-registration/1\0phr_0\0${APP_KEY}\0zoe`))
})
