// Bytes and their text forms. Engines of phones lack `Buffer`, and some lack `atob` and `TextDecoder`.

/** Bytes whose buffer is not shared, as WebCrypto wants them. */
export type Bytes = Uint8Array<ArrayBuffer>

const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const URL_SAFE = `${STANDARD.slice(0, 62)}-_`

/** Returns a text in UTF-8. */
export const utf8 = (text: string): Bytes => new Uint8Array(new TextEncoder().encode(text))

/** Returns whether a text has no half of a surrogate pair, which UTF-8 cannot express. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)

/** Returns the length of a text in UTF-8, in bytes. */
export const byteLength = (text: string): number => utf8(text).length

export function concat(...parts: Uint8Array[]): Bytes {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** Returns the concatenated parts, each preceded by its length in two bytes, big-endian. */
export function framed(...parts: (string | Uint8Array)[]): Bytes {
  return concat(...parts.flatMap((part) => {
    const bytes = typeof part === 'string' ? utf8(part) : part
    return [new Uint8Array([bytes.length >> 8, bytes.length & 255]), bytes]
  }))
}

export const toHex = (bytes: Uint8Array): string => (
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
)

/** Returns bytes in base64url without padding. */
export const toBase64Url = (bytes: Uint8Array): string => encode(bytes, URL_SAFE)

/** Returns bytes in standard Base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  const text = encode(bytes, STANDARD)
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=')
}

/** Parses base64url in its only spelling: without padding, foreign characters or surplus bits. */
export function fromBase64Url(text: string): Bytes | undefined {
  const bytes = decode(text, URL_SAFE)
  return bytes && toBase64Url(bytes) === text ? bytes : undefined
}

/** Decodes Base64 of either alphabet as leniently as any reader might, ignoring foreign characters and surplus bits. */
export function fromLenientBase64(text: string): Bytes {
  const digits = text.replace(/-/g, '+').replace(/_/g, '/').replace(/[^A-Za-z0-9+/]/g, '')
  // A single digit at the end is less than a byte.
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits
  return decode(whole, STANDARD) ?? new Uint8Array()
}

function encode(bytes: Uint8Array, alphabet: string): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    const digits = Math.min(4, bytes.length - at + 1)
    for (let digit = 0; digit < digits; digit += 1) text += alphabet.charAt((group >> (18 - 6 * digit)) & 63)
  }
  return text
}

function decode(text: string, alphabet: string): Bytes | undefined {
  if (text.length % 4 === 1) return undefined
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4))
  let [group, bits, at] = [0, 0, 0]
  for (const character of text) {
    const digit = alphabet.indexOf(character)
    if (digit < 0) return undefined
    group = ((group << 6) | digit) & 0xffff
    bits += 6
    if (bits >= 8) {
      bits -= 8
      bytes[at] = (group >> bits) & 255
      at += 1
    }
  }
  return bytes
}
