import { randomToken, toBase64url } from '../../src/bytes.ts'
import { plainId, sealedId } from '../../src/identity.ts'
import { seal } from './seal.ts'

/** An encrypted payload, with everything needed to decrypt it and to compute its session's id. */
export interface SealedVector {
  readonly appKey: string
  readonly origin: string
  /** The text that the user approves; empty if there is none. */
  readonly context: string
  /** The scalar, 32 bytes in base64url. */
  readonly browserPrivateKey: string
  /** The uncompressed point, 65 bytes in base64url. */
  readonly browserPublicKey: string
  readonly sessionId: string
  /** 16 bytes in base64url. */
  readonly salt: string
  readonly payload: string
  /** The encapsulated key and the ciphertext, in base64url. */
  readonly sealed: string
}

/** A session without a key. */
export interface PlainVector {
  /** 32 bytes in base64url. */
  readonly browserToken: string
  readonly sessionId: string
}

/** The test vectors that TypeScript and Rust exchange. */
export interface Vectors {
  readonly sealed: readonly SealedVector[]
  readonly plain: readonly PlainVector[]
}

const APP_KEYS = ['cs_app_1A2b3C4d5E6f7G8h9I0jKl', 'cs_app_0000000000000000000007'] as const

const CASES = [
  { origin: 'https://shop.example', payload: 'a session token' },
  { origin: 'http://localhost:8787', payload: '' },
  { origin: 'https://shop.example:8443', payload: '{"publicUserId":"ANON","timestamp":"2026-01-01T00:00:00Z"}' },
  { origin: 'https://xn--bcher-kva.example', payload: '\ufeffGrüße, שלום, \u{1f511}\u0000\n"\\' },
  { origin: 'https://shop.example', payload: 'long '.repeat(1_000) },
  { origin: 'https://shop.example', payload: 'approved', context: 'Pay 20 € to Zoë\nfor order 7' },
]

/** Generates vectors with fresh keys. */
export async function freshVectors(): Promise<Vectors> {
  const sealed = await Promise.all(CASES.map(async ({ origin, payload, context = '' }, index) => {
    const curve = { name: 'ECDH', namedCurve: 'P-256' }
    const { privateKey, publicKey } = await crypto.subtle.generateKey(curve, true, ['deriveBits'])
    const browserPublicKey = toBase64url(new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)))
    const { d = '' } = await crypto.subtle.exportKey('jwk', privateKey)
    const appKey = APP_KEYS[index % 2]!
    const sessionId = await sealedId(appKey, origin, browserPublicKey, context)
    const salt = toBase64url(crypto.getRandomValues(new Uint8Array(16)))
    const envelope = JSON.stringify({ payload, salt })
    return {
      appKey,
      origin,
      context,
      browserPrivateKey: d,
      browserPublicKey,
      sessionId,
      salt,
      payload,
      sealed: await seal(browserPublicKey, sessionId, origin, envelope),
    }
  }))
  const plain = Array.from({ length: 2 }, randomToken).map((browserToken) => (
    { browserToken, sessionId: plainId(browserToken) }
  ))
  return { sealed, plain }
}
