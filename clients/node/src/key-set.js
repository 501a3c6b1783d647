import { createPublicKey } from 'node:crypto'

import { KeysUnavailableError } from './errors.js'

const PATH = '/.well-known/jwks.json'
const DEFAULT_MAX_AGE_SECONDS = 300
/** Shorter than for other requests, and tried once: a webhook waits for it, and its sender tries again. */
const TIMEOUT_MS = 5000

/** The service's public keys, which sign webhooks. */
export class KeySet {
  #transport
  #system
  #refetchMs
  /** @type {Map<string, import('node:crypto').KeyObject>} */
  #keys = new Map()
  #freshUntil = -Infinity
  #triedAt = -Infinity
  /** @type {Promise<void> | undefined} */
  #fetching

  /**
   * @param {import('./transport.js').Transport} transport
   * @param {import('./system.js').System} system
   * @param {number} refetchSeconds
   */
  constructor(transport, system, refetchSeconds) {
    this.#transport = transport
    this.#system = system
    this.#refetchMs = refetchSeconds * 1000
  }

  /**
   * Returns a key, or `undefined` if the service has no such key.
   *
   * @param {string} kid
   */
  async find(kid) {
    const fresh = this.#system.monotonic() < this.#freshUntil
    const known = fresh ? this.#keys.get(kid) : undefined
    if (known) return known
    await this.refresh()
    return this.#keys.get(kid)
  }

  /** Fetches the keys. Concurrent callers share one fetch. */
  async refresh() {
    // Anybody can send us invented key ids, so that not every unknown one may cause a fetch.
    if (!this.#fetching) {
      const now = this.#system.monotonic()
      if (now - this.#triedAt < this.#refetchMs) {
        throw new KeysUnavailableError('the keys were fetched a moment ago')
      }
      this.#triedAt = now
      this.#fetching = this.#fetch().finally(() => { this.#fetching = undefined })
    }
    await this.#fetching
  }

  async #fetch() {
    try {
      const { body, headers } = await this.#transport.exchange('GET', PATH, { timeoutMs: TIMEOUT_MS })
      this.#keys = keysOf(body)
      const maxAge = /\bmax-age=(\d+)/i.exec(headers.get('cache-control') ?? '')?.[1]
      const maxAgeMs = Number(maxAge ?? DEFAULT_MAX_AGE_SECONDS) * 1000
      // Until the next fetch is allowed, there are no better keys.
      this.#freshUntil = this.#system.monotonic() + Math.max(maxAgeMs, this.#refetchMs)
    } catch (cause) {
      throw new KeysUnavailableError('the keys cannot be fetched', { cause })
    }
  }
}

/**
 * Keeps the keys of the kind that signs webhooks.
 *
 * @param {{ keys: import('node:crypto').JsonWebKey[] }} body
 */
function keysOf({ keys }) {
  const usable = keys.filter(({ kty, crv, kid }) => kty === 'EC' && crv === 'P-256' && typeof kid === 'string')
  return new Map(usable.map((jwk) => [String(jwk.kid), createPublicKey({ key: jwk, format: 'jwk' })]))
}
