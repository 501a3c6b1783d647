// Verifies the payload of a login, in Node.js 20 or later, without dependencies.
//
//   const { user, refused } = await verifyLogin(payload, { sessionId, origin, keyOf, used })
//
// ../README.md explains what the app signs and where the other values come from; ../../logins.md explains why.

import { createPublicKey, verify } from 'node:crypto'

const MAX_PAYLOAD = 8192
const MAX_FIELD = 1024
const RECENT_MS = 5 * 60 * 1000
const USED_KEPT_MS = 60 * 60 * 1000
const SESSION_ID = /^qrs_[0-9a-f]{32}$/
// One form of RFC 3339. The timestamp is untrusted, so nothing else is passed to `Date.parse`.
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/

/** The text that the app signs, in UTF-8. The first line distinguishes it from other signed texts. */
export const signedText = (sessionId, origin, timestamp) => (
  `countersign-login\n${sessionId}\n${origin}\n${timestamp}`
)

/** Parses an app's public key. Throws if it is not a P-256 key. Also call this when a key is registered. */
export function associationKey(base64) {
  const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' })
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('not a P-256 key')
  return key
}

/**
 * The sessions that have been used to log in. Each is kept for an hour, which is longer than a session
 * lives and a signature counts as recent. In a real service this is a table, so that it survives a
 * restart and all processes share it: `take` is `INSERT ... ON CONFLICT DO NOTHING`, and returns `true`
 * if it wrote a row.
 */
export class UsedSessions {
  #takenAt = new Map()

  /** Marks a session as used, and returns whether it was unused. Synchronous, so it is atomic. */
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

/** Ends a verification. The message is for the log, and contains no untrusted text. */
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
 * Returns who confirmed the login as `{ user }`, or `{ refused }` with a reason that is only for the log.
 *
 * - `sessionId`: the id of the login that this browser opened, which your server keeps for the browser
 * - `origin`: the origin of your page, such as `https://shop.example`
 * - `keyOf(publicUserId)`: returns the user's registered key in Base64, or nothing; may be asynchronous
 * - `used.take(sessionId, now)`: returns whether the session was unused; may be asynchronous
 * - `now`: milliseconds since 1970
 *
 * Throws if `keyOf` or `used` throws, or if the registered key is not a P-256 key. Log nobody in then.
 */
export async function verifyLogin(payload, { sessionId, origin, keyOf, used, now = Date.now() }) {
  try {
    holds(typeof sessionId === 'string' && SESSION_ID.test(sessionId), 'the browser has no session')
    const { publicUserId, timestamp, customSignedData, signature } = parsePayload(payload)
    // The comparison of the whole text decides. The single lines only give better reasons for the log.
    const [, signedSession, signedOrigin] = customSignedData.split('\n')
    holds(signedSession === sessionId, 'signed for another session')
    holds(signedOrigin === origin, 'signed for another origin')
    const expected = signedText(sessionId, origin, timestamp)
    holds(customSignedData === expected, 'signed for something else')
    holds(Math.abs(now - Date.parse(timestamp)) <= RECENT_MS, 'not signed just now')
    const registered = await keyOf(publicUserId)
    holds(typeof registered === 'string', 'no key is registered')
    // The signature is DER, which `verify` expects by default.
    const der = Buffer.from(signature, 'base64')
    const valid = verify('sha256', Buffer.from(expected), associationKey(registered), der)
    holds(valid, 'the signature is false')
    // Last, so that an invalid payload does not use up a login.
    holds(await used.take(sessionId, now) === true, 'the session was used before')
    return { user: publicUserId }
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message }
    throw error
  }
}
