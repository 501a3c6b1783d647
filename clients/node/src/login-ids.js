// Values derived for logins and approvals. The libraries in other languages derive the same values:
// clients/vectors.json.

import { createHash, createHmac } from 'node:crypto'

/** The length of a browser's public key: an uncompressed point of P-256. */
const POINT_BYTES = 65

/**
 * The facts that the id of a login commits to.
 *
 * @typedef {{ appKey: string, origin: string, context: string | null, browserPublicKey: Uint8Array }} LoginFacts
 */

/**
 * Returns the id of a login whose browser has a key.
 *
 * @param {LoginFacts} facts
 */
export function sessionIdOf({ appKey, origin, context, browserPublicKey }) {
  const parts = framed('countersign/login-id/1', appKey, origin, context ?? '', browserPublicKey)
  return `qrs_${createHash('sha256').update(parts).digest('hex').slice(0, 32)}`
}

/**
 * Returns the token with which a page may watch a login that a server opened. It cannot redeem the payload.
 *
 * @param {string} browserToken
 */
export function pageToken(browserToken) {
  const raw = Buffer.from(browserToken, 'base64url')
  return createHash('sha256').update('countersign/login-page-token/1\0').update(raw).digest('base64url')
}

/**
 * Returns the token with which a server opens an approval.
 *
 * @param {string} apiKey
 * @param {Uint8Array} browserPublicKey
 */
export function approvalToken(apiKey, browserPublicKey) {
  const mac = createHmac('sha256', apiKey)
  return mac.update('countersign/approval-token/1\0').update(browserPublicKey).digest('base64url')
}

/**
 * Returns the id under which a store records an approval. It commits to the user, so that the result of another user's
 * approval is unknown.
 *
 * @param {string} sessionId
 * @param {string} userId
 */
export function approvalId(sessionId, userId) {
  const sum = createHash('sha256').update('countersign/approval/1').update(framed(sessionId, userId))
  return `apr_${sum.digest('base64url')}`
}

/**
 * Returns the bytes of a public key in the service's format, or nothing if it is malformed.
 *
 * @param {unknown} text
 * @returns {Buffer | undefined}
 */
export function pointOf(text) {
  if (typeof text !== 'string') return undefined
  const bytes = Buffer.from(text, 'base64url')
  const isExact = bytes.length === POINT_BYTES && bytes[0] === 4 && bytes.toString('base64url') === text
  return isExact ? bytes : undefined
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const PORT = '(?::(\\d{1,5}))?'
const LINKS = [
  // The last label of a name is not a number, which would make it an IP address.
  new RegExp(`^https://(?:${LABEL}\\.)*(?!localhost[:?]|\\d+[:?])${LABEL}${PORT}\\?sessionId=(\\w+)$`),
  new RegExp(`^http://(?:localhost|127\\.0\\.0\\.1|\\[::1\\])${PORT}\\?sessionId=(\\w+)$`),
]

/**
 * Whether a text is exactly the link to a login, which a page may show as a code.
 *
 * @param {unknown} link
 * @param {string} sessionId
 */
export function isLinkTo(link, sessionId) {
  if (typeof link !== 'string') return false
  return LINKS.some((pattern) => {
    const [, port = '443', id] = pattern.exec(link) ?? []
    return id === sessionId && Number(port) <= 65_535
  })
}

/**
 * Returns the concatenated parts, each preceded by its length in two bytes.
 *
 * @param {(string | Uint8Array)[]} parts
 */
export function framed(...parts) {
  return Buffer.concat(parts.flatMap((part) => {
    const bytes = Buffer.from(part)
    return [Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]
  }))
}
