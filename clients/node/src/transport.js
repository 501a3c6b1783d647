import { ConnectionError, ProblemError } from './errors.js'
import { limitsOfCall } from './call-limits.js'
import { approvalToken } from './login-ids.js'
import { SAFE, retryAfterOf, waitBefore } from './retries.js'
import { VERSION } from './version.js'

/** Limit for every attempt except the last one, which may use all the remaining time. */
const TRY_TIMEOUT_MS = 10_000

/** @typedef {import('./call-limits.js').CallOptions} CallOptions */
/** @typedef {import('./retries.js').Failure} Failure */

/**
 * @typedef {object} Request
 * @property {Record<string, unknown>} [query] Members without a value are left out.
 * @property {Record<string, string>} [headers]
 * @property {unknown} [body] Sent as JSON.
 * @property {'empty' | 'true'} [mayBe] What is an answer in addition to an object: 204, or the JSON `true`.
 */

/** Sends requests to the service, and reports its time to the clock. */
export class Transport {
  #url
  #origin
  #apiKey
  #limits
  #doFetch
  #clock
  #system

  /**
   * @param {object} service
   * @param {string} service.url
   * @param {string} service.apiKey
   * @param {import('./call-limits.js').Limits} service.limits
   * @param {typeof globalThis.fetch} [service.doFetch]
   * @param {import('./clock.js').Clock} clock
   * @param {import('./system.js').System} system
   */
  constructor({ url, apiKey, limits, doFetch }, clock, system) {
    this.#url = url
    this.#origin = new URL(url).origin
    this.#apiKey = apiKey
    this.#limits = limits
    // Looked up at each call, so that tools can replace it later.
    this.#doFetch = doFetch ?? ((/** @type {URL} */ address, /** @type {RequestInit} */ init) => fetch(address, init))
    this.#clock = clock
    this.#system = system
  }

