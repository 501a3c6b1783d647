import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'

import { fromBase64url, toBase64url } from '../../src/bytes.ts'
import { contextInfo } from '../../src/crypto.ts'

/** Returns the library's own suite, which also encrypts. */
export function sealingSuite(): CipherSuite {
  return new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })
}

/** Encrypts as a phone does. */
export async function seal(publicKey: string, sessionId: string, origin: string, plaintext: string): Promise<string> {
  const suite = sealingSuite()
  const { ct, enc } = await suite.seal(
    {
      recipientPublicKey: await suite.kem.deserializePublicKey(fromBase64url(publicKey)),
      info: contextInfo(sessionId, origin),
    },
    new TextEncoder().encode(plaintext),
  )
  return toBase64url(new Uint8Array([...new Uint8Array(enc), ...new Uint8Array(ct)]))
}

/** Imports a P-256 key pair from its scalar and its point. */
export async function keyPair(scalar: string, point: string): Promise<CryptoKeyPair> {
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const bytes = fromBase64url(point)
  const x = toBase64url(bytes.slice(1, 33))
  const y = toBase64url(bytes.slice(33))
  const jwk = { kty: 'EC', crv: 'P-256', x, y }
  return {
    privateKey: await crypto.subtle.importKey('jwk', { ...jwk, d: scalar }, curve, false, ['deriveBits']),
    publicKey: await crypto.subtle.importKey('raw', bytes, curve, true, []),
  }
}
