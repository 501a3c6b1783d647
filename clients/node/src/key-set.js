import { createPublicKey } from 'node:crypto'

import { KeysUnavailableError } from './errors.js'

const PATH = '/.well-known/jwks.json'
const DEFAULT_MAX_AGE_SECONDS = 300
/**
 * Shorter than for other requests, and without retries: a webhook is waiting, and the service sends it again.
 */
const TIMEOUT_MS = 5000
/** The time for which keys stay usable while newer ones cannot be fetched. */
const STALE_MS = 24 * 60 * 60 * 1000

/** The service's public keys, which sign webhooks. */
export class KeySet {
  #transport
  #system
  #refetchMs
  /** @type {Map<string, import('node:crypto').KeyObject | null>} `null` is a key that cannot be read. */
  #keys = new Map()
  #freshUntil = -Infinity
  #usableUntil = -Infinity
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
    const known = this.#known(kid, this.#freshUntil)
    if (known) return known
    try {
      await this.refresh()
    } catch (error) {
      const stale = this.#known(kid, this.#usableUntil)
      if (stale) return stale
      throw error
    }
    const key = this.#keys.get(kid)
    // This is not treated as a forgery: the service sends the webhook again, and may have published the key
    // by then.
    if (key === null) throw new KeysUnavailableError('the published key cannot be read')
    return key
  }

  /** Fetches the keys. Concurrent callers share one fetch. */
  async refresh() {
    // Strangers can send invented key ids, so not every unknown id may trigger a fetch.
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

  /**
   * @param {string} kid
   * @param {number} until
   */
  #known(kid, until) {
    return this.#system.monotonic() < until ? this.#keys.get(kid) : undefined
  }

  async #fetch() {
    try {
      const { body, headers } = await this.#transport.exchange('GET', PATH, TIMEOUT_MS)
      if (!Array.isArray(body.keys)) throw new KeysUnavailableError('the answer is not a set of keys')
      this.#keys = keysOf(body.keys)
      const maxAge = /\bmax-age=(\d+)/i.exec(headers.get('cache-control') ?? '')?.[1]
      const maxAgeMs = Number(maxAge ?? DEFAULT_MAX_AGE_SECONDS) * 1000
      // Until the next fetch is allowed, no better keys are available.
      this.#freshUntil = this.#system.monotonic() + Math.max(maxAgeMs, this.#refetchMs)
      this.#usableUntil = Math.max(this.#freshUntil, this.#system.monotonic() + STALE_MS)
    } catch (cause) {
      const why = cause instanceof Error ? `: ${cause.message}` : ''
      throw new KeysUnavailableError(`the keys cannot be fetched${why}`, { cause })
    }
  }
}

/**
 * Returns the keys that sign webhooks. A key that cannot be read affects only itself.
 *
 * @param {any[]} jwks
 */
function keysOf(jwks) {
  /** @type {Map<string, import('node:crypto').KeyObject | null>} */
  const keys = new Map()
  for (const jwk of jwks) {
    const { kty, crv, kid } = jwk ?? {}
    if (kty !== 'EC' || crv !== 'P-256' || typeof kid !== 'string') continue
    try {
      keys.set(kid, createPublicKey({ key: jwk, format: 'jwk' }))
    } catch {
      if (!keys.has(kid)) keys.set(kid, null)
    }
  }
  return keys
}
