// What a platform provides.

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>

/**
 * Stores short texts under names of letters, digits, dots, hyphens and underscores: the device secret, and the phone's
 * answers from before they are first sent until their logins have ended.
 *
 * Implementations must be durable, must keep the texts from other apps, and must keep them out of backups: a phone that is
 * restored from one would be the same phone as the old one. A text that cannot be read must not be reported as missing.
 */
export interface Storage {
  get(name: string): Awaitable<string | undefined>
  /** Stores a text unless the name exists, and returns the existing one. Of two callers, in any process, exactly one gets `undefined`. */
  add(name: string, text: string): Awaitable<string | undefined>
  /** Stores a text, replacing any other. After a crash, either the old or the new one must exist. */
  set(name: string, text: string): Awaitable<void>
  remove(name: string): Awaitable<void>
  /** Returns all names, in any order. */
  names(): Awaitable<string[]>
}

/** Stores the device secret, where that is not in the same place as the answers. */
export type SecretStorage = Pick<Storage, 'get' | 'add'>

/** Where a passkey signs: the domain that it belongs to, and the origin of the page that uses it. */
export interface PasskeyScope {
  rpId: string
  origin: string
}

/** What WebAuthn's `get` returns. The signature is in DER. */
export interface Assertion {
  authenticatorData: Uint8Array
  clientDataJSON: Uint8Array
  signature: Uint8Array
}

/**
 * Stores association keys, P-256 key pairs, and signs with them. Private keys never leave the store. Users are compared
 * exactly. Throw `new AuthenticatorError('user_authentication_required', …)` if the user must unlock a key first.
 */
export interface KeyStore {
  /**
   * Generates a key pair for a user, stores it durably, and returns the public key: X.509 SubjectPublicKeyInfo in DER. An
   * existing pair is replaced and lost, but must be kept if this fails.
   */
  generate(user: string): Awaitable<Uint8Array>
  /** Returns a user's public key; `undefined` for a user without one. */
  publicKey(user: string): Awaitable<Uint8Array | undefined>
  /** Returns all users with a key, in any order. */
  list(): Awaitable<string[]>
  /** Signs with ECDSA and SHA-256, and returns the signature in DER, as Android's `SHA256withECDSA` does. */
  sign(user: string, data: Uint8Array): Awaitable<Uint8Array>
  /** Returns where the user's key signs if it is a passkey: then `assert` is called instead of `sign`. Stores without passkeys need neither. */
  passkey?(user: string): Awaitable<PasskeyScope | undefined>
  /** Asks the user to sign a challenge with the user's passkey. User verification is required. */
  assert?(user: string, challenge: Uint8Array): Awaitable<Assertion>
}

/** A POST request. Headers and body contain the phone's token and payload, so they must not be logged. */
export interface HttpRequest {
  url: string
  headers: Record<string, string>
  body: string
  /** Aborted once the caller no longer waits for the answer. */
  signal: AbortSignal
}

/** An answer, whatever its status. */
export interface HttpResponse {
  status: number
  /** The header `retry-after`, if there is one. */
  retryAfter: string | undefined
  body: string
}

/**
 * Sends a request once, and returns the answer. It must verify the server's certificate, and must not follow redirects. It
 * throws for a request without an answer: a `NetworkError`, or any other error if a retry may succeed.
 */
export type Http = (request: HttpRequest) => Promise<HttpResponse>

/** There is no answer. */
export class NetworkError extends Error {
  override name = 'NetworkError'
  /** `permanent` if a retry would fail, too. */
  readonly kind: 'temporary' | 'permanent' | 'answer_too_long'

  constructor(kind: NetworkError['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** Returns after this time in milliseconds, or when the signal aborts. */
export type Sleep = (millis: number, signal: AbortSignal) => Promise<void>
