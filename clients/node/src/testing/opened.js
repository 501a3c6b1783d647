import { CountersignError } from '../errors.js'
import { assertOptions } from '../options.js'
import { segment } from '../transport.js'
import { AuthenticatorError, confirmation, signingInput } from './rules.js'

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
   * @param {{ session: any, login: any }} answer The Session object as the service sent it, and the checked facts.
   * @param {string} id
   * @param {Holder} holder
   */
  constructor({ session, login }, id, holder) {
    const { origin, context = null, checkCode = null, point } = login
    this.#holder = holder
    this.#id = id
    this.#point = point
    /** @type {string} The page's origin, which a phone shows. */
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
    if (typeof payload !== 'string') throw new TypeError('the payload is not a text')
    const { body, salt, proof } = await this.#confirmation(payload, signWith ? signWith.signer : this.#holder.key)
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
   * Returns what a phone with this key sends.
   *
   * @param {string} payload
   * @param {Signer} key
   * @returns {Promise<{ body: object, salt: string, proof: string }>}
   */
  async #confirmation(payload, { keyId, sign }) {
    const { appKey, user, time } = this.#holder
    const at = await time()
    const login = {
      appKey, sessionId: this.#id, user: user ?? undefined, origin: this.origin, context: this.context ?? undefined, point: this.#point,
    }
    /** @param {object} facts */
    const prove = async (facts) => {
      const input = await signingInput(facts, keyId)
      return `${input}.${Buffer.from(sign(input)).toString('base64url')}`
    }
    try {
      return await confirmation(login, payload, { prove, now: () => at })
    } catch (error) {
      throw error instanceof AuthenticatorError ? new CountersignError(error.message) : error
    }
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

/** @param {string} id */
export const pathOf = (id) => `/qr-sessions/${segment(id)}`
