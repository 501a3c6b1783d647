import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'

import { fromBase64url, toBase64url } from './bytes.ts'

/** How long an encapsulated P-256 key is, in bytes (RFC 9180, section 7.1). */
const ENCAPSULATED = 65

const CONTEXT = 'countersign/qr/1'

/** HPKE with DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM (RFC 9180, section 7). */
export function newSuite(): CipherSuite {
  return new CipherSuite({
    kem: new DhkemP256HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Aes256Gcm(),
  })
}

/** A session's key, made for it and forgotten with it. */
export interface Keys {
  readonly pair: CryptoKeyPair
  /** The uncompressed point, 65 bytes, in base64url. */
  readonly publicKey: string
  /** SHA-256 of those bytes, in base64url: what the link says of the key. */
  readonly hash: string
}

/** Makes a key. The private one cannot be read out, not even by this page. */
export async function newKeys(): Promise<Keys> {
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const pair = await crypto.subtle.generateKey(curve, false, ['deriveBits'])
  const point = await crypto.subtle.exportKey('raw', pair.publicKey)
  return {
    pair,
    publicKey: toBase64url(new Uint8Array(point)),
    hash: toBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', point))),
  }
}

/**
 * To what an encryption is bound: the protocol, the session and the page, each preceded by its
 * length as two bytes, the higher first.
 */
export function contextInfo(sessionId: string, origin: string): Uint8Array<ArrayBuffer> {
  const parts = [CONTEXT, sessionId, origin].map((text) => new TextEncoder().encode(text))
  return Uint8Array.from(parts.flatMap((part) => [part.length >> 8, part.length & 255, ...part]))
}

/** Opens what a phone sealed for this session and this page; throws where it does not fit. */
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
