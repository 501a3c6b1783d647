// Stores of web pages and web views: IndexedDB, which keeps keys that scripts cannot export.

import { toHex, utf8 } from './bytes.ts'
import { randomBytes } from './digest.ts'
import { AuthenticatorError } from './errors.ts'
import { exportPublic, generatePair, signDer } from './pairs.ts'
import type { KeyStore, Storage } from './ports.ts'
import { ECDSA, isValid } from './signature.ts'

const TEXTS = 'texts'
const PAIRS = 'pairs'
/** The key of an unchecked pair begins so. Users' keys begin with `user:`. */
const TRIAL = 'trial:'
const USER = 'user:'

/** A name of a database that no other page of the origin uses. */
export interface IndexedDbOptions {
  database?: string
}

/** A database that is opened with its first use. */
class Database {
  #name
  #opening: Promise<IDBDatabase> | undefined

  constructor({ database = 'countersign-authenticator' }: IndexedDbOptions = {}) {
    this.#name = database
  }

  /** Runs one transaction, and returns the result of its request once the transaction is durable. */
  async run<T>(store: string, mode: IDBTransactionMode, work: (store: IDBObjectStore, done: (value: T) => void) => void): Promise<T> {
    const database = await this.#open()
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(store, mode, { durability: 'strict' })
      let result: { value: T } | undefined
      transaction.oncomplete = () => result ? resolve(result.value) : reject(new Error('the transaction has no result'))
      transaction.onabort = () => reject(transaction.error ?? new Error('the transaction was aborted'))
      work(transaction.objectStore(store), (value) => { result = { value } })
    })
  }

  #open(): Promise<IDBDatabase> {
    this.#opening ??= this.#connect().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  #connect(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
      const request = indexedDB.open(this.#name, 1)
      request.onupgradeneeded = () => {
        for (const store of [TEXTS, PAIRS]) request.result.createObjectStore(store)
      }
      request.onerror = () => reject(request.error)
      request.onsuccess = () => {
        const close = () => { this.#opening = undefined }
        request.result.onclose = close
        request.result.onversionchange = () => {
          request.result.close()
          close()
        }
        resolve(request.result)
      }
    })
  }
}

/** Calls back with a request's result. Its failure aborts the transaction. */
function then<T>(request: IDBRequest<T>, next: (value: T) => void): void {
  request.onsuccess = () => next(request.result)
}

/** Texts in IndexedDB, shared by all tabs of the origin. */
export class IndexedDbStorage implements Storage {
  #database

  constructor(options?: IndexedDbOptions) {
    this.#database = new Database(options)
  }

  get(name: string): Promise<string | undefined> {
    return this.#database.run(TEXTS, 'readonly', (store, done) => then(store.get(name), done))
  }

  add(name: string, text: string): Promise<string | undefined> {
    return this.#database.run(TEXTS, 'readwrite', (store, done) => then<string | undefined>(store.get(name), (former) => {
      done(former)
      if (former === undefined) store.put(text, name)
    }))
  }

  set(name: string, text: string): Promise<void> {
    return this.#database.run(TEXTS, 'readwrite', (store, done) => then(store.put(text, name), () => done()))
  }

  remove(name: string): Promise<void> {
    return this.#database.run(TEXTS, 'readwrite', (store, done) => then(store.delete(name), () => done()))
  }

  names(): Promise<string[]> {
    return this.#database.run(TEXTS, 'readonly', (store, done) => then(store.getAllKeys(), (names) => done(names.map(String))))
  }
}

/**
 * Keys in IndexedDB, which scripts can use but not export. A new pair is written, read back and tried before it replaces
 * another: some browsers cannot keep keys, or forget them at once.
 */
export class IndexedDbKeyStore implements KeyStore {
  #database

  constructor(options?: IndexedDbOptions) {
    this.#database = new Database(options)
  }

  async generate(user: string): Promise<Uint8Array> {
    const pair = await generatePair()
    const trial = TRIAL + toHex(randomBytes(16))
    try {
      await this.#database.run<void>(PAIRS, 'readwrite', (store, done) => then(store.put(pair, trial), () => done()))
      const kept = await this.#pair(trial)
      const data = utf8('countersign/authenticator/trial/1')
      // The public key is the one in memory: another pair would not match it.
      const works = kept && !kept.privateKey.extractable && await signs(kept.privateKey, pair.publicKey, data)
      if (!works) throw new Error('the key that was read back is not the one that was written')
      await this.#database.run<void>(PAIRS, 'readwrite', (store, done) => then(store.put(kept, USER + user), () => {
        then(store.delete(trial), () => done())
      }))
      return await exportPublic(pair.publicKey)
    } catch (error) {
      await this.#database.run<void>(PAIRS, 'readwrite', (store, done) => then(store.delete(trial), () => done())).catch(() => {})
      throw new AuthenticatorError('key_store_failed', 'this browser cannot keep a key', { cause: error })
    }
  }

  async publicKey(user: string): Promise<Uint8Array | undefined> {
    const pair = await this.#pair(USER + user)
    return pair && exportPublic(pair.publicKey)
  }

  async list(): Promise<string[]> {
    const names = await this.#database.run<IDBValidKey[]>(PAIRS, 'readonly', (store, done) => then(store.getAllKeys(), done))
    return names.map(String).filter((name) => name.startsWith(USER)).map((name) => name.slice(USER.length))
  }

  async sign(user: string, data: Uint8Array): Promise<Uint8Array> {
    const pair = await this.#pair(USER + user)
    if (!pair) throw new AuthenticatorError('unknown_key', 'there is no association key of this user')
    return signDer(pair.privateKey, data)
  }

  /** Deletes a user's key. */
  remove(user: string): Promise<void> {
    return this.#database.run(PAIRS, 'readwrite', (store, done) => then(store.delete(USER + user), () => done()))
  }

  #pair(name: string): Promise<CryptoKeyPair | undefined> {
    return this.#database.run(PAIRS, 'readonly', (store, done) => then(store.get(name), done))
  }
}

async function signs(key: CryptoKey, publicKey: CryptoKey, data: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const signature = new Uint8Array(await crypto.subtle.sign(ECDSA, key, data))
  return isValid({ key: publicKey }, signature, data)
}
