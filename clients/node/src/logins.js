import { CountersignError } from './errors.js'
import { assertCallback, assertFlag, assertKey, assertOptions, assertOrigin } from './options.js'
import { verifyProof } from './proof.js'
import { WEBHOOK_TTL_SECONDS, loginWebhookId, rememberOnce } from './store.js'
import { idOf, lacking, segment } from './transport.js'

/** @typedef {import('./openapi.js').components['schemas']} Schemas */
/** @typedef {import('./call-limits.js').CallOptions} CallOptions */

/**
 * @typedef {object} ServerLogin
 * @property {string} browserToken 32 random bytes in base64url, generated for this login. Keep it in the browser's own
 *   server-side session: it redeems the payload.
 * @property {string} origin The page's origin, which the phone shows. The app must list it.
 */

/** @typedef {Omit<Schemas['CreateSessionRequest'], 'origin'> & ServerLogin} CreateLoginRequest */

/**
 * @typedef {object} LoginQuery
 * @property {Schemas['SessionState']} [state]
 * @property {string} [createdFrom] ISO 8601.
 * @property {string} [createdBefore] ISO 8601.
 * @property {number} [limit] Logins per request, 1 to 100; 20 if absent.
 * @property {string} [cursor] Where to begin: `nextCursor` of an earlier answer.
 */

/**
 * The user who confirmed a login, and the key.
 *
 * @typedef {{ userId: string, keyId: string }} Login
 */

/**
 * What a login must match. `context` is the text with which you opened it, if any.
 *
 * @typedef {{ origin: string, findKey: import('./proof.js').FindKey, context?: string | null }} ExpectedLogin
 */

/** Logins by QR code or app link. */
export class Logins {
  #transport
  #store
  #time
  #appKey

  /**
   * @param {import('./transport.js').Transport} transport
   * @param {import('./store.js').Store<any>} store
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
   * Creates a login on behalf of a browser. Before you show `url`, compare `sessionId` with the id that you compute. To
   * show the time left, use `expiresIn`, because a clock may be wrong. The same token and key get the same answer
   * again.
   *
   * @param {CreateLoginRequest} request
   * @param {CallOptions} [options]
   * @returns {Promise<Schemas['NewSession']>}
   */
  async create({ browserToken, ...body }, options) {
    assertKey('browserToken', browserToken)
    const headers = { authorization: `Bearer ${browserToken}` }
    const opened = await this.#transport.call('POST', '/qr-sessions', { body, headers }, options)
    await rememberOnce(this.#store, loginWebhookId(idOf(opened, 'sessionId')), WEBHOOK_TTL_SECONDS)
    return opened
  }

  /**
   * Reads a login. Nothing in it logs a user in: an id proves nothing, because it is visible on a screen.
   *
   * @param {string} id
   * @param {CallOptions} [options]
   * @returns {Promise<Schemas['InspectedSession']>}
   */
  async get(id, options) {
    return this.#transport.call('GET', pathOf(id), {}, options)
  }

  /**
   * Iterates over logins, page by page. The service keeps a login for less than half an hour, so the list shows
   * current problems but no history.
   *
   * @param {LoginQuery} [query]
   * @param {CallOptions} [options] Limits of the call for each page.
   * @returns {AsyncGenerator<Schemas['InspectedSession'], void, void>}
   */
  async* list(query = {}, options = undefined) {
    let { cursor } = query
    do {
      const page = await this.page({ ...query, cursor }, options)
      yield* page.sessions
      cursor = page.nextCursor
    } while (cursor)
  }

  /**
   * Returns one page, whose `nextCursor` is the position of the next page. It is absent after the last page.
   *
   * @param {LoginQuery} [query]
   * @param {CallOptions} [options]
   * @returns {Promise<Schemas['SessionPage']>}
   */
  async page(query = {}, options = undefined) {
    const page = await this.#transport.call('GET', '/qr-sessions', { query: { ...query } }, options)
    if (!Array.isArray(page.sessions)) throw lacking('sessions')
    return page
  }

  /**
   * Ends a login that has not ended yet.
   *
   * @param {string} id
   * @param {CallOptions} [options]
   * @returns {Promise<void>}
   */
  async cancel(id, options) {
    await this.#transport.call('DELETE', pathOf(id), { mayBe: 'empty' }, options)
  }

  /**
   * Verifies who confirmed a login, and that this browser presented its payload. It does not mark the login
   * as used: accept each `sessionId` only once, as the handlers do.
   *
   * With `openedByServer`, payload and salt may be absent. **Only for an id that this server took from its own record
   * of what it opened for this browser**: without them, nothing shows that this browser asked, and the id is visible on
   * a screen. With check codes, only once the login is `consumed`.
   *
   * @overload
   * @param {import('./proof.js').LoginDetail} detail
   * @param {ExpectedLogin} expected
   * @returns {Promise<Login>}
   * @throws {import('./errors.js').LoginVerificationError}
   */
  /**
   * @overload
   * @param {import('./proof.js').OpenedLoginDetail} detail
   * @param {ExpectedLogin & { openedByServer: true }} expected
   * @returns {Promise<Login>}
   * @throws {import('./errors.js').LoginVerificationError}
   */
  /**
   * @param {import('./proof.js').LoginDetail | import('./proof.js').OpenedLoginDetail} detail
   * @param {ExpectedLogin & { openedByServer?: boolean }} expected
   * @returns {Promise<Login>}
   */
  async verify(detail, expected) {
    const appKey = this.requireAppKey()
    const { context = null, ...others } = expected
    // A misspelled or undefined context would let a plain login pass as an approval.
    if ('context' in expected && expected.context === undefined) {
      throw new TypeError('context is undefined: give the text of the login, or null if it has none')
    }
    assertOptions('verify', others, ['origin', 'findKey', 'openedByServer'])
    assertOrigin(expected.origin)
    assertCallback('findKey', expected.findKey)
    if (expected.openedByServer !== undefined) assertFlag('openedByServer', expected.openedByServer)
    return verifyProof(detail, { ...expected, context, appKey, time: this.#time })
  }

  /** Returns the app key, or throws if the options have no app key. */
  requireAppKey() {
    if (!this.#appKey) throw new CountersignError('logins are verified with the app key: set appKey')
    return this.#appKey
  }
}

/** @param {string} id */
const pathOf = (id) => `/qr-sessions/${segment(id)}`
