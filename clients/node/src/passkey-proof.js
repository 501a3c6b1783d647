import { createHash, verify } from 'node:crypto'

import { LoginVerificationError } from './errors.js'

const USER_PRESENT = 1
const USER_VERIFIED = 1 << 2
const BACKUP_ELIGIBLE = 1 << 3
const BACKED_UP = 1 << 4
const ATTESTED = 1 << 6
/** Hash, flags and counter. */
const MIN_AUTHENTICATOR_DATA = 37

/**
 * Returns the claims of a proof that this passkey signed: header, claims, authenticator data, client data and signature.
 * The claims are not checked.
 *
 * @param {string} proof
 * @param {import('node:crypto').KeyObject} key
 * @param {{ rpId: string, origin: string }} passkey
 * @returns {Record<string, unknown>}
 */
export function claimsByPasskey(proof, key, { rpId, origin }) {
  const [header, claims, ...assertion] = proof.split('.')
  const [authenticatorData, clientData, signature] = assertion.map(bytesOf)
  const challenge = sha256('countersign/webauthn/1\0', `${header}.${claims}`).toString('base64url')
  checkClientData(membersOf(clientData), challenge, origin)
  checkAuthenticatorData(authenticatorData, rpId)
  // The signature is over the bytes that the browser hashed, not over JSON written again.
  const signed = Buffer.concat([authenticatorData, sha256(clientData)])
  let isSigned = false
  try {
    isSigned = verify('sha256', signed, { key, dsaEncoding: 'der' }, signature)
  } catch {
    // Malformed signatures are false ones.
  }
  holds(isSigned, 'signed by another key')
  return membersOf(bytesOf(claims))
}

/**
 * @param {Record<string, unknown>} members
 * @param {string} challenge
 * @param {string} origin
 */
function checkClientData(members, challenge, origin) {
  holds(members.type === 'webauthn.get', 'not an assertion of a passkey')
  holds(members.challenge === challenge, 'the passkey signed something else')
  holds(members.origin === origin, 'the passkey was used on another page')
  const isFramed = (members.crossOrigin !== undefined && members.crossOrigin !== false) || 'topOrigin' in members
  holds(!isFramed, 'the passkey was used in a frame of another site')
}

/**
 * @param {Buffer} data
 * @param {string} rpId
 */
function checkAuthenticatorData(data, rpId) {
  holds(data.length >= MIN_AUTHENTICATOR_DATA, 'the authenticator data is too short')
  holds(data.subarray(0, 32).equals(sha256(rpId)), 'the passkey belongs to another domain')
  const flags = data[32]
  const has = (/** @type {number} */ flag) => (flags & flag) !== 0
  holds(has(USER_PRESENT) && has(USER_VERIFIED), 'the phone did not verify its user')
  holds(has(BACKUP_ELIGIBLE) || !has(BACKED_UP), 'the passkey was copied although it cannot be')
  holds(!has(ATTESTED), 'not an assertion of a passkey')
}

/**
 * Returns the members of a JSON object. `JSON.parse` would keep the last of two members with one name, and other
 * verifiers the first.
 *
 * @param {Buffer} json
 * @returns {Record<string, unknown>}
 */
function membersOf(json) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(json)
    const members = JSON.parse(text)
    const names = namesOf(text)
    const isObject = typeof members === 'object' && members !== null && !Array.isArray(members)
    if (isObject && new Set(names).size === names.length) return members
  } catch {
    // Refused below.
  }
  throw new LoginVerificationError('a part of the proof is not a JSON object with distinct members')
}

/**
 * Returns the names in the outermost object of a text that is JSON.
 *
 * @param {string} json
 */
function namesOf(json) {
  const names = []
  let depth = 0
  for (const [token, name, colon] of json.matchAll(/("(?:[^"\\]|\\.)*")\s*(:?)|[{}[\]]/g)) {
    if (name) {
      if (depth === 1 && colon) names.push(JSON.parse(name))
    } else {
      depth += token === '{' || token === '[' ? 1 : -1
    }
  }
  return names
}

/** @param {string} text */
function bytesOf(text) {
  const bytes = Buffer.from(text, 'base64url')
  holds(bytes.toString('base64url') === text, 'the proof is malformed')
  return bytes
}

/** @param {(string | Buffer)[]} parts */
function sha256(...parts) {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/**
 * @param {unknown} condition
 * @param {string} reason
 * @returns {asserts condition}
 */
function holds(condition, reason) {
  if (!condition) throw new LoginVerificationError(reason)
}
