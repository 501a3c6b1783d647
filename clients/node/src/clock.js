/** The process's clocks must agree to within this time; otherwise, one of them was adjusted. */
const STEP_MS = 2000

/**
 * The service's time. It is the machine's clock plus an offset, which is measured with every answer of the
 * service, so that a wrong system clock does no harm.
 */
export class Clock {
  #system
  #offset = 0
  /** Machine time minus monotonic time when the offset was measured. */
  #base = NaN

  /** @param {import('./system.js').System} system */
  constructor(system) {
    this.#system = system
  }

  /**
   * Reads the time from an answer that has just arrived.
   *
   * @param {Headers} headers
   * @param {unknown} body
   */
  learn(headers, body) {
    const time = serverTime(body) ?? dateOf(headers)
    if (time === undefined) return
    this.#offset = time - this.#system.now()
    this.#base = this.#system.now() - this.#system.monotonic()
  }

  /** Whether the offset is known. The offset is discarded if the machine's clock is adjusted. */
  get known() {
    return Math.abs(this.#system.now() - this.#system.monotonic() - this.#base) < STEP_MS
  }

  /**
   * Returns the service's time in milliseconds since 1970, or the machine's time while the offset is unknown.
   */
  now() {
    return this.#system.now() + (this.known ? this.#offset : 0)
  }
}

/** @param {unknown} body */
function serverTime(body) {
  if (typeof body !== 'object' || body === null || !('serverTime' in body)) return undefined
  const { serverTime: time } = body
  // `Date.parse` accepts many other forms, even numbers.
  return typeof time === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(time) ? numberOf(Date.parse(time)) : undefined
}

/** @param {Headers} headers */
function dateOf(headers) {
  // A cache passes on the answer with the original date.
  const age = /^\d{1,9}$/.exec(headers.get('age') ?? '')?.[0] ?? 0
  return numberOf(Date.parse(headers.get('date') ?? '') + Number(age) * 1000)
}

/** @param {number} value */
const numberOf = (value) => Number.isNaN(value) ? undefined : value
