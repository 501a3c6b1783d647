import { randomUUID } from 'node:crypto'

import { assertCallback } from './options.js'
import { NOT_ACTED_ON } from './retries.js'
import { WEBHOOK_TTL_SECONDS, rememberOnce } from './store.js'
import { idOf, lacking, segment } from './transport.js'

/** @typedef {import('./openapi.js').components['schemas']} Schemas */
/** @typedef {import('./call-limits.js').CallOptions} CallOptions */

/**
 * @typedef {object} Repeatable
 * @property {string} [idempotencyKey] Makes the call safe to repeat, also from another process: for 24 hours, the
 *   same key and request get the same answer. A random one is used if absent.
 */

/**
 * @template [Tx=void]
 * @typedef {object} Recorded
 * @property {(started: Schemas['ConfirmationSession'], transaction: Tx) => unknown} [onStarted] Writes your record of
 *   `started.confirmationId`, before the call returns and before a webhook of it is accepted. `transaction` is the
 *   store's, if it has one: the record and what the store remembers are then written together or not at all. It does
 *   not run for an answer that is repeated. If it throws, so does the call: show nothing then.
 */

/**
 * @template [Tx=any]
 * @typedef {Schemas['AcquireRequest'] & Repeatable & Recorded<Tx>} AcquireRequest
 */
/**
 * @template [Tx=any]
 * @typedef {Schemas['ConfirmRequest'] & Repeatable & Recorded<Tx>} ConfirmRequest
 */

/**
 * The answer to a request. `client` is there if the request has `clientChannel: true`, and `phoneNumber` if it has one.
 *
 * @template {AcquireRequest} R
 * @typedef {Schemas['ConfirmationSession']
 *   & (R extends { clientChannel: true } ? { client: Schemas['ConfirmationClient'] } : {})
 *   & (R extends { phoneNumber: string } ? { phoneNumber: string } : {})} Started
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

/**
 * Phone numbers, verified by a text that the user sends.
 *
 * @template [Tx=void] The transaction that the store hands to callbacks, if it has one.
 */
export class Confirmations {
  #transport
  #store

  /**
   * @param {import('./transport.js').Transport} transport
   * @param {import('./store.js').Store<Tx>} store
   */
  constructor(transport, store) {
    this.#transport = transport
    this.#store = store
  }

  /**
   * Starts a confirmation of an unknown number: that of the first text with `confirmationMessage`. Show the message to
   * one user only. To show the time left, use `expiresIn` rather than `expiresAt`, because this machine's clock may be
   * wrong.
   *
   * @template {AcquireRequest<Tx>} [R=AcquireRequest<Tx>]
   * @param {R} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<Started<R>>}
   */
  acquire(request, options) {
    return this.#start('/acquire-phone-number', request ?? /** @type {R} */ ({}), options)
  }

  /**
   * Starts a confirmation of a number that you know. Only a text from that number completes it. Store and
   * compare the answer's `phoneNumber`: it is in E.164, as in the webhook.
   *
   * @template {ConfirmRequest<Tx>} R
   * @param {R} request
   * @param {CallOptions} [options]
   * @returns {Promise<Started<R>>}
   */
  confirm(request, options) {
    return this.#start(CONFIRM, request, options)
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
   * Cancels an open confirmation. Otherwise throws a problem such as `confirmation_verified`.
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
   * Returns one page, whose `nextCursor` is the position of the next page. It is absent after the last page.
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
   * @template {AcquireRequest<Tx>} R
   * @param {string} path
   * @param {R} request
   * @param {CallOptions} [options]
   * @returns {Promise<Started<R>>}
   */
  async #start(path, { idempotencyKey = randomUUID(), onStarted, ...body }, options) {
    if (onStarted !== undefined) assertCallback('onStarted', onStarted)
    const headers = { 'idempotency-key': idempotencyKey }
    const started = await this.#transport.call('POST', path, { body, headers }, options)
    const id = idOf(started, 'confirmationId')
    if (body.clientChannel === true && !started.client) throw lacking('client')
    if (path === CONFIRM && !started.phoneNumber) throw lacking('phoneNumber')
    await rememberOnce(this.#store, id, WEBHOOK_TTL_SECONDS, (transaction) => onStarted?.(started, transaction))
    return started
  }
}

const CONFIRM = '/make-confirmation'

/** @param {string} id */
const pathOf = (id) => `/confirmations/${segment(id)}`
