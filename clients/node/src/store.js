import { CountersignError } from './errors.js'
import { assertCallback } from './options.js'

/**
 * Records what this server started, so that each webhook and each login is acted on only once.
 *
 * Ids are text of at most 64 characters: of confirmations (`cfm_…`), of approvals (`apr_…`), of logins (`qrs_…`,
 * `qrp_…`), of phone registrations (`phr_…`), and of webhooks about logins (`webhook:qrs_…`). `examples/` contains an SQL store and a Redis store.
 *
 * @template [Tx=void]
 * @typedef {object} Store
 * @property {(id: string, ttlSeconds: number, act: Act<Tx>) => Promise<boolean>} remember
 *   Unless the id is known, runs `act`, makes the id pending if `act` succeeded, and returns true. If `act` throws, the
 *   id stays unknown and the error is thrown. Returns false if the id is known. It may be forgotten after this time.
 * @property {(id: string, act: Act<Tx>) => Promise<Outcome>} accept
 *   If the id is pending, runs `act`, and marks the id as accepted if `act` succeeded. If `act` throws, the id
 *   stays pending and the error is thrown. Of concurrent calls for one id, only one may succeed in running `act`.
 */

/**
 * What happens when an id is recorded or accepted. A store may pass on its transaction, so that the effects and the
 * mark are committed together or not at all.
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
 * Makes a store record an id, and checks that it has run `act` to its end.
 *
 * @template Tx
 * @param {Store<Tx>} store
 * @param {string} id
 * @param {number} ttlSeconds
 * @param {Act<Tx>} [act]
 */
export async function rememberOnce(store, id, ttlSeconds, act = () => {}) {
  const watched = watch(act)
  const remembered = await store.remember(id, ttlSeconds, watched.act)
  if (typeof remembered !== 'boolean') {
    throw new CountersignError('store.remember has to return whether the id is new, after it has run its act')
  }
  if (remembered && !watched.ended()) {
    throw new CountersignError('the store said that an id is remembered, but its act has not ended: await it in remember')
  }
}

/**
 * Makes a store accept an id, and checks that it has run `act` to its end.
 *
 * @template Tx
 * @param {Store<Tx>} store
 * @param {string} id
 * @param {Act<Tx>} act
 */
export async function acceptOnce(store, id, act) {
  const watched = watch(act)
  const outcome = await store.accept(id, watched.act)
  if (outcome === 'accepted' && !watched.ended()) {
    throw new CountersignError('the store said that an id is accepted, but its act has not ended: await it in accept')
  }
  return outcome
}

/**
 * Returns the act, and a function that returns whether it has ended.
 *
 * @template Tx
 * @param {Act<Tx>} act
 */
function watch(act) {
  let hasEnded = false
  return {
    ended: () => hasEnded,
    /** @type {Act<Tx>} */
    act(transaction) {
      const result = act(transaction)
      // Stores in synchronous databases run it without waiting.
      if (typeof (/** @type {{ then?: unknown } | undefined} */ (result)?.then) !== 'function') {
        hasEnded = true
        return result
      }
      return Promise.resolve(result).then((value) => {
        hasEnded = true
        return value
      })
    },
  }
}

const SWEEP_MS = 60_000

/**
 * A store in this process's memory. It forgets everything when the process ends, and other processes cannot see it:
 * with more than one process, use a shared store.
 *
 * @implements {Store<any>}
 */
export class MemoryStore {
  /** @type {Map<string, { state: 'new' | 'pending' | 'accepted', expiresAt: number, running?: Promise<unknown> }>} */
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
   * @param {Act<any>} act
   */
  async remember(id, ttlSeconds, act) {
    this.#sweep()
    let known = this.#find(id)
    // Another call may be acting, and may fail. Without one, nothing is awaited before this call acts.
    while (known?.running) known = await this.#after(id, known.running)
    if (known) return false
    const running = Promise.resolve().then(() => act(undefined))
    /** @type {{ state: 'new' | 'pending', expiresAt: number, running?: Promise<unknown> }} */
    const entry = { state: 'new', expiresAt: this.#monotonic() + ttlSeconds * 1000, running }
    this.#entries.set(id, entry)
    try {
      await running
      entry.state = 'pending'
      return true
    } finally {
      if (entry.state === 'new') this.#entries.delete(id)
      entry.running = undefined
    }
  }

  /**
   * @param {string} id
   * @param {Act<any>} act
   * @returns {Promise<Outcome>}
   */
  async accept(id, act) {
    let entry = this.#find(id)
    while (entry?.running) entry = await this.#after(id, entry.running)
    if (!entry) return 'unknown'
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

  /**
   * Returns what is known about an id after another call has acted on it.
   *
   * @param {string} id
   * @param {Promise<unknown>} running
   */
  async #after(id, running) {
    await running.catch(() => {})
    return this.#find(id)
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

/** The service retries a webhook for a day, and redelivers it on request for a week. */
export const WEBHOOK_TTL_SECONDS = 8 * 24 * 60 * 60

/** No proof is valid for longer than this. */
export const LOGIN_TTL_SECONDS = 10 * 60

/**
 * Returns the id under which the webhook about a login is recorded. It differs from the login's own, so that
 * the webhook cannot use up the login.
 *
 * @param {string} sessionId
 */
export const loginWebhookId = (sessionId) => `webhook:${sessionId}`
