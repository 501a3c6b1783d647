import { CountersignError } from './errors.js'
import { assertCallback } from './options.js'

/**
 * Remembers what this server started, so that each webhook and each login is acted on once.
 *
 * Ids are text of at most 64 characters: of confirmations (`cfm_…`), of logins (`qrs_…`, `qrp_…`), and of webhooks
 * about logins (`webhook:qrs_…`). `examples/` has a store in SQL and one in Redis.
 *
 * @template [Tx=void]
 * @typedef {object} Store
 * @property {(id: string, ttlSeconds: number) => Promise<void>} remember
 *   Makes the id pending, unless it is known. It may be forgotten after this time.
 * @property {(id: string, act: Act<Tx>) => Promise<Outcome>} accept
 *   If the id is pending, runs `act`, and marks the id as accepted if `act` succeeded. If `act` throws, the id
 *   stays pending and the error goes on. Of concurrent calls for one id, only one may succeed in running `act`.
 */

/**
 * What happens when an id is accepted. A store may hand over its transaction, so that the effects and the mark are
 * written together or not at all.
 *
 * @template [Tx=void]
 * @typedef {(transaction: Tx) => unknown} Act
 */

/** @typedef {'accepted' | 'repeated' | 'unknown'} Outcome */

/** @param {Partial<Store<any>>} store */
export function assertStore(store) {
  assertCallback('store.remember', store.remember)
  assertCallback('store.accept', store.accept)
}

/**
 * Has a store accept an id, and makes sure that it has run `act` to its end.
 *
 * @template Tx
 * @param {Store<Tx>} store
 * @param {string} id
 * @param {Act<Tx>} act
 */
export async function acceptOnce(store, id, act) {
  let ended = false
  const outcome = await store.accept(id, (transaction) => {
    const result = act(transaction)
    // Stores in synchronous databases run it without waiting.
    if (typeof (/** @type {{ then?: unknown } | undefined} */ (result)?.then) !== 'function') {
      ended = true
      return result
    }
    return Promise.resolve(result).then((value) => {
      ended = true
      return value
    })
  })
  if (outcome === 'accepted' && !ended) {
    throw new CountersignError('the store said that an id is accepted, but its act has not ended: await it in accept')
  }
  return outcome
}

const SWEEP_MS = 60_000

/**
 * A store in the memory of this process. It forgets everything when the process ends, and other processes do not see
 * it: with more than one process, use a shared store.
 *
 * @implements {Store<any>}
 */
export class MemoryStore {
  /** @type {Map<string, { state: 'pending' | 'accepted', expiresAt: number, running?: Promise<unknown> }>} */
  #entries = new Map()
  #sweptAt = -Infinity
  #monotonic

  /** @param {import('./system.js').System} system */
  constructor({ monotonic }) {
    this.#monotonic = monotonic
  }

  /**
   * @param {string} id
   * @param {number} ttlSeconds
   */
  async remember(id, ttlSeconds) {
    this.#sweep()
    if (this.#find(id)) return
    this.#entries.set(id, { state: 'pending', expiresAt: this.#monotonic() + ttlSeconds * 1000 })
  }

  /**
   * @param {string} id
   * @param {Act<any>} act
   * @returns {Promise<Outcome>}
   */
  async accept(id, act) {
    const entry = this.#find(id)
    if (!entry) return 'unknown'
    // Another call may be acting, and may fail.
    while (entry.running) await entry.running.catch(() => {})
    if (entry.state === 'accepted') return 'repeated'
    entry.running = Promise.resolve().then(() => act(undefined))
    try {
      await entry.running
      entry.state = 'accepted'
      return 'accepted'
    } finally {
      entry.running = undefined
    }
  }

  /** @param {string} id */
  #find(id) {
    const entry = this.#entries.get(id)
    return entry && this.#monotonic() < entry.expiresAt ? entry : undefined
  }

  #sweep() {
    const now = this.#monotonic()
    if (now - this.#sweptAt < SWEEP_MS) return
    this.#sweptAt = now
    for (const [id, { expiresAt }] of this.#entries) {
      if (expiresAt <= now) this.#entries.delete(id)
    }
  }
}

/** The service sends a webhook for a day, and on request for a week. */
export const WEBHOOK_TTL_SECONDS = 8 * 24 * 60 * 60

/** No proof is valid for longer. */
export const LOGIN_TTL_SECONDS = 10 * 60

/**
 * Returns the id by which the webhook about a login is remembered. It differs from the login's own, so that the
 * webhook cannot use up the login.
 *
 * @param {string} sessionId
 */
export const loginWebhookId = (sessionId) => `webhook:${sessionId}`
