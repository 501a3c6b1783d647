// Verifying what the payload of a login proves, in Node.js 20 or later, without dependencies.
//
//   const { user, refused } = await verifyLogin(payload, { sessionId, origin, keyOf, used })
//
// What the app signs and where the rest comes from is in ../README.md; why, in ../../logins.md.

import { createPublicKey, verify } from 'node:crypto'

const MAX_PAYLOAD = 8192
const MAX_FIELD = 1024
const RECENT_MS = 5 * 60 * 1000
const USED_KEPT_MS = 60 * 60 * 1000
const SESSION_ID = /^qrs_[0-9a-f]{32}$/
// One form of RFC 3339. It comes from outside, so nothing else gets as far as `Date.parse`.
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/

/** What the app signs, in UTF-8. The first line keeps the key's other signatures from fitting here. */
export const signedText = (sessionId, origin, timestamp) => (
  `countersign-login\n${sessionId}\n${origin}\n${timestamp}`
)

/** Parses a public key as apps give it; throws for what is not P-256. Call it at registration too. */
export function associationKey(base64) {
  const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' })
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('not a P-256 key')
  return key
}

/**
 * The sessions that logged somebody in, each for an hour: longer than a session lives and its
 * signature is recent. In a real service this is a table, so that it survives a restart and all
 * processes share it: `take` is `INSERT ... ON CONFLICT DO NOTHING`, and `true` if it wrote a row.
 */
export class UsedSessions {
  #takenAt = new Map()

  /** Whether the session was free and is the caller's now. Nothing is awaited in between. */
  take(sessionId, now) {
    for (const [old, takenAt] of this.#takenAt) {
      if (now - takenAt < USED_KEPT_MS) break
      this.#takenAt.delete(old)
    }
    if (this.#takenAt.has(sessionId)) return false
    this.#takenAt.set(sessionId, now)
    return true
  }
}

/** What ends a verification. The message is for the log, and holds nothing that came from outside. */
class Refusal extends Error {}

function holds(condition, otherwise) {
  if (!condition) throw new Refusal(otherwise)
}

function parsePayload(payload) {
  holds(typeof payload === 'string', 'the payload is not text')
  holds(payload.length <= MAX_PAYLOAD, 'the payload is too large')
  let claim
  try {
    claim = JSON.parse(payload)
  } catch {
    throw new Refusal('the payload is not JSON')
  }
  const { publicUserId, timestamp, customSignedData, signature } = claim ?? {}
  const fields = { publicUserId, timestamp, customSignedData, signature }
  for (const [name, value] of Object.entries(fields)) {
    const fits = typeof value === 'string' && value !== '' && value.length <= MAX_FIELD
    holds(fits, `the payload has no usable ${name}`)
  }
  holds(TIMESTAMP.test(timestamp), 'the payload has no usable timestamp')
  return fields
}

/**
 * Who confirmed the login, as `{ user }`, or `{ refused }` with a reason for the log alone.
 *
 * - `sessionId`: of the login that this browser opened, as your server keeps it for the browser
 * - `origin`: your page's, such as `https://shop.example`
 * - `keyOf(publicUserId)`: the registered key in Base64, or nothing; may be a promise
 * - `used.take(sessionId, now)`: whether the session was free, as `UsedSessions`; may be a promise
 * - `now`: milliseconds since 1970
 *
 * It throws where `keyOf` or `used` does, and for a registered key that is none. Nobody is logged in
 * then either.
 */
export async function verifyLogin(payload, { sessionId, origin, keyOf, used, now = Date.now() }) {
  try {
    holds(typeof sessionId === 'string' && SESSION_ID.test(sessionId), 'the browser has no session')
    const { publicUserId, timestamp, customSignedData, signature } = parsePayload(payload)
    // The whole text decides; single lines are looked at for the log.
    const [, signedSession, signedOrigin] = customSignedData.split('\n')
    holds(signedSession === sessionId, 'signed for another session')
    holds(signedOrigin === origin, 'signed for another origin')
    const expected = signedText(sessionId, origin, timestamp)
    holds(customSignedData === expected, 'signed for something else')
    holds(Math.abs(now - Date.parse(timestamp)) <= RECENT_MS, 'not signed just now')
    const registered = await keyOf(publicUserId)
    holds(typeof registered === 'string', 'no key is registered')
    // The signature is DER, which is what `verify` expects unless told otherwise.
    const der = Buffer.from(signature, 'base64')
    const valid = verify('sha256', Buffer.from(expected), associationKey(registered), der)
    holds(valid, 'the signature is false')
    // Last, so that a payload which proves nothing uses up nobody's login.
    holds(await used.take(sessionId, now) === true, 'the session was used before')
    return { user: publicUserId }
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message }
    throw error
  }
}
