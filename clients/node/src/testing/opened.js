import { createHash, randomBytes } from 'node:crypto'

import { pointOf, sessionIdOf } from '../login-ids.js'
import { assertOptions } from '../options.js'
import { segment } from '../transport.js'
import { isShowable } from './context.js'
import { PhoneRefusedError } from './refusal.js'
import { seal } from './sealing.js'

/** @typedef {import('../proof.js').LoginDetail} LoginDetail */

/**
 * A phone that has opened a login.
 *
 * @typedef {object} Holder
 * @property {import('../transport.js').Transport} transport
 * @property {string} appKey
 * @property {string} mobileToken
 * @property {string | null} user The name that it has claimed.
 * @property {Signer} key
 * @property {() => Promise<number>} time
 */

/** @typedef {{ keyId: string, sign: (input: string) => Uint8Array }} Signer A key that signs in the form of JWTs. */

/** A login on a test phone, for the test to decide. */
export class OpenedLogin {
  #holder
  #id
  #point

  /**
   * @internal
   * @param {any} answer
   * @param {string} id
   * @param {Holder} holder
   */
  constructor(answer, id, holder) {
    const { session, app, origin, context = null, checkCode = null, expiresAt, serverTime, browserPublicKey } = answer
    if (!isObject(session) || typeof app?.name !== 'string' || !isTime(expiresAt) || !isTime(serverTime)
      || typeof origin !== 'string' || !(checkCode === null || /^\d\d$/.test(checkCode))) {
      throw new PhoneRefusedError('answer_malformed')
    }
    this.#holder = holder
    this.#id = id
    this.#point = committed({ id, origin, context, browserPublicKey }, holder.appKey)
    /** The page's origin, which a phone shows. */
    this.origin = origin
    /** @type {string | null} The text that the user approves, if there is one. */
    this.context = context
    /** @type {string | null} The digits that the user types in the browser after confirming, if the app asks for them. */
    this.checkCode = checkCode
    /** @type {import('../openapi.js').components['schemas']['Session']} The screen's texts and the risk. */
    this.session = session
  }

  /**
   * Confirms, and returns the detail of the page's `confirmed` event: a test can post it to the app's own route.
   *
   * @param {string} [payload]
   * @param {{ signWith?: import('./phone.js').TestPhone }} [how] `signWith` is another phone, whose key is then the wrong one.
   * @returns {Promise<LoginDetail & { payload: string, salt: string, proof: string }>}
   */
  async confirm(payload = '', how = {}) {
    // A misspelled option would confirm with the right key, and the app's test would pass.
    assertOptions('confirm', how, ['signWith'])
    const { signWith } = how
    if (signWith && typeof signWith.signer?.sign !== 'function') throw new TypeError('signWith is not a TestPhone')
    const salt = randomBytes(16).toString('base64url')
    const key = signWith ? signWith.signer : this.#holder.key
    const proof = await this.#proof(payload, salt, key)
    const point = this.#point
    const body = point
      ? { payload: await seal({ payload, salt }, { id: this.#id, origin: this.origin, point }), encrypted: true, proof }
      : { payload, salt, proof }
    await this.#post('confirm', body)
    return { sessionId: this.#id, payload, salt, proof }
  }

  /**
   * Denies. Only the app's server gets the payload.
   *
   * @param {string} [payload]
   */
  async deny(payload = '') {
    await this.#post('deny', { payload })
  }

  /**
   * Confirms after the time is up, without waiting for it: the test login expires immediately. It rejects with the
   * service's problem.
   *
   * @param {string} [payload]
   * @param {{ signWith?: import('./phone.js').TestPhone }} [how]
   */
  async confirmLate(payload = '', how = {}) {
    await this.#holder.transport.call('POST', `${pathOf(this.#id)}/expire`, { mayBe: 'empty' })
    return this.confirm(payload, how)
  }

  /**
   * @param {string} route
   * @param {object} body
   */
  async #post(route, body) {
    await sendAs(this.#holder, this.#id, route, body)
  }

  /**
   * Signs the confirmation.
   *
   * @param {string} payload
   * @param {string} salt
   * @param {Signer} key
   */
  async #proof(payload, salt, { keyId, sign }) {
    const { appKey, user, time } = this.#holder
    const iat = Math.floor(await time() / 1000)
    const claims = {
      act: 'confirm',
      app: appKey,
      aud: this.origin,
      ...(this.context === null ? {} : { ctx: hash('countersign/ctx/1\0', this.context) }),
      exp: iat + 300,
      iat,
      jti: this.#id,
      pay: hash('countersign/pay/1\0', Buffer.from(salt, 'base64url'), payload),
      ...(user === null ? {} : { sub: user }),
    }
    const header = { alg: 'ES256', kid: keyId, typ: 'countersign-login+jwt' }
    const input = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    return `${input}.${Buffer.from(sign(input)).toString('base64url')}`
  }
}

/**
 * Sends a request from the phone itself, which has no API key.
 *
 * @param {Holder} holder
 * @param {string} id
 * @param {string} route
 * @param {object} body
 */
export async function sendAs({ transport, mobileToken }, id, route, body) {
  const caller = { authorization: `Bearer ${mobileToken}` }
  await transport.call('POST', `${pathOf(id)}/${route}`, { caller, body, mayBe: 'true' })
}

/**
 * Returns the browser's key, if there is one, after checking that the id commits to it and to the service's other
 * values.
 *
 * @param {{ id: string, origin: string, context: unknown, browserPublicKey: unknown }} said
 * @param {string} appKey
 */
function committed({ id, origin, context, browserPublicKey }, appKey) {
  const hasKey = browserPublicKey !== undefined && browserPublicKey !== null
  if (id.startsWith('qrp_')) {
    if (hasKey) throw new PhoneRefusedError('key_unexpected')
    if (context !== null) throw new PhoneRefusedError('context_unexpected')
    return undefined
  }
  if (context !== null && !(typeof context === 'string' && isShowable(context))) throw new PhoneRefusedError('context_malformed')
  if (!hasKey) throw new PhoneRefusedError('key_missing')
  const point = pointOf(browserPublicKey)
  const isOwn = point && id === sessionIdOf({ appKey, origin, context, browserPublicKey: point })
  if (!isOwn) throw new PhoneRefusedError('key_mismatch')
  return point
}

/** @param {(string | Buffer)[]} parts */
function hash(...parts) {
  const sha256 = createHash('sha256')
  for (const part of parts) sha256.update(part)
  return sha256.digest('base64url')
}

/** @param {string} id */
export const pathOf = (id) => `/qr-sessions/${segment(id)}`

/** @param {unknown} value */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** @param {unknown} value */
const isTime = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value))
