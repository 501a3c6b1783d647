import { createHash } from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'

/**
 * The number of final digits that all spellings of a phone number share: `+49 170 …`, `0049 170 …` and
 * `0170 …`.
 */
const SHARED_DIGITS = 9

/**
 * Returns the counted part of an address: an IPv4 address, or the /64 of an IPv6 address, because one customer has
 * all of it.
 *
 * @param {unknown} address
 */
export function addressValue(address) {
  const text = typeof address === 'string' ? address.replace(/%[\w.-]+$/, '') : ''
  if (isIPv4(text)) return text
  if (!isIPv6(text)) {
    throw new TypeError('address is not an IP address: give the one of the visitor, without a port, and not that of your proxy')
  }
  const groups = groupsOf(text)
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return `${groups.slice(0, 4).map((group) => group.toString(16)).join(':')}::/64`
}

/**
 * Returns the eight groups of an IPv6 address.
 *
 * @param {string} text
 */
function groupsOf(text) {
  // The URL parser writes an IPv4 address at the end as two groups.
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::')
  const parse = (/** @type {string} */ part) => part === '' ? [] : part.split(':').map((group) => parseInt(group, 16))
  const [before, after] = [parse(head), parse(tail ?? '')]
  return [...before, ...Array(8 - before.length - after.length).fill(0), ...after]
}

/**
 * Returns the counted part of a phone number, or nothing if it has no digits and so cannot be one.
 *
 * @param {string} number As the visitor has typed it, in the digits of any script.
 */
export function numberValue(number) {
  const digits = [...number].filter((character) => /\p{Nd}/u.test(character)).map(digitOf)
  return digits.length === 0 ? undefined : digits.slice(-SHARED_DIGITS).join('')
}

/** @param {string} character A decimal digit. */
function digitOf(character) {
  // In Unicode, the digits of a script are consecutive and begin with zero. Those of some scripts follow each
  // other directly.
  const code = character.codePointAt(0) ?? 0
  let first = code
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1
  return (code - first) % 10
}

/**
 * Returns the key under which a store keeps the count.
 *
 * @param {string} kind
 * @param {string} value
 */
export function keyOf(kind, value) {
  return `${kind}:${createHash('sha256').update(`countersign/limit/1\0${kind}\0${value}`).digest('base64url')}`
}
