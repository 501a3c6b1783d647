// Association keys.

import assert from 'node:assert/strict'
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { test } from 'node:test'

import { AuthenticatorError, MemoryKeyStore, MemoryStorage, inOneProcess } from '../dist/index.js'
import { APP_KEY, World, failure } from './support/world.mjs'

const isBy = (publicKey, data, signature) => {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
  return verify('sha256', Buffer.from(data), key, Buffer.from(signature, 'base64'))
}

test('users have keys of their own, which last', async () => {
  const world = await World.of()
  const { keys } = world.phone()
  assert.deepEqual(await keys.list(), [])
  const [zoe, anon] = [await keys.generate('zoe@example.com'), await keys.generate()]
  assert.notEqual(zoe, anon)
  const { keys: later } = world.phone()
  assert.deepEqual([await later.publicKey('zoe@example.com'), await later.publicKey(), await later.list()], [zoe, anon, ['ANON', 'zoe@example.com']])
  assert.equal((await failure(keys.publicKey('yan'))).code, 'unknown_key')
  const { x, y } = createPublicKey({ key: Buffer.from(zoe, 'base64'), format: 'der', type: 'spki' }).export({ format: 'jwk' })
  const thumbprint = createHash('sha256').update(`{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`).digest('base64url')
  assert.equal(await keys.keyId('zoe@example.com'), thumbprint)
  assert.notEqual(await keys.generate('zoe@example.com'), zoe)
})

test('private keys cannot be exported', async () => {
  const store = new MemoryKeyStore()
  await store.generate('zoe')
  assert.ok(!('pairs' in store) && !JSON.stringify(store).includes('d'))
})

test('data is signed, and what could be a proof is not', async () => {
  const world = await World.of()
  const { keys } = world.phone()
  const publicKey = await keys.generate('zoe')
  assert.ok(isBy(publicKey, 'a challenge: ü', await keys.sign('zoe', 'a challenge: ü')))
  const header = Buffer.from('{"alg":"ES256","typ":"countersign-login+jwt"}').toString('base64url')
  assert.equal((await failure(keys.sign('zoe', `${header}.e30`))).code, 'reserved_data')
  assert.equal((await failure(keys.sign('yan', `${header}.e30`))).code, 'reserved_data')
  assert.equal((await failure(keys.sign('yan', 'x'))).code, 'unknown_key')
  assert.equal((await failure(keys.sign('', 'x'))).code, 'invalid_public_user_id')
  assert.ok(await failure(keys.sign('zoe', 'x\udc00')) instanceof TypeError)
})

test('registration is signed for its app and user', async () => {
  const world = await World.of()
  const { keys } = world.phone()
  const key = await keys.generate('zoe')
  const { publicUserId, publicKey, signature } = await keys.registration('zoe')
  assert.deepEqual([publicUserId, publicKey], ['zoe', key])
  assert.ok(isBy(publicKey, `countersign-association-key/1\n${APP_KEY}\nzoe`, signature))
  assert.equal((await failure(keys.registration('yan'))).code, 'unknown_key')
})

test('store that lies is noticed, and its errors say nothing', async () => {
  const world = await World.of()
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const der = publicKey.export({ format: 'der', type: 'spki' })
  const good = { generate: () => der, publicKey: () => new Uint8Array(der), list: () => ['zoe'], sign: (_user, data) => sign('sha256', data, privateKey) }
  const off = new Uint8Array(der)
  off[90] ^= 1
  const compressed = new Uint8Array(der)
  compressed[26] = 2
  const unlock = new AuthenticatorError('user_authentication_required', 'unlock')
  world.keys = good
  assert.ok(isBy(der.toString('base64'), 'x', await world.phone().keys.sign('zoe', 'x')))
  for (const [change, code] of [
    [{ publicKey: () => 'text' }, 'key_store_failed'], [{ publicKey: () => off }, 'key_store_failed'], [{ publicKey: () => compressed }, 'key_store_failed'],
    [{ publicKey: () => der.subarray(1) }, 'key_store_failed'], [{ publicKey: () => { throw new Error('secret') } }, 'key_store_failed'],
    [{ sign: (_user, data) => sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' }) }, 'key_store_failed'],
    [{ sign: () => sign('sha256', Buffer.from('y'), privateKey) }, 'key_store_failed'], [{ sign: () => undefined }, 'key_store_failed'],
    [{ sign: () => { throw unlock } }, 'user_authentication_required'],
  ]) {
    world.keys = { ...good, ...change }
    const error = await failure(world.phone().keys.sign('zoe', 'x'))
    assert.equal(error.code, code, String(Object.values(change)))
    assert.ok(!error.message.includes('secret'))
  }
  const answers = new MemoryStorage()
  world.storage = answers
  world.keys = { ...good, sign: () => { throw unlock } }
  const session = await world.open('zoe')
  assert.equal((await failure(session.confirm('a token'))).code, 'user_authentication_required')
  world.keys = good
  assert.deepEqual(world.routes(), ['initiate'])
})

test('signatures of every length are read', async () => {
  const { fromDer, toDer } = await import('../dist/signature.js')
  const filled = (head, fill) => Uint8Array.of(...head, ...Array(32 - head.length).fill(fill))
  for (const r of [filled([], 1), filled([0, 0], 7), filled([0, 200], 1), filled([200], 200), new Uint8Array(32)]) {
    const signature = Uint8Array.of(...r, ...filled([0, 0, 0, 255], 3))
    assert.deepEqual(fromDer(toDer(signature)), signature)
  }
  const der = toDer(Uint8Array.of(...filled([], 1), ...filled([], 2)))
  for (const wrong of [
    der.subarray(1), Uint8Array.of(...der, 0), Uint8Array.of(0x30, der[1] + 1, 2, 33, 0, ...der.subarray(4)), Uint8Array.of(0x30, 6, 2, 1, 1, 2, 2, 1),
    Uint8Array.of(0x30, 6, 2, 2, 1, 1, 2, 0), new Uint8Array(72),
  ]) {
    assert.equal(fromDer(wrong), undefined, Buffer.from(wrong).toString('hex'))
  }
})

test('storage without `add` gets one, for one process', async () => {
  const texts = new Map()
  const later = () => new Promise((resolve) => { setImmediate(resolve) })
  const storage = inOneProcess({
    get: async (name) => { await later(); return texts.get(name) },
    set: async (name, text) => { await later(); texts.set(name, text) },
    remove: async (name) => { texts.delete(name) },
    names: async () => [...texts.keys()],
  })
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map((text) => storage.add('x', text))), [undefined, 'a', 'a'])
  await storage.set('x', 'd')
  assert.deepEqual([await storage.get('x'), await storage.names()], ['d', ['x']])
  await storage.remove('x')
  assert.equal(await storage.get('x'), undefined)
})
