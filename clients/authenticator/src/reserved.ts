// Data that an association key must not sign for the app, because it could be a proof.

import { concat, fromLenientBase64, type Bytes } from './bytes.ts'

/** A word in every proof's type. */
const WORD = 'countersign-login'

/**
 * Returns whether data could be the signing input of a proof, `{header}.{claims}`, for any verifier, however lenient it is
 * with white space, letter case, byte order marks, foreign characters, padding and text encodings.
 */
export function isReserved(data: string): boolean {
  const dot = data.indexOf('.')
  if (dot < 0) return false
  const header = data.slice(0, dot)
  // Some decoders skip padding inside the text. Others restart after it or stop there; the text that those read is part
  // of the second reading.
  const restarted = concat(...header.split('=').map(fromLenientBase64))
  return couldBeHeader(fromLenientBase64(header)) || couldBeHeader(restarted)
}

function couldBeHeader(decoded: Bytes): boolean {
  // ASCII in UTF-16 or UTF-32 is ASCII between zero bytes, and JSON readers may detect those encodings.
  const text = Array.from(decoded.filter((byte) => byte !== 0), (byte) => String.fromCharCode(byte)).join('')
  // Only ASCII letters have another case here: the word has no byte above 127.
  if (text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).includes(WORD)) return true
  // JSON readers that accept unquoted names or comments would accept an escape in texts that do not begin like an object.
  if (/\\u[0-9a-f]{4}/i.test(text)) return true
  return /^[\t\n\x0b\f\r \xef\xbb\xbf\xfe\xff]*\{[\t\n\x0b\f\r \xef\xbb\xbf\xfe\xff]*"/.test(text) && text.includes('\\')
}
