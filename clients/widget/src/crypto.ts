import { Dhkem, HkdfSha256Native, type DhkemPrimitives } from '@hpke/common'
import { Aes256Gcm, CipherSuite, HkdfSha256, KemId } from '@hpke/core'

import { framed, fromBase64url, toBase64url } from './bytes.ts'

/** Length of an encapsulated P-256 key, in bytes (RFC 9180, section 7.1). */
const ENCAPSULATED = 65

const CONTEXT = 'countersign/qr/2'

const CURVE = { name: 'ECDH', namedCurve: 'P-256' }

/**
 * The part of DHKEM(P-256, HKDF-SHA256) that decryption needs. The library's own class also encrypts, derives
 * keys and supports other curves, which would be a tenth of the script.
 */
class Kem extends Dhkem {
  override readonly id = KemId.DhkemP256HkdfSha256
  override readonly secretSize = 32

  constructor() {
    const primitives: Pick<DhkemPrimitives, 'deserializePublicKey' | 'dh' | 'serializePublicKey'> = {
      deserializePublicKey: (point) => crypto.subtle.importKey('raw', point as ArrayBuffer, CURVE, true, []),
      dh: (own, other) => crypto.subtle.deriveBits({ name: 'ECDH', public: other }, own, 256),
      serializePublicKey: (key) => crypto.subtle.exportKey('raw', key),
    }
    super(KemId.DhkemP256HkdfSha256, primitives as DhkemPrimitives, new HkdfSha256Native())
  }
}

/** HPKE with DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM (RFC 9180, section 7), for decryption only. */
export function newSuite(): CipherSuite {
  return new CipherSuite({ kem: new Kem(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })
}

/** A session's key pair, generated for the session and dropped with it. */
export interface Keys {
  readonly pair: CryptoKeyPair
  /** The uncompressed point, 65 bytes, in base64url. */
  readonly publicKey: string
}

/** Generates a key pair. Even this page cannot read the private key. */
export async function newKeys(): Promise<Keys> {
  const pair = await crypto.subtle.generateKey(CURVE, false, ['deriveBits'])
  const point = await crypto.subtle.exportKey('raw', pair.publicKey)
  return { pair, publicKey: toBase64url(new Uint8Array(point)) }
}

/** Returns the context to which an encryption is bound: protocol, session and page. */
export function contextInfo(sessionId: string, origin: string): Uint8Array<ArrayBuffer> {
  return framed(CONTEXT, sessionId, origin)
}

/** Decrypts a phone's payload for this session and this page; throws if it is not for them. */
export async function openSealed(
  pair: CryptoKeyPair,
  sealed: string,
  sessionId: string,
  origin: string,
): Promise<string> {
  const bytes = fromBase64url(sealed)
  const opened = await newSuite().open(
    {
      recipientKey: pair,
      enc: bytes.slice(0, ENCAPSULATED),
      info: contextInfo(sessionId, origin),
    },
    bytes.slice(ENCAPSULATED),
  )
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(opened)
}
