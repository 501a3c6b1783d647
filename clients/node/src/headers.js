/**
 * The headers of a request, as `fetch`, Node.js, frameworks and AWS Lambda have them. Names may have any case, and
 * values may be lists.
 *
 * @typedef {Headers | Iterable<readonly [string, HeaderValue]> | Readonly<Record<string, HeaderValue>>} HeadersLike
 */

/** @typedef {string | readonly string[] | null | undefined} HeaderValue */

/**
 * Returns the value of a header, ignoring the case of its name. Several values are joined with commas, as
 * HTTP specifies.
 *
 * @param {HeadersLike | null | undefined} headers
 * @param {string} name In lower case.
 */
export function header(headers, name) {
  const values = pairsOf(headers).filter(([given]) => String(given).toLowerCase() === name).flatMap(([, value]) => value)
  const texts = values.filter((value) => typeof value === 'string').map((value) => value.trim())
  return texts.length === 0 ? undefined : texts.join(', ')
}

/**
 * Returns names and values. `Headers` may come from another realm or library, so they are recognized by their methods.
 *
 * @param {HeadersLike | null | undefined} headers
 * @returns {(readonly [string, HeaderValue])[]}
 */
function pairsOf(headers) {
  if (typeof headers !== 'object' || headers === null) return []
  return Symbol.iterator in headers ? [...headers] : Object.entries(headers)
}
