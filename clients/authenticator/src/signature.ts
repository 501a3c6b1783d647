// Association keys and their signatures: P-256, in the forms of mobile platforms and of JWTs.

import { concat, toBase64Url, type Bytes } from './bytes.ts'
import { sha256 } from './digest.ts'

/** ECDSA over P-256 with SHA-256. */
export const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** The X.509 SubjectPublicKeyInfo of a P-256 key up to its uncompressed point. */
const SPKI_HEAD = new Uint8Array([
  0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03,
  0x01, 0x07, 0x03, 0x42, 0x00,
])

/** The public half of an association key. */
export interface PublicKey {
  /** X.509 SubjectPublicKeyInfo, in DER. */
  der: Bytes
  /** The key's id: its JWK thumbprint (RFC 7638). */
  keyId: string
  key: CryptoKey
}

/** Parses a SubjectPublicKeyInfo with an uncompressed point; `undefined` if it is not a key of the curve. */
export async function readPublicKey(der: Uint8Array): Promise<PublicKey | undefined> {
  const copy = new Uint8Array(der)
  const hasHead = copy.length === 91 && copy[26] === 4 && SPKI_HEAD.every((byte, at) => copy[at] === byte)
  if (!hasHead) return undefined
  const key = await crypto.subtle.importKey('spki', copy, ECDSA, true, ['verify']).catch(() => undefined)
  if (!key) return undefined
  const [x, y] = [toBase64Url(copy.subarray(27, 59)), toBase64Url(copy.subarray(59))]
  return { der: copy, keyId: toBase64Url(await sha256(`{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`)), key }
}

/** Returns whether a signature of 64 bytes is by this key over this data. */
export const isValid = ({ key }: Pick<PublicKey, 'key'>, signature: Bytes, data: Bytes): Promise<boolean> => (
  crypto.subtle.verify(ECDSA, key, signature, data)
)

/** Writes a signature of 64 bytes in DER, as Android's `SHA256withECDSA` does. */
export function toDer(signature: Uint8Array): Bytes {
  const body = concat(integer(signature.subarray(0, 32)), integer(signature.subarray(32)))
  return concat(new Uint8Array([0x30, body.length]), body)
}

function integer(bytes: Uint8Array): Bytes {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1
  const digits = bytes.subarray(start)
  const sign = (digits[0] ?? 0) > 127 ? [0] : []
  return concat(new Uint8Array([2, sign.length + digits.length, ...sign]), digits)
}

/** Returns the 64 bytes of a signature in DER; `undefined` if it is malformed. */
export function fromDer(der: Uint8Array): Bytes | undefined {
  const signature = fromBer(der)
  // Another spelling of the same numbers is not DER.
  const again = signature && toDer(signature)
  const isExact = again?.length === der.length && again.every((byte, at) => byte === der[at])
  return isExact ? signature : undefined
}

/** Returns the 64 bytes of a signature whose lengths and numbers may have surplus bytes, as some authenticators write them. */
export function fromBer(ber: Uint8Array): Bytes | undefined {
  const start = ber[1] === 0x81 ? 3 : 2
  const body = ber.subarray(start)
  const first = body[1] ?? 0
  const isList = ber[0] === 0x30 && ber[start - 1] === body.length && body[0] === 2 && body[2 + first] === 2
  if (!isList || body[3 + first] !== body.length - 4 - first) return undefined
  const [r, s] = [body.subarray(2, 2 + first), body.subarray(4 + first)].map((number) => {
    const digits = number.subarray(number.findIndex((byte) => byte !== 0))
    return number.length > 0 && digits.length <= 32 ? concat(new Uint8Array(32 - digits.length), digits) : undefined
  })
  return r && s && concat(r, s)
}

/** Returns the text that proves possession of a key when it is registered. */
export const registrationText = (appKey: string, user: string): string => (
  ['countersign-association-key/1', appKey, user].join('\n')
)

