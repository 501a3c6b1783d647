/**
 * Limits of a call. They take precedence over the client's.
 *
 * @typedef {object} CallOptions
 * @property {number} [timeout] The milliseconds that a call takes at most, with all its attempts and the waits between
 *   them; 30,000 if absent.
 * @property {number} [maxRetries] How often a call is tried again, from 0 to 10; 2 if absent.
 * @property {AbortSignal} [signal] Ends the call, which then throws the signal's reason.
 */

export const LIMITS = /** @type {const} */ (['timeout', 'maxRetries', 'signal'])

const TIMEOUT_MS = 30_000
const RETRIES = 2
const MAX_RETRIES = 10
/** The maximum wait that `setTimeout` supports. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** @typedef {{ timeout: number, maxRetries: number, signals: AbortSignal[] }} Limits */

/**
 * Returns the limits of a client.
 *
 * @param {CallOptions} options
 * @returns {Limits}
 */
export function limitsOf({ timeout = TIMEOUT_MS, maxRetries = RETRIES, signal }) {
  if (typeof timeout !== 'number' || !(timeout > 0 && timeout <= MAX_TIMEOUT_MS)) {
    throw new TypeError('timeout is not a number of milliseconds')
  }
  if (!Number.isInteger(maxRetries) || maxRetries < 0 || maxRetries > MAX_RETRIES) {
    throw new TypeError(`maxRetries is not a whole number from 0 to ${MAX_RETRIES}`)
  }
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw new TypeError('signal is not an AbortSignal')
  }
  return { timeout, maxRetries, signals: signal ? [signal] : [] }
}

/**
 * Returns the limits of a call. Undefined members count as absent, because a caller may pass on a signal that it may
 * not have.
 *
 * @param {Limits} ofClient
 * @param {CallOptions} [options]
 * @returns {Limits}
 */
export function limitsOfCall(ofClient, options = {}) {
  if (typeof options !== 'object' || options === null) throw new TypeError('the options of the call are not an object')
  const unknown = Object.keys(options).find((name) => !LIMITS.some((known) => known === name))
  if (unknown !== undefined) throw new TypeError(`a call has no option ${unknown}; it has ${LIMITS.join(', ')}`)
  const { timeout = ofClient.timeout, maxRetries = ofClient.maxRetries, signal } = options
  const own = limitsOf({ timeout, maxRetries, signal })
  return { ...own, signals: [...ofClient.signals, ...own.signals] }
}
