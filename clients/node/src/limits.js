// Limits how often a shop's own route starts confirmations, logins or approvals.

// Well maintained, and with stores for Redis, SQL and more: it is an optional peer dependency of this
// package.
import { RateLimiterMemory } from 'rate-limiter-flexible'

import { addressValue, keyOf, numberValue } from './limits/keys.js'
import { assertCallback, assertOptions, assertText } from './options.js'

/** @typedef {{ limit: number, seconds: number }} Limit At most `limit` starts in this many seconds. */

/**
 * A limiter of `rate-limiter-flexible`, such as its `RateLimiterRedis`.
 *
 * @typedef {object} Counter
 * @property {(key: string) => Promise<unknown>} consume
 * @property {(key: string) => Promise<unknown>} reward
 */

/**
 * @typedef {object} StartLimits
 * @property {Limit} [perBrowser] 5 in 10 minutes if absent.
 * @property {Limit} [perAddress] 30 in 10 minutes if absent. An IPv6 address counts with its /64.
 * @property {Limit} [perNumber] 5 in an hour if absent. National and international spellings of a number are one.
 * @property {(options: { points: number, duration: number, keyPrefix: string }) => Counter} [store] Where the counts are, for
 *   more than one process: `(options) => new RateLimiterRedis({ ...options, storeClient })`. **The default is the memory of
 *   this process.**
 */

/**
 * @typedef {object} Start
 * @property {string} browser What tells this browser from others, such as the id of its session.
 * @property {string} address The visitor's IP address. Behind a proxy, have your framework read it from the header that the
 *   proxy sets (`trust proxy` in Express).
 * @property {string | null} [phoneNumber] The number that the visitor has typed, if there is one.
 */

/** @typedef {{ limit: 'browser' | 'address' | 'number', retryAfter: number }} StartRefusal Answer 429 with `Retry-After`, in seconds. */

const DEFAULTS = {
  perBrowser: { limit: 5, seconds: 600 },
  perAddress: { limit: 30, seconds: 600 },
  perNumber: { limit: 5, seconds: 3600 },
}

/** Limits starts by browser, address and phone number. */
export class StartLimiter {
  #counters

  /** @param {StartLimits} limits */
  constructor(limits) {
    assertOptions('startLimiter', limits, [...Object.keys(DEFAULTS), 'store'])
    const { perBrowser, perAddress, perNumber } = { ...DEFAULTS, ...limits }
    const { store = (options) => new RateLimiterMemory(options) } = limits
    assertCallback('store', store)
    this.#counters = {
      browser: counterOf(store, 'perBrowser', perBrowser),
      address: counterOf(store, 'perAddress', perAddress),
      number: counterOf(store, 'perNumber', perNumber),
    }
  }

  /**
   * Counts a start, and returns nothing if it is allowed. A refused start does not count against the other limits.
   * If the store fails, its error is thrown.
   *
   * @param {Start} start
   * @returns {Promise<StartRefusal | undefined>}
   */
  async take(start) {
    /** @type {(() => Promise<unknown>)[]} */
    const undo = []
    for (const { limit, value } of valuesOf(start)) {
      const counter = this.#counters[limit]
      const key = keyOf(limit, value)
      try {
        await counter.consume(key)
        undo.push(() => counter.reward(key))
      } catch (refusal) {
        await Promise.allSettled(undo.map((giveBack) => giveBack()))
        return { limit, retryAfter: secondsOf(refusal) }
      }
    }
    return undefined
  }
}

/**
 * Creates a limiter. Create one per process, and share it.
 *
 * @param {StartLimits} [limits]
 */
export const startLimiter = (limits = {}) => new StartLimiter(limits)

/**
 * @param {NonNullable<StartLimits['store']>} store
 * @param {string} name
 * @param {Limit} limit
 */
function counterOf(store, name, limit) {
  assertOptions(name, limit, ['limit', 'seconds'])
  for (const member of /** @type {const} */ (['limit', 'seconds'])) {
    if (!Number.isSafeInteger(limit[member]) || limit[member] < 1) throw new TypeError(`${name}.${member} is not a whole number from 1`)
  }
  const counter = store({ points: limit.limit, duration: limit.seconds, keyPrefix: 'countersign' })
  if (typeof counter?.consume !== 'function' || typeof counter.reward !== 'function') {
    throw new TypeError('store has to return a limiter of rate-limiter-flexible')
  }
  return counter
}

/**
 * @param {Start} start
 * @returns {{ limit: 'browser' | 'address' | 'number', value: string }[]}
 */
function valuesOf(start) {
  const { phoneNumber = null, ...others } = start
  assertOptions('take', others, ['browser', 'address'])
  assertText('browser', others.browser)
  if (phoneNumber !== null && typeof phoneNumber !== 'string') throw new TypeError('phoneNumber is no text')
  const digits = phoneNumber === null ? undefined : numberValue(phoneNumber)
  return [
    { limit: 'browser', value: others.browser },
    { limit: 'address', value: addressValue(others.address) },
    ...(digits === undefined ? [] : [{ limit: /** @type {const} */ ('number'), value: digits }]),
  ]
}

/**
 * Returns the seconds until the next allowed start, or throws an error that is not a refusal.
 *
 * @param {unknown} refusal
 */
function secondsOf(refusal) {
  const { msBeforeNext } = /** @type {{ msBeforeNext?: unknown }} */ (refusal ?? {})
  if (refusal instanceof Error || typeof msBeforeNext !== 'number') throw refusal
  return Math.max(1, Math.ceil(msBeforeNext / 1000))
}
