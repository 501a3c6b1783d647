// The stores of web pages, with an IndexedDB in memory.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { IDBFactory, IDBObjectStore } from 'fake-indexeddb'

import { IndexedDbKeyStore, IndexedDbStorage } from '../dist/index.js'
import { World, failure } from './support/world.mjs'

/** Runs with an empty IndexedDB. */
function withDatabases(t) {
  globalThis.indexedDB = new IDBFactory()
  t.after(() => { delete globalThis.indexedDB })
}

/** Opens the store of pairs, as another script would. */
function pairsOf(database) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(database)
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      const store = request.result.transaction('pairs').objectStore('pairs')
      const [keys, values] = [store.getAllKeys(), store.getAll()]
      values.onsuccess = () => {
        request.result.close()
        resolve(keys.result.map((key, at) => [key, values.result[at]]))
      }
    }
  })
}

test('texts last, and of two tabs one adds', async (t) => {
  withDatabases(t)
  const [one, other] = [new IndexedDbStorage(), new IndexedDbStorage()]
  const added = await Promise.all([one.add('x', 'one'), other.add('x', 'other')])
  assert.deepEqual(added, [undefined, 'one'])
  assert.deepEqual([await other.get('x'), await one.get('y'), await one.names()], ['one', undefined, ['x']])
  await one.set('x', 'two')
  assert.equal(await other.get('x'), 'two')
  await one.remove('x')
  assert.deepEqual(await other.names(), [])
  assert.equal(await new IndexedDbStorage({ database: 'another' }).get('x'), undefined)
})

test('keys last, and scripts cannot export them', async (t) => {
  withDatabases(t)
  const world = await World.of()
  const [storage, keys] = [new IndexedDbStorage(), new IndexedDbKeyStore()]
  const ring = world.phone({ storage, keys }).keys
  const publicKey = await ring.generate('zoe')
  const later = world.phone({ storage: new IndexedDbStorage(), keys: new IndexedDbKeyStore() })
  assert.deepEqual([await later.keys.publicKey('zoe'), await later.keys.list()], [publicKey, ['zoe']])
  assert.deepEqual(await (await later.open(world.id, { user: 'zoe' })).confirm('a token'), { proven: true })
  const pairs = await pairsOf('countersign-authenticator')
  assert.deepEqual(pairs.map(([name, { privateKey }]) => [name, privateKey.extractable]), [['user:zoe', false]])
  await assert.rejects(crypto.subtle.exportKey('pkcs8', pairs[0][1].privateKey))
  assert.notEqual(await ring.generate('zoe'), publicKey)
  assert.equal((await pairsOf('countersign-authenticator')).length, 1)
  assert.equal((await failure(keys.sign('yan', new Uint8Array(1)))).code, 'unknown_key')
})

test('browser that cannot keep a key says so, and the former one stays', async (t) => {
  withDatabases(t)
  const keys = new IndexedDbKeyStore()
  const former = await keys.generate('zoe')
  const { put, get } = IDBObjectStore.prototype
  t.after(() => { Object.assign(IDBObjectStore.prototype, { put, get }) })
  const other = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])
  const open = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  for (const [what, fault] of [
    ['refuses', { put() { throw new DOMException('The object can not be cloned.', 'DataCloneError') } }],
    ['forgets', { put(value, key) { return put.call(this, key.startsWith('trial:') ? undefined : value, key) } }],
    ['swaps', { put(value, key) { return put.call(this, key.startsWith('trial:') ? other : value, key) } }],
    ['opens', { put(value, key) { return put.call(this, key.startsWith('trial:') ? open : value, key) } }],
  ]) {
    Object.assign(IDBObjectStore.prototype, { put, get }, fault)
    const error = await failure(keys.generate('zoe'))
    assert.deepEqual([error.code, error.message], ['key_store_failed', 'this browser cannot keep a key'], what)
    Object.assign(IDBObjectStore.prototype, { put, get })
    assert.deepEqual(await keys.publicKey('zoe'), former, what)
    assert.equal((await pairsOf('countersign-authenticator')).length, 1, what)
  }
})

test('page without IndexedDB fails without sending anything', async () => {
  const world = await World.of()
  const phone = world.phone({ storage: new IndexedDbStorage(), keys: new IndexedDbKeyStore() })
  assert.equal((await failure(phone.open(world.id))).code, 'storage_failed')
  assert.equal((await failure(phone.keys.generate())).code, 'key_store_failed')
  assert.deepEqual(world.calls, [])
})
