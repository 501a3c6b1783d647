// Options are checked when a client is created and when a handler is mounted. An unset environment variable
// must not silently weaken verification.

/**
 * Refuses options that do not exist or have no value.
 *
 * @param {string} owner The constructor or function that takes the options.
 * @param {unknown} options
 * @param {readonly string[]} known
 */
export function assertOptions(owner, options, known) {
  if (typeof options !== 'object' || options === null) throw new TypeError(`${owner} needs an object of options`)
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name)) throw new TypeError(`${owner} has no option ${name}; it has ${known.join(', ')}`)
    if (value === undefined || value === null || value === '') {
      throw new TypeError(`${name} is ${value === '' ? 'empty' : value}: give it a value, or leave it out`)
    }
  }
}

/**
 * Refuses invalid keys: browsers and proxies would trim or refuse other characters, often with an error that
 * quotes the key.
 *
 * @param {string} name
 * @param {unknown} value
 */
export function assertKey(name, value) {
  if (value === undefined) throw new TypeError(`${name} is missing`)
  if (typeof value !== 'string' || !/^[!-~]+$/.test(value)) {
    throw new TypeError(`${name} is empty, or has characters that no key has, such as a line feed`)
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 */
export function assertText(name, value) {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is ${value === undefined ? 'missing' : 'no text'}`)
}

/**
 * @param {string} name
 * @param {unknown} value
 */
export function assertCallback(name, value) {
  if (typeof value !== 'function') throw new TypeError(`${name} is ${value === undefined ? 'missing' : 'not a function'}`)
}

/**
 * @param {string} name
 * @param {unknown} value
 */
export function assertSeconds(name, value) {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw new TypeError(`${name} is not a number of seconds`)
  }
}

/**
 * Refuses an origin that is not in the form that browsers send, because it would match no request.
 *
 * @param {unknown} value
 */
export function assertOrigin(value) {
  if (value === undefined) throw new TypeError('origin is missing')
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  if (!url || !['https:', 'http:'].includes(url.protocol) || url.origin !== value) {
    throw new TypeError('origin is not an origin as browsers send it, such as https://shop.example')
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 */
export function assertFlag(name, value) {
  // A text such as 'false' would count as true.
  if (typeof value !== 'boolean') throw new TypeError(`${name} is neither true nor false`)
}
