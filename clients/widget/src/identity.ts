import { framed, fromBase64url, randomToken, toHex } from './bytes.ts'
import { newKeys, type Keys } from './crypto.ts'
import { plainSha256 } from './digest.ts'

const SEALED = 'countersign/login-id/1'
const PLAIN = 'countersign/login-id/plain/1'

/** Number of bytes of the hash that an id contains. */
const KEPT = 16

/** The values that the page generates for a session before the service knows about it. */
export interface Identity {
  /** The session's id. It is computed here, so the service cannot choose it. */
  readonly id: string
  /** The browser's token, which proves that requests come from this page. */
  readonly token: string
  /** The key pair for which payloads are encrypted; `null` for a session without encryption. */
  readonly keys: Keys | null
  /** The values that the app passed on when it returned. */
  returnToken?: string | undefined
}

/** Creates an identity with a key pair. */
export async function sealedIdentity(appKey: string, origin: string): Promise<Identity> {
  const keys = await newKeys()
  const id = await sealedId(appKey, origin, keys.publicKey)
  return { id, token: randomToken(), keys }
}

/** Creates an identity without a key pair, which does not need WebCrypto. */
export function plainIdentity(): Identity {
  const token = randomToken()
  return { id: plainId(token), token, keys: null }
}

/**
 * Returns the id of a session with a key. The phone also computes it, from its own app key, so that neither
 * the key nor the page can be replaced in between. `context` is the text that a server asks the user to
 * approve; this element's sessions have none.
 */
export async function sealedId(
  appKey: string,
  origin: string,
  publicKey: string,
  context = '',
): Promise<string> {
  const parts = framed(SEALED, appKey, origin, context, fromBase64url(publicKey))
  const hash = await crypto.subtle.digest('SHA-256', parts)
  return `qrs_${toHex(new Uint8Array(hash, 0, KEPT))}`
}

/** Returns the id of a session without a key. */
export function plainId(token: string): string {
  const parts = [...new TextEncoder().encode(PLAIN), ...fromBase64url(token)]
  return `qrp_${toHex(plainSha256(Uint8Array.from(parts)).slice(0, KEPT))}`
}
