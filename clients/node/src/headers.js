/**
 * The headers of a request, as `fetch`, Node.js and frameworks have them.
 *
 * @typedef {Headers | Record<string, string | string[] | undefined>} HeadersLike
 */

/**
 * Returns the value of a header, whatever the case of its name.
 *
 * @param {HeadersLike} headers
 * @param {string} name In lower case.
 */
export function header(headers, name) {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1]
  return Array.isArray(found) ? found.join(', ') : found
}
