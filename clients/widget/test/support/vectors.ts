import { toBase64url } from '../../src/bytes.ts'
import { seal } from './seal.ts'

/** A sealed payload with everything to open it, as TypeScript and Rust exchange it. */
export interface Vector {
  /** The scalar, 32 bytes in base64url. */
  readonly recipientPrivateKey: string
  /** The uncompressed point, 65 bytes in base64url. */
  readonly recipientPublicKey: string
  readonly sessionId: string
  readonly origin: string
  readonly payload: string
  /** The encapsulated key and the ciphertext, in base64url. */
  readonly sealed: string
}

const CASES = [
  ['qrs_00112233445566778899aabbccddeeff', 'https://shop.example', 'a session token'],
  ['qrs_ffffffffffffffffffffffffffffffff', 'http://localhost:8787', ''],
  ['qrs_0123456789abcdef0123456789abcdef', 'https://shop.example:8443', '{"publicUserId":"ANON","timestamp":"2026-01-01T00:00:00Z"}'],
  ['qrs_00000000000000000000000000000000', 'https://xn--bcher-kva.example', '\ufeffGrüße, שלום, \u{1f511}\u0000\n'],
  ['qrs_abababababababababababababababab', 'https://shop.example', 'long '.repeat(1_000)],
] as const

/** Returns test vectors with fresh keys. */
export async function freshVectors(): Promise<Vector[]> {
  return Promise.all(CASES.map(async ([sessionId, origin, payload]) => {
    const curve = { name: 'ECDH', namedCurve: 'P-256' }
    const { privateKey, publicKey } = await crypto.subtle.generateKey(curve, true, ['deriveBits'])
    const recipientPublicKey = toBase64url(new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)))
    const { d = '' } = await crypto.subtle.exportKey('jwk', privateKey)
    const sealed = await seal(recipientPublicKey, sessionId, origin, payload)
    return { recipientPrivateKey: d, recipientPublicKey, sessionId, origin, payload, sealed }
  }))
}
