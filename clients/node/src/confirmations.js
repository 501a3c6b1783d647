import { randomUUID } from 'node:crypto'

import { WEBHOOK_TTL_SECONDS } from './store.js'
import { NOT_ACTED_ON } from './retries.js'
import { idOf, lacking, segment } from './transport.js'

/** @typedef {import('./openapi.js').components['schemas']} Schemas */
/** @typedef {import('./limits.js').CallOptions} CallOptions */

/**
 * @typedef {object} Repeatable
 * @property {string} [idempotencyKey] Makes the call safe to repeat, also from another process: for 24 hours, the
 *   same key and request get the same answer. A random one is used if absent.
 */

/** @typedef {Schemas['AcquireRequest'] & Repeatable} AcquireRequest */
/** @typedef {Schemas['ConfirmRequest'] & Repeatable} ConfirmRequest */

/**
 * The answer to a request. `client` is there if the request has `clientChannel: true`.
 *
 * @template {AcquireRequest} R
 * @typedef {R extends { clientChannel: true }
 *   ? Schemas['ConfirmationSession'] & { client: Schemas['ConfirmationClient'] }
 *   : Schemas['ConfirmationSession']} Started
 */

/**
 * @typedef {object} ListQuery
 * @property {Schemas['ConfirmationStatus']} [status]
 * @property {string} [lastDigits] The last two to six digits of the number.
 * @property {string} [createdFrom] ISO 8601.
 * @property {string} [createdBefore] ISO 8601.
 * @property {number} [limit] Confirmations per request, 1 to 100; 20 if absent.
 * @property {string} [cursor] Where to begin: `nextCursor` of an earlier answer.
 */

/** Phone numbers, proven by a text that the user sends. */
export class Confirmations {
  #transport
  #store

  /**
   * @param {import('./transport.js').Transport} transport
   * @param {import('./store.js').Store<any>} store
   */
  constructor(transport, store) {
    this.#transport = transport
    this.#store = store
  }

  /**
   * Starts a confirmation that learns a number: that of the first text with `confirmationMessage`. Show the message
   * to one user alone. Count down from `expiresIn` rather than to `expiresAt`, since this machine's clock may be wrong.
   *
   * @template {AcquireRequest} [R=AcquireRequest]
   * @param {R} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<Started<R>>}
   */
  acquire(request, options) {
    return this.#start('/acquire-phone-number', request ?? /** @type {R} */ ({}), options)
  }

  /**
   * Starts a confirmation of a number that you know. Only a text from it counts.
   *
   * @template {ConfirmRequest} R
   * @param {R} request
   * @param {CallOptions} [options]
   * @returns {Promise<Started<R>>}
   */
  confirm(request, options) {
    return this.#start('/make-confirmation', request, options)
  }

  /**
   * @param {string} id
   * @param {CallOptions} [options]
   * @returns {Promise<Schemas['Confirmation']>}
   */
  async get(id, options) {
    return this.#transport.call('GET', pathOf(id), {}, options)
  }

  /**
   * Cancels a confirmation that is open. Otherwise throws a problem such as `confirmation_verified`.
   *
   * @param {string} id
   * @param {CallOptions} [options]
   * @returns {Promise<Schemas['Confirmation']>}
   */
  async cancel(id, options) {
    return this.#transport.call('DELETE', pathOf(id), {}, options)
  }

  /**
   * Erases the numbers and the metadata of a confirmation.
   *
   * @param {string} id
   * @param {CallOptions} [options]
   * @returns {Promise<Schemas['Confirmation']>}
   */
  async redact(id, options) {
    return this.#transport.call('POST', `${pathOf(id)}/redact`, {}, options)
  }

  /**
   * Sends the webhook of a verified confirmation again. The handlers answer `already accepted` if they acted on it
   * before.
   *
   * @param {string} id
   * @param {CallOptions} [options]
   * @returns {Promise<Schemas['Confirmation']>}
   */
  async redeliver(id, options) {
    return this.#transport.call('POST', `${pathOf(id)}/redeliver`, { retry: NOT_ACTED_ON }, options)
  }

  /**
   * Iterates over confirmations, page by page.
   *
   * @param {ListQuery} [query]
   * @param {CallOptions} [options] Limits of the call for each page.
   * @returns {AsyncGenerator<Schemas['Confirmation'], void, void>}
   */
  async* list(query = {}, options = undefined) {
    let { cursor } = query
    do {
      const page = await this.page({ ...query, cursor }, options)
      yield* page.confirmations
      cursor = page.nextCursor
    } while (cursor)
  }

  /**
   * Returns one page, and as `nextCursor` where the next one begins. It is absent after the last page.
   *
   * @param {ListQuery} [query]
   * @param {CallOptions} [options]
   * @returns {Promise<Schemas['ConfirmationPage']>}
   */
  async page(query = {}, options = undefined) {
    const page = await this.#transport.call('GET', '/confirmations', { query: { ...query } }, options)
    if (!Array.isArray(page.confirmations)) throw lacking('confirmations')
    return page
  }

  /**
   * @template {AcquireRequest} R
   * @param {string} path
   * @param {R} request
   * @param {CallOptions} [options]
   * @returns {Promise<Started<R>>}
   */
  async #start(path, { idempotencyKey = randomUUID(), ...body }, options) {
    const headers = { 'idempotency-key': idempotencyKey }
    const started = await this.#transport.call('POST', path, { body, headers }, options)
    const id = idOf(started, 'confirmationId')
    if (body.clientChannel === true && !started.client) throw lacking('client')
    await this.#store.remember(id, WEBHOOK_TTL_SECONDS)
    return started
  }
}

/** @param {string} id */
const pathOf = (id) => `/confirmations/${segment(id)}`
