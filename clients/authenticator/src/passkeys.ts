// Keys of web pages: passkeys, and keys of WebCrypto where a browser has no passkeys.

import { fromBase64Url, toBase64Url, toHex, utf8, type Bytes } from './bytes.ts'
import { randomBytes } from './digest.ts'
import { AuthenticatorError } from './errors.ts'
import { IndexedDbKeyStore, IndexedDbStorage } from './indexed-db.ts'
import type { Assertion, KeyStore, PasskeyScope, Storage } from './ports.ts'
import { fromBer, readPublicKey, toDer } from './signature.ts'

const USER_NAME = 'countersign.user.'

/** Time in which a person cannot have read a dialogue, in milliseconds. */
const FASTER_THAN_A_PERSON = 300

/** Time for a dialogue, in milliseconds. */
const TIMEOUT = 300_000

/** The user's key on this phone, as JSON. `label` is a name of the account for people, which the page may add. */
export type Passkey = { publicKey: string, label?: string } & (
  /** `isRefused` after the service refused a proof of it: it may have been revoked. */
  | { kind: 'passkey', credentialId: string, isRefused?: true }
  /** A key of WebCrypto, under a name in the store of such keys. */
  | { kind: 'browser', name: string }
)

/** What a browser needs to make a passkey. Ids are in base64url. */
export interface NewPasskey {
  /** The name of the app, as the browser's dialogue shows it. */
  appName: string
  /** The name of the account, as the browser's dialogue shows it. */
  userName: string
  /** A new random id: with a former one, the new passkey would replace the former passkey. */
  userHandle: string
  /** The credentials that the user has already: the same phone cannot be set up twice. */
  excludeCredentials: readonly string[]
}

/** What is used of the browser's `navigator.credentials`. Named here, because programs without a page lack its types. */
export interface CredentialDialogues {
  create(options: object): Promise<unknown>
  get(options: object): Promise<unknown>
}

/** A static method of `PublicKeyCredential` in Web Authentication, level 3. */
export type SignalUnknown = (options: { rpId: string, credentialId: string }) => Promise<void> | undefined

/** Options of a store of passkeys. */
export interface PasskeyStoreOptions {
  /** The domain and the page of the passkeys. */
  scope: PasskeyScope
  /** The database for everything else. */
  database?: string
  /** Remembers which users have keys. By default in the database. */
  storage?: Storage
  /** Stores the keys of WebCrypto. By default in the database. */
  software?: KeyStore & { remove(name: string): Promise<void> | void }
  credentials?: CredentialDialogues
  /** By default the browser's, if it has one. */
  signalUnknown?: SignalUnknown
  /** A clock in milliseconds, which tells errors of browsers from decisions of people. */
  sinceBoot?: () => number
}

/**
 * The keys of a web page. A new key belongs to no user until `keep` says so, which replaces the user's former key.
 *
 * Browsers that only claim to have passkeys fail at once. Such an error is `passkey_unavailable`, and that of a user who
 * cancels the dialogue is `user_authentication_required`.
 */
export class PasskeyStore implements KeyStore {
  readonly scope: PasskeyScope
  #storage
  #software
  #credentials
  #signalUnknown
  #sinceBoot

  constructor({ scope, database, storage, software, credentials, signalUnknown, sinceBoot }: PasskeyStoreOptions) {
    const options = database === undefined ? {} : { database }
    this.scope = scope
    this.#storage = storage ?? new IndexedDbStorage(options)
    this.#software = software ?? new IndexedDbKeyStore(options)
    this.#credentials = credentials
    this.#signalUnknown = signalUnknown ?? ((options) => globalThis.PublicKeyCredential?.signalUnknownCredential?.(options))
    this.#sinceBoot = sinceBoot ?? (() => performance.now())
  }

