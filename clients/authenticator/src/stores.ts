// The device secret and the stored answers, in the platform's storage.

import { framed, fromBase64Url, toBase64Url, type Bytes } from './bytes.ts'
import { hmac, randomBytes, sha256 } from './digest.ts'
import { AuthenticatorError, type Decision } from './errors.ts'
import type { Awaitable, SecretStorage, Storage } from './ports.ts'

const SECRET_NAME = 'countersign.secret'
const ANSWER_NAME = 'countersign.answer.'
const TOKEN_LABEL = 'countersign/sdk/mobile-token/1'
const ANSWER_LABEL = 'countersign/sdk/answer/1'

/** Time for which an answer is kept after the user's time to decide: a confirmed payload may wait for its browser that long. */
const RETENTION = 60_000

/** An app, a service and a login. */
export interface LoginName {
  service: string
  appKey: string
  id: string
}

/** An answer to a login: the same bytes are sent each time. */
export interface StoredAnswer {
  decision: Decision
  /** The request's body. */
  body: string
  /** Whether the body contains a proof. */
  proven: boolean
  /** The page to which the user returns once the service has the answer. */
  returnUrl?: string
  /** Time at which the login expires, by the service's clock, in milliseconds since the Unix epoch. */
  expiresAt: number
}

const failed = (message: string, cause?: unknown) => (
  new AuthenticatorError('storage_failed', message, cause === undefined ? {} : { cause })
)

async function stored<T>(call: () => Awaitable<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw failed("the phone's storage failed", error)
  }
}

/**
 * Derives the phone's token for a login. A phone whose app lost its memory derives the same token again, so it continues
 * the same login.
 */
export async function mobileToken(storage: SecretStorage, { service, appKey, id }: LoginName): Promise<string> {
  const secret = await deviceSecret(storage)
  return toBase64Url(await hmac(secret, framed(TOKEN_LABEL, service, appKey, id)))
}

/** Loads the secret that only this phone has, and creates it first if it does not exist. */
async function deviceSecret(storage: SecretStorage): Promise<Bytes> {
  let saved = await stored(() => storage.get(SECRET_NAME))
  if (saved === undefined) {
    const fresh = toBase64Url(randomBytes(32))
    saved = await stored(() => storage.add(SECRET_NAME, fresh)) ?? fresh
  }
  const secret = typeof saved === 'string' ? fromBase64Url(saved) : undefined
  if (secret?.length !== 32) throw failed('the device secret is damaged')
  return secret
}

/** The stored answer of one login. */
export class Answers {
  #storage
  #name

  private constructor(storage: Storage, name: string) {
    this.#storage = storage
    this.#name = name
  }

  static async of(storage: Storage, { service, appKey, id }: LoginName): Promise<Answers> {
    const digest = await sha256(framed(ANSWER_LABEL, service, appKey, id))
    return new Answers(storage, ANSWER_NAME + toBase64Url(digest))
  }

  /** Returns the answer, if it exists. */
  async load(): Promise<StoredAnswer | undefined> {
    const text = await stored(() => this.#storage.get(this.#name))
    return text === undefined ? undefined : read(text)
  }

  /** Stores an answer unless one exists, and returns the stored one. */
  async keepFirst(answer: StoredAnswer): Promise<StoredAnswer> {
    const former = await stored(() => this.#storage.add(this.#name, write(answer)))
    return former === undefined ? answer : read(former)
  }

  /** Stores an answer, replacing any other one. */
  async replace(answer: StoredAnswer): Promise<void> {
    await stored(() => this.#storage.set(this.#name, write(answer)))
  }

  /** Removes this answer, if it is the stored one. */
  async forget(answer: StoredAnswer): Promise<void> {
    if (await stored(() => this.#storage.get(this.#name)) === write(answer)) await stored(() => this.#storage.remove(this.#name))
  }
}

/** Removes damaged answers, and the answers of all ended logins. */
export async function purge(storage: Storage, now: number): Promise<void> {
  for (const name of await stored(() => storage.names())) {
    const text = name.startsWith(ANSWER_NAME) ? await stored(() => storage.get(name)) : undefined
    if (text === undefined) continue
    const answer = parse(text)
    if (!answer || answer.expiresAt + RETENTION < now) await stored(() => storage.remove(name))
  }
}

const write = ({ decision, body, proven, returnUrl, expiresAt }: StoredAnswer): string => (
  JSON.stringify({ version: 1, decision, body, proven, ...(returnUrl === undefined ? {} : { returnUrl }), expiresAt })
)

function read(text: string): StoredAnswer {
  const answer = parse(text)
  if (!answer) throw failed('a stored answer is damaged')
  return answer
}

/** Parses a stored answer in its only spelling. */
function parse(text: string): StoredAnswer | undefined {
  try {
    const answer = JSON.parse(text) as StoredAnswer
    const { decision, body, proven, returnUrl, expiresAt } = answer
    const isAnswer = (decision === 'confirm' || decision === 'deny') && typeof body === 'string' && typeof proven === 'boolean'
      && (returnUrl === undefined || typeof returnUrl === 'string') && Number.isSafeInteger(expiresAt)
    return isAnswer && write(answer) === text ? answer : undefined
  } catch {
    return undefined
  }
}
