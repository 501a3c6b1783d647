import { WEBHOOK_TTL_SECONDS, rememberOnce } from './store.js'
import { idOf, segment } from './transport.js'

/** @typedef {import('./openapi.js').components['schemas']} Schemas */
/** @typedef {import('./call-limits.js').CallOptions} CallOptions */

/** Registrations that set a phone without an app up: the browser on it becomes one of the user's phones. */
export class PhoneRegistrations {
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
   * Begins to set up a phone. **Call it only for a user who has just logged in again**, or who has approved it with
   * another phone, and give the whole answer to that user's page, for `<countersign-setup>`: anyone who has `url` and
   * `pageToken` can add a phone to the account. So log neither. A retry after a lost answer creates another
   * registration, and the lost one expires.
   *
   * @param {Schemas['CreatePhoneRegistrationRequest']} request
   * @param {CallOptions} [options]
   * @returns {Promise<Schemas['CreatedPhoneRegistration']>}
   */
  async create(request, options) {
    const created = await this.#transport.call('POST', '/phone-registrations', { body: request }, options)
    await rememberOnce(this.#store, idOf(created, 'registrationId'), WEBHOOK_TTL_SECONDS)
    return created
  }

  /**
   * Reads a registration, which the service keeps for a day. Once its `state` is `completed`, `keyId` is one of the
   * user's association keys.
   *
   * @param {string} id
   * @param {CallOptions} [options]
   * @returns {Promise<Schemas['ShownPhoneRegistration']>}
   */
  async get(id, options) {
    return this.#transport.call('GET', pathOf(id), {}, options)
  }

  /**
   * Cancels a registration whose digits the user has not typed yet.
   *
   * @param {string} id
   * @param {CallOptions} [options]
   * @returns {Promise<void>}
   */
  async cancel(id, options) {
    await this.#transport.call('DELETE', pathOf(id), { mayBe: 'empty' }, options)
  }
}

/** @param {string} id */
const pathOf = (id) => `/phone-registrations/${segment(id)}`
