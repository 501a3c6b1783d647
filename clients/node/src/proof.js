import { createHash, createPublicKey, timingSafeEqual } from 'node:crypto'

import { calculateJwkThumbprint, decodeProtectedHeader, exportJWK, jwtVerify } from 'jose'

import { CountersignError, LoginVerificationError } from './errors.js'
import { claimsByPasskey } from './passkey-proof.js'

const JWT = { alg: 'ES256', typ: 'countersign-login+jwt', maxBytes: 2048 }
const BY_PASSKEY = { alg: 'WebAuthn-ES256', typ: 'countersign-login+webauthn', maxBytes: 2560 }
const LIFETIME_SECONDS = 300
const CLOCK_TOLERANCE_SECONDS = 60
const CLAIMS = ['act', 'app', 'aud', 'exp', 'iat', 'jti', 'pay']

/**
 * The detail of the page's `confirmed` event, the element's `ConfirmedDetail`. Without payload, salt and proof,
 * it proves nothing and is refused.
 *
 * @typedef {{ sessionId: string, payload: string | null, salt: string | null, proof: string | null }} LoginDetail
 */

/**
 * A login that this server opened. Payload and salt are either both absent, or both present and match the
 * proof.
 *
 * @typedef {{ sessionId: string, payload?: string | null, salt?: string | null, proof: string | null }} OpenedLoginDetail
 */

/**
 * A user's registered key: Base64 of its DER, as the phone's SDK returns it, or PEM. A passkey has the members that
 * `associationKeys.list` returns: `kind`, `rpId` and `origin`. A key without `kind` is an app's.
 *
 * @typedef {object} KnownKey
 * @property {string} publicKey
 * @property {string} userId
 * @property {'app' | 'browser' | 'passkey'} [kind]
 * @property {string} [rpId]
 * @property {string} [origin]
 */

/**
 * Finds a registered key by its id. Look in a table that only users who are logged in to your app can add
 * keys to.
 *
 * @typedef {(keyId: string) => KnownKey | null | undefined | Promise<KnownKey | null | undefined>} FindKey
 */

/**
 * @typedef {object} Expected
 * @property {string} appKey
 * @property {string} origin
 * @property {FindKey} findKey
 * @property {string | null} [context]
 * @property {boolean} [openedByServer] Whether payload and salt may be absent.
 * @property {() => Promise<number>} time Tells the service's time, in milliseconds since 1970.
 */

/**
 * Checks that a proof matches its login. The samples in other languages follow the same rules.
 *
 * @param {LoginDetail | OpenedLoginDetail} detail
 * @param {Expected} expected
 */
export async function verifyProof(detail, expected) {
  const { sessionId, proof, ...rest } = detail ?? {}
  const sealed = expected.openedByServer && isAbsent(rest.payload) && isAbsent(rest.salt) ? undefined : rest
  holds(isText(sessionId) && isText(proof), 'there is no proof')
  holds(!sealed || (isText(sealed.payload) && isText(sealed.salt)), 'there is no payload or no salt')
  const form = formOf(proof)
  const keyId = keyIdOf(proof, form)
  const known = await expected.findKey(keyId)
  holds(known, 'the key is unknown')
  const key = await importKey(known.publicKey, keyId)
  const passkey = passkeyOf(known)
  holds(Boolean(passkey) === (form === BY_PASSKEY), 'the proof has another form than those of its key')
  const now = Math.floor(await expected.time() / 1000)
  const claims = passkey
    ? claimsByPasskey(proof, key, passkey)
    : await signedClaims(proof, key, expected.origin, now)
  const { app, aud, jti, act, iat, exp, pay, sub, ctx } = claims
  const ofContext = expected.context ?? undefined
  const names = [...CLAIMS, ...(sub === undefined ? [] : ['sub']), ...(ofContext === undefined ? [] : ['ctx'])]
  holds(Object.keys(claims).sort().join() === names.sort().join(), 'the claims are not those of a proof')
  holds(app === expected.appKey, 'for another app')
  holds(aud === expected.origin, 'for another origin')
  holds(jti === sessionId, 'for another session')
  holds(act === 'confirm', 'for another action')
  holds(Number.isInteger(iat) && Number(exp) - Number(iat) === LIFETIME_SECONDS, 'the lifetime is not that of a proof')
  holds(Number(iat) <= now + CLOCK_TOLERANCE_SECONDS, 'from the future')
  holds(Number(exp) > now - CLOCK_TOLERANCE_SECONDS, 'expired')
  holds(sub === undefined || sub === known.userId, 'the key belongs to another user')
  holds(ofContext === undefined || same(ctx, hash('countersign/ctx/1\0', ofContext)), 'for another context')
  if (sealed) holds(same(pay, payOf(sealed)), 'for another payload')
  else holds(isText(pay) && /^[\w-]{43}$/.test(pay), 'the claim of the payload is malformed')
  return { userId: known.userId, keyId }
}

