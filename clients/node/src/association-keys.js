/** @typedef {import('./openapi.js').components['schemas']} Schemas */

/** Keys with which phones prove who confirmed a login, registered so that the service can verify proofs as well. */
export class AssociationKeys {
  #transport

  /** @param {import('./transport.js').Transport} transport */
  constructor(transport) {
    this.#transport = transport
  }

  /**
   * Registers the key of a user who is logged in at this moment. `publicUserId` is your own id of the user, never a
   * name that the app chose.
   *
   * @param {Schemas['RegisterAssociationKeyRequest']} request
   * @returns {Promise<Schemas['AssociationKeyId']>}
   */
  register(request) {
    return this.#transport.call('POST', '/association-keys', { body: request })
  }

  /**
   * Returns a user's active keys, oldest first.
   *
   * @param {{ publicUserId: string }} query
   * @returns {Promise<Schemas['RegisteredAssociationKey'][]>}
   */
  async list(query) {
    return (await this.#transport.call('GET', '/association-keys', { query })).keys
  }

  /**
   * Revokes a key for ever.
   *
   * @param {string} keyId
   * @returns {Promise<Schemas['AssociationKeyId']>}
   */
  revoke(keyId) {
    return this.#transport.call('DELETE', `/association-keys/${encodeURIComponent(keyId)}`)
  }
}
