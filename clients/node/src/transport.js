import { ConnectionError, ProblemError } from './errors.js'
import { VERSION } from './version.js'

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost'])
const TRY_TIMEOUT_MS = 10_000
/** The waits before the second and the third try. */
const WAITS_MS = [500, 1000]
const MAX_RETRY_AFTER_SECONDS = 30
const RETRIED = new Set([429, 500, 502, 503, 504])

/** @typedef {ProblemError | ConnectionError} Failure */

/** For requests that are safe to repeat. */
export const SAFE = (/** @type {Failure} */ { status }) => status === undefined || RETRIED.has(status)

/** For requests that must not be repeated if the service may have acted on them. */
export const NOT_ACTED_ON = (/** @type {Failure} */ { status, cause }) => (
  status === 429 || /** @type {{ code?: unknown } | undefined} */ (cause)?.code === 'ECONNREFUSED'
)

/**
 * @typedef {object} Request
 * @property {Record<string, unknown>} [query] Members without a value are left out.
 * @property {Record<string, string>} [headers]
 * @property {unknown} [body] Sent as JSON.
 * @property {number} [timeoutMs] The deadline of each try.
 */

/**
 * Returns the service's URL without a trailing slash. Over plain http, anybody on the network path could read
 * the API key and answer with keys of their own.
 *
 * @param {string} url
 */
function baseUrl(url) {
  const { protocol, hostname, username, search, hash } = new URL(url)
  if (protocol !== 'https:' && !(protocol === 'http:' && LOOPBACK.has(hostname))) {
    throw new TypeError('url must begin with https://, or name this machine')
  }
  if (username || search || hash) throw new TypeError('url must not have a user, a query or a fragment')
  return url.replace(/\/+$/, '')
}

/** Sends requests to the service, and tells the clock what time it is there. */
export class Transport {
  #url
  #apiKey
  #clock
  #system

  /**
   * @param {{ url: string, apiKey: string }} service
   * @param {import('./clock.js').Clock} clock
   * @param {import('./system.js').System} system
   */
  constructor({ url, apiKey }, clock, system) {
    this.#url = baseUrl(url)
    this.#apiKey = apiKey
    this.#clock = clock
    this.#system = system
  }

  /**
   * Sends a request with the API key, at most three times, and returns the body of the answer.
   *
   * @param {string} method
   * @param {string} path
   * @param {Request & { retry?: (failure: Failure) => boolean }} [request]
   * @returns {Promise<any>}
   */
  async call(method, path, { retry = SAFE, headers, ...request } = {}) {
    const authorized = { ...request, headers: { 'x-api-key': this.#apiKey, ...headers } }
    for (let tries = 0; ; tries += 1) {
      try {
        return (await this.exchange(method, path, authorized)).body
      } catch (error) {
        if (!(error instanceof ProblemError || error instanceof ConnectionError)) throw error
        const { retryAfter = 0 } = error
        if (tries === WAITS_MS.length || retryAfter > MAX_RETRY_AFTER_SECONDS || !retry(error)) throw error
        const wait = WAITS_MS[tries] * (1 + this.#system.random() / 4)
        await this.#system.sleep(retryAfter * 1000 || wait)
      }
    }
  }

  /**
   * Sends a request once, without the API key.
   *
   * @param {string} method
   * @param {string} path
   * @param {Request} [request]
   * @returns {Promise<{ body: any, headers: Headers }>}
   */
  async exchange(method, path, { query = {}, headers = {}, body, timeoutMs = TRY_TIMEOUT_MS } = {}) {
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
      signal: this.#system.deadline(timeoutMs),
    })
    const parsed = response.status === 204 ? undefined : parse(text)
    this.#clock.learn(response.headers, parsed)
    if (response.ok && (response.status === 204 || parsed !== undefined)) {
      return { body: parsed, headers: response.headers }
    }
    throw failureOf(response, parsed)
  }

  /**
   * @param {URL} url
   * @param {RequestInit} options
   */
  async #fetch(url, options) {
    try {
      const response = await fetch(url, options)
      return { response, text: await response.text() }
    } catch (error) {
      if (error instanceof DOMException) throw new ConnectionError('the service did not answer in time')
      // `fetch` hides the reason in its error's cause.
      const cause = error instanceof Error ? error.cause ?? error : error
      throw new ConnectionError('the service cannot be reached', { cause })
    }
  }
}

/**
 * Refuses what `fetch` would refuse in an error that quotes it.
 *
 * @param {Record<string, string>} headers
 */
function assertSendable(headers) {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[ -~]*$/.test(value)) throw new TypeError(`the value for the header ${name} has other characters than ASCII`)
  }
}

/**
 * The error of a parser quotes its text, which may hold a code, so none is kept.
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

/**
 * @param {Response} response
 * @param {unknown} body
 */
function failureOf({ status, headers }, body) {
  const retryAfter = retryAfterOf(headers)
  if (status >= 400 && typeof body === 'object' && body !== null) {
    return new ProblemError(status, { ...body }, retryAfter)
  }
  const what = status >= 300 && status < 400 ? 'with a redirect' : `${status} without JSON`
  return new ConnectionError(`the service answered ${what}`, { status, retryAfter })
}

/**
 * Returns the seconds of `Retry-After`, which may also be a date.
 *
 * @param {Headers} headers
 */
function retryAfterOf(headers) {
  const value = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(value)) return Number(value)
  const seconds = (Date.parse(value) - Date.parse(headers.get('date') ?? '')) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds))
}
