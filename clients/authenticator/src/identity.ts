// Ids of logins, which commit to the app, the page, the context and the browser's key.

import { framed, fromBase64Url, toHex, type Bytes } from './bytes.ts'
import { sha256 } from './digest.ts'
import { AuthenticatorError, type KeyMismatch } from './errors.ts'
import { isPlain } from './link.ts'
import { normalOrigin } from './origin.ts'
import { isContext } from './text.ts'

const LABEL = 'countersign/login-id/1'

/** What the service says about a login, and what its id commits to. */
export interface LoginFacts {
  origin: string
  context: string | undefined
  /** The browser's key in base64url. */
  browserPublicKey: string | undefined
}

/** The checked facts. */
export interface CheckedFacts {
  origin: string
  context: string | undefined
  /** The browser's key, for which the phone encrypts; `undefined` for a browser without one. */
  point: Bytes | undefined
}

const REASONS: Record<KeyMismatch, string> = {
  key_missing: "the service did not return the browser's key",
  key_unexpected: 'the service returned a key for a login without one',
  context_unexpected: 'the service returned a context for a login that cannot have one',
  mismatch: 'the app, page, context or key from the service does not match the code on the screen',
}

const mismatch = (reason: KeyMismatch) => new AuthenticatorError('key_mismatch', REASONS[reason], { reason })

/** Returns the id of a login whose browser has a key. */
export async function sealedId(appKey: string, origin: string, context: string, point: Bytes): Promise<string> {
  return `qrs_${toHex(await sha256(framed(LABEL, appKey, origin, context, point))).slice(0, 32)}`
}

/** Parses a browser's key: an uncompressed point of P-256 in base64url. */
export function readPoint(text: string): Bytes | undefined {
  const point = fromBase64Url(text)
  return point?.length === 65 && point[0] === 4 ? point : undefined
}

/** Checks the service's answer against the id from the screen. `appKey` must be the phone's own. */
export async function checkIdentity(id: string, appKey: string, facts: LoginFacts): Promise<CheckedFacts> {
  const origin = normalOrigin(facts.origin)
  if (origin === undefined) throw mismatch('mismatch')
  const { context, browserPublicKey } = facts
  // The id matches any text with which the service opened it, so a service that cheats could send one that is displayed
  // differently.
  if (context !== undefined && !isContext(context)) throw mismatch('mismatch')
  const point = browserPublicKey === undefined ? undefined : readPoint(browserPublicKey)
  if (browserPublicKey !== undefined && !point) throw mismatch('mismatch')
  if (isPlain(id)) {
    if (point) throw mismatch('key_unexpected')
    if (context !== undefined) throw mismatch('context_unexpected')
  } else {
    if (!point) throw mismatch('key_missing')
    if (await sealedId(appKey, origin, context ?? '', point) !== id) throw mismatch('mismatch')
  }
  return { origin, context, point }
}