/** @param {unknown} value */
const isAbsent = (value) => value === undefined || value === null

/**
 * @param {unknown} value
 * @returns {value is string}
 */
const isText = (value) => typeof value === 'string'

/**
 * @param {unknown} condition
 * @param {string} reason
 * @returns {asserts condition}
 */
function holds(condition, reason) {
  if (!condition) throw new LoginVerificationError(reason)
}

/**
 * Returns the form of a proof: a JWT has three parts, a passkey's proof five.
 *
 * @param {string} proof
 */
function formOf(proof) {
  const bytes = Buffer.byteLength(proof)
  holds(bytes <= BY_PASSKEY.maxBytes, 'the proof is too long')
  const form = { 3: JWT, 5: BY_PASSKEY }[proof.split('.').length]
  holds(form, 'the proof is malformed')
  holds(bytes <= form.maxBytes, 'the proof is too long')
  return form
}

/**
 * Returns the page of a key that is a passkey. Failures are the fault of `findKey`, not of the browser.
 *
 * @param {KnownKey} known
 */
function passkeyOf({ kind, rpId, origin }) {
  if (isAbsent(kind) || kind === 'app' || kind === 'browser') return undefined
  if (kind !== 'passkey') throw new CountersignError('findKey gave a key of a kind that this version does not know')
  if (!isText(rpId) || !isText(origin)) throw new CountersignError('findKey gave a passkey without rpId or origin')
  return { rpId, origin }
}

/**
 * Returns the id of the key that a proof contains. The whole header is compared, which refuses other spellings and
 * other members, such as `crit`.
 *
 * @param {string} proof
 * @param {{ alg: string, typ: string }} form
 */
function keyIdOf(proof, { alg, typ }) {
  /** @type {unknown} */
  let kid
  try {
    kid = decodeProtectedHeader(proof).kid
  } catch {
    throw new LoginVerificationError('the proof is malformed')
  }
  holds(typeof kid === 'string' && /^[\w-]{43}$/.test(kid), 'the key id is malformed')
  const header = Buffer.from(`{"alg":"${alg}","kid":"${kid}","typ":"${typ}"}`).toString('base64url')
  holds(proof.split('.')[0] === header, 'the header is not that of a proof')
  return kid
}

/**
 * Failures are the fault of `findKey`, not of the browser.
 *
 * @param {string} publicKey
 * @param {string} keyId
 */
async function importKey(publicKey, keyId) {
  let key
  try {
    key = publicKey.includes('-----BEGIN')
      ? createPublicKey(publicKey)
      : createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
  } catch {
    throw new CountersignError('findKey gave a key that is neither Base64 of DER nor PEM')
  }
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new CountersignError('findKey gave a key that is not P-256')
  }
  if (await calculateJwkThumbprint(await exportJWK(key)) !== keyId) {
    throw new CountersignError('findKey gave a key with another id')
  }
  return key
}

/**
 * Returns the claims of a proof that this key signed and that is valid now.
 *
 * @param {string} proof
 * @param {import('node:crypto').KeyObject} key
 * @param {string} origin
 * @param {number} now
 */
async function signedClaims(proof, key, origin, now) {
  try {
    const { payload } = await jwtVerify(proof, key, {
      algorithms: ['ES256'],
      audience: origin,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now * 1000),
    })
    return payload
  } catch (error) {
    throw new LoginVerificationError(`the proof is not valid: ${/** @type {{ code?: unknown }} */ (error).code}`)
  }
}

/** @param {string} salt */
function saltOf(salt) {
  const raw = Buffer.from(salt, 'base64url')
  holds(raw.length === 16 && raw.toString('base64url') === salt, 'the salt is malformed')
  return raw
}

/**
 * Returns the `pay` claim for a payload and its salt.
 *
 * @param {{ payload?: string | null, salt?: string | null }} sealed
 */
const payOf = ({ payload, salt }) => hash('countersign/pay/1\0', saltOf(salt ?? ''), payload ?? '')

/** @param {(string | Buffer)[]} parts */
function hash(...parts) {
  const sha256 = createHash('sha256')
  for (const part of parts) sha256.update(part)
  return sha256.digest('base64url')
}

/**
 * Compares in constant time.
 *
 * @param {unknown} found
 * @param {string} wanted
 */
function same(found, wanted) {
  if (typeof found !== 'string') return false
  const [a, b] = [Buffer.from(found), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
