import { ConnectionError, ProblemError } from './errors.js'

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 8000
const MAX_RETRY_AFTER_SECONDS = 2 ** 31 - 1
const RETRIED = new Set([429, 500, 502, 503, 504])
/** The HTTP date format. `Date.parse` accepts many others, even '5.5'. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** @typedef {ProblemError | ConnectionError} Failure */

/** For requests that are safe to repeat. */
export const SAFE = (/** @type {Failure} */ failure) => (
  failure instanceof ConnectionError && failure.status === undefined || RETRIED.has(failure.status ?? 0)
)

/** For requests that must not be repeated if the service may have processed them. */
export const NOT_ACTED_ON = (/** @type {Failure} */ { status, cause }) => (
  status === 429 || /** @type {{ code?: unknown } | undefined} */ (cause)?.code === 'ECONNREFUSED'
)

/**
 * Returns the milliseconds before the next attempt, which the service may determine.
 *
 * @param {Failure} failure
 * @param {number} tries The number of attempts so far, from 1.
 * @param {number} chance From 0 to 1.
 */
export function waitBefore({ retryAfter }, tries, chance) {
  if (retryAfter) return retryAfter * 1000
  return Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), MAX_WAIT_MS) * (1 + chance / 4)
}

/**
 * Returns the seconds of `Retry-After`, which may also be a date.
 *
 * @param {Headers} headers
 * @param {number} now The service's time in milliseconds, for answers without a date.
 */
export function retryAfterOf(headers, now) {
  const value = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(value)) return Math.min(Number(value), MAX_RETRY_AFTER_SECONDS)
  if (!HTTP_DATE.test(value)) return undefined
  const date = Date.parse(headers.get('date') ?? '')
  const seconds = (Date.parse(value) - (Number.isNaN(date) ? now : date)) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds))
}
