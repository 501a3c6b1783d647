// Stores in memory, for tests and for programs whose logins need not outlive them.

import { AuthenticatorError } from './errors.ts'
import { Lock } from './lock.ts'
import { exportPublic, generatePair, signDer } from './pairs.ts'
import type { KeyStore, Storage } from './ports.ts'

/** Texts in memory. */
export class MemoryStorage implements Storage {
  #texts = new Map<string, string>()

  get(name: string): string | undefined {
    return this.#texts.get(name)
  }

  add(name: string, text: string): string | undefined {
    const former = this.#texts.get(name)
    if (former === undefined) this.#texts.set(name, text)
    return former
  }

  set(name: string, text: string): void {
    this.#texts.set(name, text)
  }

  remove(name: string): void {
    this.#texts.delete(name)
  }

  names(): string[] {
    return [...this.#texts.keys()]
  }
}

/** Keys in memory, which cannot be exported. */
export class MemoryKeyStore implements KeyStore {
  #pairs = new Map<string, CryptoKeyPair>()

  async generate(user: string): Promise<Uint8Array> {
    const pair = await generatePair()
    this.#pairs.set(user, pair)
    return exportPublic(pair.publicKey)
  }

  async publicKey(user: string): Promise<Uint8Array | undefined> {
    const pair = this.#pairs.get(user)
    return pair && exportPublic(pair.publicKey)
  }

  list(): string[] {
    return [...this.#pairs.keys()]
  }

  async sign(user: string, data: Uint8Array): Promise<Uint8Array> {
    const pair = this.#pairs.get(user)
    if (!pair) throw new AuthenticatorError('unknown_key', 'there is no association key of this user')
    return signDer(pair.privateKey, data)
  }
}

/** A storage without `add`, such as a keychain that only one process of the app uses. */
export type SimpleStorage = Omit<Storage, 'add'>

/**
 * Adds `add` to a storage that lacks it. Calls run one after the other, so that two of them cannot both find a name free.
 * Only for a storage that no other process uses, and that has only one wrapper.
 */
export function inOneProcess(storage: SimpleStorage): Storage {
  const lock = new Lock()
  return {
    get: (name) => lock.run(async () => storage.get(name)),
    set: (name, text) => lock.run(async () => storage.set(name, text)),
    remove: (name) => lock.run(async () => storage.remove(name)),
    names: () => lock.run(async () => storage.names()),
    add: (name, text) => lock.run(async () => {
      const former = await storage.get(name)
      if (former !== undefined) return former
      await storage.set(name, text)
      return undefined
    }),
  }
}
