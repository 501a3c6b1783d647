// Association keys: the functions for the app, and the signing of proofs.

import { isWellFormed, toBase64, toBase64Url, utf8, type Bytes } from './bytes.ts'
import { AuthenticatorError } from './errors.ts'
import type { Awaitable, KeyStore, PasskeyScope } from './ports.ts'
import { passkeyInput, passkeyProof, signingInput, type ProofFacts } from './proof.ts'
import { isReserved } from './reserved.ts'
import { fromDer, isValid, readPublicKey, registrationText, type PublicKey } from './signature.ts'
import { ANON, isUserId } from './text.ts'
import { isAssertion, proofChallenge } from './webauthn.ts'

/** What an app's server registers at `/association-keys` for a user who is logged in. */
export interface Registration {
  publicUserId: string
  /** X.509 SubjectPublicKeyInfo in DER, in standard Base64. */
  publicKey: string
  /** Proves possession of the key: ECDSA with SHA-256, in DER, in standard Base64. */
  signature: string
}

/** A text, or an error of its code. */
export function owner(user: unknown): string {
  if (typeof user === 'string' && isUserId(user)) return user
  throw new AuthenticatorError('invalid_public_user_id', 'a public user id is 1 to 256 characters, all of them visible')
}

const broken = (why: string) => new AuthenticatorError('key_store_failed', `the store of keys is faulty: ${why}`)

const unknownKey = () => new AuthenticatorError('unknown_key', 'there is no association key of this user')

/** The errors that a store throws itself. */
const OF_STORES = ['unknown_key', 'user_authentication_required', 'passkey_unavailable', 'key_store_failed', 'cancelled']

async function fromStore<T>(call: () => Awaitable<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    const isOwn = error instanceof AuthenticatorError && OF_STORES.includes(error.code)
    throw isOwn ? error : new AuthenticatorError('key_store_failed', "the phone's key store failed", { cause: error })
  }
}

/** The phone's association keys. Without a user, functions mean `ANON`. */
export class KeyRing {
  #store
  #appKey

  /** @internal */
  constructor(store: KeyStore, appKey: string) {
    this.#store = store
    this.#appKey = appKey
  }

  /**
   * Generates a persistent key pair for a user, and returns the public key in Base64. An existing pair of the user is
   * replaced and lost, so the app must register the new one.
   */
  async generate(user: string = ANON): Promise<string> {
    const name = owner(user)
    return toBase64((await parsed(await fromStore(() => this.#store.generate(name)))).der)
  }

  /** Returns a user's public key in Base64. Fails with `unknown_key` if the user has none. */
  async publicKey(user: string = ANON): Promise<string> {
    return toBase64((await this.#known(owner(user))).der)
  }

  /** Returns the id of a user's key, which proofs contain. Fails with `unknown_key` if the user has none. */
  async keyId(user: string = ANON): Promise<string> {
    return (await this.#known(owner(user))).keyId
  }

  /** Returns all users with a key, sorted. */
  async list(): Promise<string[]> {
    return [...await fromStore(() => this.#store.list())].sort()
  }

  /**
   * Signs data from the app with a user's key: ECDSA with SHA-256 over the data in UTF-8, in DER, in Base64. Fails with
   * `reserved_data` for data that has the form of a login's proof.
   */
  async sign(user: string, data: string): Promise<string> {
    if (typeof data !== 'string' || !isWellFormed(data)) throw new TypeError('data is not a text')
    if (isReserved(data)) {
      throw new AuthenticatorError('reserved_data', 'refusing to sign: the data has the form of a login proof')
    }
    const name = owner(user)
    const { der } = await this.#signature(name, await this.#known(name), utf8(data))
    return toBase64(der)
  }

  /** Signs the registration of a user's key, for the app's server. */
  async registration(user: string = ANON): Promise<Registration> {
    const name = owner(user)
    const key = await this.#known(name)
    const { der } = await this.#signature(name, key, utf8(registrationText(this.#appKey, name)))
    return { publicUserId: name, publicKey: toBase64(key.der), signature: toBase64(der) }
  }

  /** @internal Signs a proof with its user's key, or with the anonymous key; `undefined` if the phone has no such key. */
  async prove(facts: ProofFacts): Promise<string | undefined> {
    const name = facts.user ?? ANON
    const key = await this.#find(name)
    if (!key) return undefined
    const scope = await fromStore(() => this.#store.passkey?.(name))
    if (scope) return this.#assertion(name, key, scope, facts)
    const input = await signingInput(facts, key.keyId)
    const { raw } = await this.#signature(name, key, utf8(input))
    return `${input}.${toBase64Url(raw)}`
  }

  /** Has the user's passkey sign, and checks the assertion as verifiers do. */
  async #assertion(user: string, key: PublicKey, scope: PasskeyScope, facts: ProofFacts): Promise<string> {
    const input = await passkeyInput(facts, key.keyId)
    const challenge = await proofChallenge(input)
    const assertion = await fromStore(() => this.#store.assert?.(user, challenge))
    if (!assertion || !await isAssertion(assertion, { challenge, scope, key })) {
      throw broken('the assertion is not by this passkey over this challenge, with user verification')
    }
    return passkeyProof(input, assertion)
  }

  async #find(user: string): Promise<PublicKey | undefined> {
    const der = await fromStore(() => this.#store.publicKey(user))
    return der === undefined ? undefined : parsed(der)
  }

  async #known(user: string): Promise<PublicKey> {
    const key = await this.#find(user)
    if (!key) throw unknownKey()
    return key
  }

  /** Signs, and checks the signature: a key that was replaced in the meantime does not match. */
  async #signature(user: string, key: PublicKey, data: Bytes): Promise<{ der: Uint8Array, raw: Bytes }> {
    const der = await fromStore(() => this.#store.sign(user, data))
    const raw = der instanceof Uint8Array ? fromDer(der) : undefined
    if (!raw || !await isValid(key, raw, data)) throw broken('the signature is not by this key over this data, in DER')
    return { der, raw }
  }
}

async function parsed(der: unknown): Promise<PublicKey> {
  const key = der instanceof Uint8Array ? await readPublicKey(der) : undefined
  if (!key) throw broken('a public key is a P-256 SubjectPublicKeyInfo with an uncompressed point')
  return key
}
