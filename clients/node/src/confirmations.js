import { randomUUID } from 'node:crypto'

import { WEBHOOK_TTL_SECONDS } from './store.js'
import { NOT_ACTED_ON } from './transport.js'

/** @typedef {import('./openapi.js').components['schemas']} Schemas */

/**
 * @typedef {object} Repeatable
 * @property {string} [idempotencyKey] Makes the call safe to repeat, also from another process: for 24 hours, the
 *   same key and request get the same answer. A random one is used if absent.
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
   * @param {import('./store.js').Store} store
   */
  constructor(transport, store) {
    this.#transport = transport
    this.#store = store
  }

  /**
   * Starts a confirmation that learns a number: that of the first text with `confirmationMessage`. Show the message
   * to one user alone. Count down from `expiresIn` rather than to `expiresAt`, since this machine's clock may be wrong.
   *
   * @param {Schemas['AcquireRequest'] & Repeatable} [request]
   */
  acquire(request = {}) {
    return this.#start('/acquire-phone-number', request)
  }

  /**
   * Starts a confirmation of a number that you know. Only a text from it counts.
   *
   * @param {Schemas['ConfirmRequest'] & Repeatable} request
   */
  confirm(request) {
    return this.#start('/make-confirmation', request)
  }

  /**
   * @param {string} id
   * @returns {Promise<Schemas['Confirmation']>}
   */
  get(id) {
    return this.#transport.call('GET', pathOf(id))
  }

  /**
   * Cancels a confirmation that is open. Otherwise throws a problem such as `confirmation_verified`.
   *
   * @param {string} id
   * @returns {Promise<Schemas['Confirmation']>}
   */
  cancel(id) {
    return this.#transport.call('DELETE', pathOf(id))
  }

  /**
   * Erases the numbers and the metadata of a confirmation.
   *
   * @param {string} id
   * @returns {Promise<Schemas['Confirmation']>}
   */
  redact(id) {
    return this.#transport.call('POST', `${pathOf(id)}/redact`)
  }

  /**
   * Sends the webhook of a verified confirmation again. The handlers answer `already accepted` if they acted on it
   * before.
   *
   * @param {string} id
   * @returns {Promise<Schemas['Confirmation']>}
   */
  redeliver(id) {
    return this.#transport.call('POST', `${pathOf(id)}/redeliver`, { retry: NOT_ACTED_ON })
  }

  /**
   * Iterates over confirmations, page by page.
   *
   * @param {ListQuery} [query]
   * @returns {AsyncGenerator<Schemas['Confirmation'], void, void>}
   */
  async* list(query = {}) {
    let { cursor } = query
    do {
      const page = await this.#transport.call('GET', '/confirmations', { query: { ...query, cursor } })
      yield* page.confirmations
      cursor = page.nextCursor
    } while (cursor)
  }

  /**
   * @param {string} path
   * @param {Repeatable} request
   * @returns {Promise<Schemas['ConfirmationSession']>}
   */
  async #start(path, { idempotencyKey = randomUUID(), ...body }) {
    const headers = { 'idempotency-key': idempotencyKey }
    const started = await this.#transport.call('POST', path, { body, headers })
    await this.#store.remember(started.confirmationId, WEBHOOK_TTL_SECONDS)
    return started
  }
}

/** @param {string} id */
const pathOf = (id) => `/confirmations/${encodeURIComponent(id)}`
