import { CountersignError } from './errors.js'
import { verifyProof } from './proof.js'
import { WEBHOOK_TTL_SECONDS, loginWebhookId } from './store.js'

/** @typedef {import('./openapi.js').components['schemas']} Schemas */

/**
 * @typedef {object} CreateRequest
 * @property {string} browserToken 32 random bytes in base64url, generated for this login. Keep it in the browser's own
 *   server-side session: it redeems the payload.
 * @property {string} origin The page's origin, which the phone shows. The app must list it.
 */

/** Logins by QR code or app link. */
export class Logins {
  #transport
  #store
  #time
  #appKey

  /**
   * @param {import('./transport.js').Transport} transport
   * @param {import('./store.js').Store} store
   * @param {() => Promise<number>} time
   * @param {string} [appKey]
   */
  constructor(transport, store, time, appKey) {
    this.#transport = transport
    this.#store = store
    this.#time = time
    this.#appKey = appKey
  }

  /**
   * Opens a login in the browser's place. Compare `sessionId` with the id that you compute before you show `url`, and
   * count down from `expiresIn`, since a clock may be wrong. The same token and key get the same answer again.
   *
   * @param {Omit<Schemas['CreateSessionRequest'], 'origin'> & CreateRequest} request
   * @returns {Promise<Schemas['NewSession']>}
   */
  async create({ browserToken, ...body }) {
    const headers = { authorization: `Bearer ${browserToken}` }
    const opened = await this.#transport.call('POST', '/qr-sessions', { body, headers })
    await this.#store.remember(loginWebhookId(opened.sessionId), WEBHOOK_TTL_SECONDS)
    return opened
  }

  /**
   * Reads a login. Nothing in it logs anybody in: an id proves nothing, since it stands on a screen.
   *
   * @param {string} id
   * @returns {Promise<Schemas['InspectedSession']>}
   */
  get(id) {
    return this.#transport.call('GET', pathOf(id))
  }

  /**
   * Ends a login that is not over.
   *
   * @param {string} id
   * @returns {Promise<void>}
   */
  cancel(id) {
    return this.#transport.call('DELETE', pathOf(id))
  }

  /**
   * Verifies who confirmed a login, and that this browser brought its payload. It uses up nothing: accept each
   * `sessionId` only once, as the handlers do.
   *
   * @param {import('./proof.js').LoginDetail} detail
   * @param {{ origin: string, findKey: import('./proof.js').FindKey, context?: string | null }} expected
   *   `context` is the text with which you opened the login, if any.
   * @returns {Promise<{ userId: string, keyId: string }>}
   * @throws {import('./errors.js').LoginVerificationError}
   */
  async verify(detail, expected) {
    if (!this.#appKey) throw new CountersignError('logins are verified with the app key: set appKey')
    return verifyProof(detail, { ...expected, appKey: this.#appKey, time: this.#time })
  }
}

/** @param {string} id */
const pathOf = (id) => `/qr-sessions/${encodeURIComponent(id)}`
