import { idOf, lacking, segment } from './transport.js'

/** @typedef {import('./openapi.js').components['schemas']} Schemas */
/** @typedef {import('./call-limits.js').CallOptions} CallOptions */

/** Keys with which phones prove who confirmed a login, registered so that the service can verify proofs as well. */
export class AssociationKeys {
  #transport

  /** @param {import('./transport.js').Transport} transport */
  constructor(transport) {
    this.#transport = transport
  }

  /**
   * Registers the key of a user who is currently logged in. `publicUserId` is your own id of the user, never a name
   * that the app chose.
   *
   * @param {Schemas['RegisterAssociationKeyRequest']} request
   * @param {CallOptions} [options]
   * @returns {Promise<Schemas['AssociationKeyId']>}
   */
  async register(request, options) {
    const registered = await this.#transport.call('POST', '/association-keys', { body: request }, options)
    idOf(registered, 'keyId')
    return registered
  }

  /**
   * Returns a user's active keys, oldest first.
   *
   * @param {{ publicUserId: string }} query
   * @param {CallOptions} [options]
   * @returns {Promise<Schemas['RegisteredAssociationKey'][]>}
   */
  async list(query, options) {
    const { keys } = await this.#transport.call('GET', '/association-keys', { query }, options)
    if (!Array.isArray(keys)) throw lacking('keys')
    return keys
  }

  /**
   * Revokes a key permanently.
   *
   * @param {string} keyId
   * @param {CallOptions} [options]
   * @returns {Promise<Schemas['AssociationKeyId']>}
   */
  async revoke(keyId, options) {
    return this.#transport.call('DELETE', `/association-keys/${segment(keyId)}`, {}, options)
  }
}
