import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'

import { framed, fromBase64url, toBase64url } from './bytes.ts'

/** Length of an encapsulated P-256 key, in bytes (RFC 9180, section 7.1). */
const ENCAPSULATED = 65

const CONTEXT = 'countersign/qr/2'

/** HPKE with DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM (RFC 9180, section 7). */
export function newSuite(): CipherSuite {
  return new CipherSuite({
    kem: new DhkemP256HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Aes256Gcm(),
  })
}

/** A session's key pair, generated for it and dropped with it. */
export interface Keys {
  readonly pair: CryptoKeyPair
  /** The uncompressed point, 65 bytes, in base64url. */
  readonly publicKey: string
}

/** Generates a key pair. Not even this page can read the private key. */
export async function newKeys(): Promise<Keys> {
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const pair = await crypto.subtle.generateKey(curve, false, ['deriveBits'])
  const point = await crypto.subtle.exportKey('raw', pair.publicKey)
  return { pair, publicKey: toBase64url(new Uint8Array(point)) }
}

/** Returns what an encryption is bound to: protocol, session and page. */
export function contextInfo(sessionId: string, origin: string): Uint8Array<ArrayBuffer> {
  return framed(CONTEXT, sessionId, origin)
}

/** Decrypts what a phone encrypted for this session and this page; throws if it does not fit. */
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