  /** Returns whether this browser says that it has passkeys with user verification. */
  async hasPasskeys(): Promise<boolean> {
    if (this.#credentials) return true
    const check = globalThis.PublicKeyCredential?.isUserVerifyingPlatformAuthenticatorAvailable
    return typeof check === 'function' && await check.call(PublicKeyCredential).catch(() => false)
  }

  /** Makes a passkey, which `assertWith` has to try: this proves nothing. Needs a tap of the user. */
  async makePasskey({ appName, userName, userHandle, excludeCredentials }: NewPasskey): Promise<Passkey> {
    const credential = await this.#asked((credentials) => credentials.create({
      publicKey: {
        rp: { id: this.scope.rpId, name: appName },
        user: { id: bytesOf(userHandle), name: userName, displayName: userName },
        challenge: randomBytes(32),
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
        authenticatorSelection: {
          authenticatorAttachment: 'platform', residentKey: 'required', requireResidentKey: true, userVerification: 'required',
        },
        excludeCredentials: excludeCredentials.map((id) => ({ type: 'public-key', id: bytesOf(id) })),
        attestation: 'none',
        timeout: TIMEOUT,
        hints: ['client-device'],
      } as PublicKeyCredentialCreationOptions,
    }))
    const { response, rawId } = credential as PublicKeyCredential & { response: AuthenticatorAttestationResponse }
    const der = response.getPublicKey?.()
    const key = der ? await readPublicKey(new Uint8Array(der)) : undefined
    if (!key) throw new AuthenticatorError('passkey_unavailable', 'the browser did not return a public key of P-256')
    return { kind: 'passkey', publicKey: toBase64Url(key.der), credentialId: toBase64Url(new Uint8Array(rawId)) }
  }

  /** Makes a key of WebCrypto. Fails with `key_store_failed` in browsers that cannot keep keys. */
  async makeKey(): Promise<Passkey> {
    const name = toHex(randomBytes(16))
    return { kind: 'browser', publicKey: toBase64Url(await this.#software.generate(name)), name }
  }

  /** Signs a challenge with the passkey of a credential, or with one that the user chooses from all passkeys of this domain. */
  async assertWith(credentialId: string | undefined, challenge: Uint8Array): Promise<Assertion & { credentialId: string }> {
    const allowed = credentialId === undefined ? [] : [credentialId]
    const credential = await this.#asked((credentials) => credentials.get({
      publicKey: {
        challenge: new Uint8Array(challenge),
        rpId: this.scope.rpId,
        allowCredentials: allowed.map((id) => ({ type: 'public-key', id: bytesOf(id), transports: ['internal'] })),
        userVerification: 'required',
        timeout: TIMEOUT,
        hints: ['client-device'],
      } as PublicKeyCredentialRequestOptions,
    }))
    const { rawId, response } = credential as PublicKeyCredential & { response: AuthenticatorAssertionResponse }
    const { authenticatorData, clientDataJSON, signature } = response
    const [data, client, der] = [authenticatorData, clientDataJSON, signature].map((part) => new Uint8Array(part))
    if (!data || !client || !der) throw new AuthenticatorError('key_store_failed', 'the browser returned no assertion')
    const numbers = fromBer(der)
    return {
      authenticatorData: data, clientDataJSON: client, signature: numbers ? toDer(numbers) : der, credentialId: toBase64Url(new Uint8Array(rawId)),
    }
  }

  /** Signs with a key of WebCrypto that `makeKey` returned. */
  async signWith(name: string, data: Uint8Array): Promise<Uint8Array> {
    return this.#software.sign(name, data)
  }

  /**
   * Tells the browser that the service does not know a passkey, so that it no longer offers it. Call it only if the service
   * has said so: the user cannot get the passkey back. Browsers without the method keep the passkey.
   *
   * `signalAllAcceptedCredentials` is of no use here. It compares the passkeys of one user handle, and each passkey has its own.
   */
  async forgetUnknown(credentialId: string): Promise<void> {
    try {
      await this.#signalUnknown({ rpId: this.scope.rpId, credentialId })
    } catch {
      // The passkey stays: nothing depends on this.
    }
  }

  /** Deletes a key of WebCrypto that no user has. A passkey stays in the browser. */
  async discard(key: Passkey): Promise<void> {
    if (key.kind === 'browser') await this.#software.remove(key.name)
  }

  /** Makes a key the user's key. */
  async keep(user: string, key: Passkey): Promise<void> {
    const former = await this.key(user)
    await this.#storage.set(nameOf(user), JSON.stringify(key))
    if (former?.kind === 'browser' && !(key.kind === 'browser' && key.name === former.name)) await this.#software.remove(former.name)
  }

  /** Forgets the user's key. A passkey stays in the browser. */
  async forget(user: string): Promise<void> {
    const former = await this.key(user)
    await this.#storage.remove(nameOf(user))
    if (former) await this.discard(former)
  }

  /** Returns the user's key, if this browser remembers one. */
  async key(user: string): Promise<Passkey | undefined> {
    const text = await this.#storage.get(nameOf(user))
    return text === undefined ? undefined : JSON.parse(text) as Passkey
  }

  /** Makes a key of WebCrypto the user's key. */
  async generate(user: string): Promise<Uint8Array> {
    const key = await this.makeKey()
    await this.keep(user, key)
    return bytesOf(key.publicKey)
  }

  async publicKey(user: string): Promise<Uint8Array | undefined> {
    const key = await this.key(user)
    return key?.kind === 'browser' ? this.#software.publicKey(key.name) : key && bytesOf(key.publicKey)
  }

  async list(): Promise<string[]> {
    const names = await this.#storage.names()
    return names.filter((name) => name.startsWith(USER_NAME))
      .map((name) => new TextDecoder().decode(bytesOf(name.slice(USER_NAME.length))))
  }

  async sign(user: string, data: Uint8Array): Promise<Uint8Array> {
    const key = await this.#known(user)
    if (key.kind === 'passkey') throw new AuthenticatorError('key_store_failed', 'a passkey signs only challenges')
    return this.#software.sign(key.name, data)
  }

  async passkey(user: string): Promise<PasskeyScope | undefined> {
    return (await this.key(user))?.kind === 'passkey' ? this.scope : undefined
  }

  async assert(user: string, challenge: Uint8Array): Promise<Assertion> {
    const key = await this.#known(user)
    if (key.kind !== 'passkey') throw new AuthenticatorError('key_store_failed', 'the key is not a passkey')
    return this.assertWith(key.credentialId, challenge)
  }

  async #known(user: string): Promise<Passkey> {
    const key = await this.key(user)
    if (!key) throw new AuthenticatorError('unknown_key', 'there is no association key of this user')
    return key
  }

  /** Shows a dialogue of the browser, and classifies its errors. */
  async #asked(ask: (credentials: CredentialDialogues) => Promise<unknown>): Promise<unknown> {
    const credentials: CredentialDialogues | undefined = this.#credentials ?? globalThis.navigator?.credentials
    if (typeof credentials?.create !== 'function') throw new AuthenticatorError('passkey_unavailable', 'this browser has no passkeys')
    const start = this.#sinceBoot()
    try {
      const credential = await ask(credentials)
      if (credential) return credential
    } catch (error) {
      throw failure(error, this.#sinceBoot() - start)
    }
    throw new AuthenticatorError('passkey_unavailable', 'the browser returned no passkey')
  }
}

/** Returns the error of a dialogue that ended after this time, in milliseconds. */
function failure(error: unknown, elapsed: number): AuthenticatorError {
  const name = (error as { name?: unknown } | undefined)?.name
  const facts = { cause: error }
  if (name === 'InvalidStateError') return new AuthenticatorError('passkey_exists', 'the phone already has a passkey of this user', facts)
  if (name === 'AbortError') return new AuthenticatorError('cancelled', 'the dialogue was closed', facts)
  if (name !== 'NotAllowedError' || elapsed < FASTER_THAN_A_PERSON) {
    return new AuthenticatorError('passkey_unavailable', `the browser refused before a person could: ${String(name)}`, facts)
  }
  return new AuthenticatorError('user_authentication_required', 'the user closed the dialogue, or was not verified', facts)
}

/** A name of the storage, for a user id of any characters. */
const nameOf = (user: string): string => USER_NAME + toBase64Url(utf8(user))

function bytesOf(text: string): Bytes {
  const bytes = fromBase64Url(text)
  if (!bytes) throw new AuthenticatorError('key_store_failed', 'an id or a key is not base64url')
  return bytes
}