  /**
   * Sends a request, retries it if that is safe and may help, and returns the body of the answer. It has the API
   * key, unless `caller` has the headers of another sender, such as a phone.
   *
   * @param {string} method
   * @param {string} path
   * @param {Request & { retry?: (failure: Failure) => boolean, caller?: Record<string, string> }} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<any>}
   */
  async call(method, path, { retry = SAFE, caller = { 'x-api-key': this.#apiKey }, headers, ...request } = {}, options = undefined) {
    const { timeout, maxRetries, signals } = limitsOfCall(this.#limits, options)
    const authorized = { ...request, headers: { ...caller, ...headers } }
    const end = this.#system.monotonic() + timeout
    const left = () => end - this.#system.monotonic()
    for (let tries = 1; ; tries += 1) {
      const isLast = tries > maxRetries
      const timeoutMs = isLast ? left() : Math.min(left(), TRY_TIMEOUT_MS)
      try {
        return (await this.#send(method, path, authorized, timeoutMs, signals)).body
      } catch (error) {
        if (!(error instanceof ProblemError || error instanceof ConnectionError)) throw error
        const wait = waitBefore(error, tries, this.#system.random())
        if (isLast || wait >= left() || !retry(error)) throw error
        await this.#system.sleep(wait, signals)
      }
    }
  }

  /** Whether the API key is a test key. */
  get isTest() {
    return this.#apiKey.startsWith('cs_test_')
  }

  /**
   * Returns the token with which this server creates a login for a key. It is the same in each attempt and in each
   * process.
   *
   * @param {Uint8Array} browserPublicKey
   */
  browserTokenFor(browserPublicKey) {
    return approvalToken(this.#apiKey, browserPublicKey)
  }

  /**
   * Sends a request once, without the API key.
   *
   * @param {string} method
   * @param {string} path
   * @param {number} timeoutMs
   */
  exchange(method, path, timeoutMs) {
    const { timeout, signals } = this.#limits
    return this.#send(method, path, {}, Math.min(timeoutMs, timeout), signals)
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {Request} request
   * @param {number} timeoutMs
   * @param {AbortSignal[]} signals
   * @returns {Promise<{ body: any, headers: Headers }>}
   */
  async #send(method, path, { query = {}, headers = {}, body, mayBe }, timeoutMs, signals) {
    const url = new URL(this.#url + path)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value))
    }
    assertSendable(headers)
    const json = body === undefined ? undefined : JSON.stringify(body)
    const { response, text } = await this.#fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        'user-agent': `countersign-node/${VERSION}`,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: json,
      // A redirect would send the API key to another host.
      redirect: 'manual',
    }, this.#system.deadline(timeoutMs), signals)
    const parsed = response.status === 204 ? undefined : parse(text)
    this.#clock.learn(response.headers, parsed)
    const isAnswer = isObject(parsed) || (mayBe === 'empty' && response.status === 204) || (mayBe === 'true' && parsed === true)
    if (response.ok && isAnswer) return { body: parsed, headers: response.headers }
    throw this.#failureOf(response, parsed)
  }

  /**
   * @param {URL} url
   * @param {RequestInit} init
   * @param {AbortSignal} deadline
   * @param {AbortSignal[]} signals
   */
  async #fetch(url, init, deadline, signals) {
    const signal = AbortSignal.any([deadline, ...signals])
    try {
      return await unlessAborted(signal, async () => {
        const response = await this.#doFetch(url, { ...init, signal })
        return { response, text: await response.text() }
      })
    } catch (error) {
      for (const given of signals) given.throwIfAborted()
      if (deadline.aborted) throw new ConnectionError(`the service at ${this.#origin} did not answer in time`)
      // `fetch` hides the reason in the cause of its error.
      const cause = error instanceof Error ? error.cause ?? error : error
      const { code } = /** @type {{ code?: unknown }} */ (cause ?? {})
      const why = typeof code === 'string' && /^\w+$/.test(code) ? ` (${code})` : ''
      throw new ConnectionError(`the service at ${this.#origin} cannot be reached${why}`, { cause })
    }
  }

  /**
   * @param {Response} response
   * @param {unknown} body
   */
  #failureOf({ status, headers }, body) {
    const retryAfter = retryAfterOf(headers, this.#clock.now())
    if (status >= 400 && isObject(body)) return new ProblemError(status, { ...body }, retryAfter)
    const what = status >= 300 && status < 400 ? 'with a redirect' : `${status} without JSON`
    return new ConnectionError(`the service at ${this.#origin} answered ${what}`, { status, retryAfter })
  }
}

/**
 * Returns an id as a segment of a path. Ids come from outside, and must not change the path.
 *
 * @param {string} id
 */
export function segment(id) {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError('the id is empty, or no id')
  return encodeURIComponent(id)
}

/**
 * Returns the id in an answer, without which the answer is not the service's.
 *
 * @param {any} answer
 * @param {string} member
 * @returns {string}
 */
export function idOf(answer, member) {
  const id = answer[member]
  if (typeof id !== 'string' || id === '') throw lacking(member)
  return id
}

/**
 * @param {string} member
 * @returns {ConnectionError}
 */
export const lacking = (member) => new ConnectionError(`the answer of the service has no ${member}`, { status: 200 })

/**
 * Ends when the signal aborts, even if the awaited operation ignores it.
 *
 * @template T
 * @param {AbortSignal} signal
 * @param {() => Promise<T>} run
 * @returns {Promise<T>}
 */
async function unlessAborted(signal, run) {
  signal.throwIfAborted()
  /** @type {() => void} */
  let abort = () => {}
  const aborted = new Promise((_resolve, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await /** @type {Promise<T>} */ (Promise.race([run(), aborted]))
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/**
 * @param {unknown} value
 * @returns {value is object}
 */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Refuses values that `fetch` would refuse with an error that quotes them.
 *
 * @param {Record<string, string>} headers
 */
function assertSendable(headers) {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!-~][ -~]*$/.test(value)) {
      throw new TypeError(`the value for the header ${name} is empty or has other characters than ASCII`)
    }
  }
}

/**
 * A parser's error quotes the text, which may contain a code, so it is dropped.
 *
 * @param {string} text
 */
function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
