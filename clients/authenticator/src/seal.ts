// Payloads that only the browser can read: HPKE (RFC 9180).

import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'

import { concat, framed, toBase64Url, utf8, type Bytes } from './bytes.ts'
import { AuthenticatorError } from './errors.ts'

const LABEL = 'countersign/qr/2'
/** Maximum length of a payload, in bytes as sent. */
export const MAX_PAYLOAD_BYTES = 8 * 1024
/** An encapsulated key, and the tag of AES-GCM. */
const OVERHEAD = 65 + 16
const MAX_PLAINTEXT = (MAX_PAYLOAD_BYTES / 4) * 3 - OVERHEAD

export const payloadTooLong = (): AuthenticatorError => new AuthenticatorError('payload_too_long', 'the payload is too long')

/** Encrypts a payload and its salt for the browser of a login. */
export async function seal(
  { payload, salt }: { payload: string, salt: string },
  { id, origin, point }: { id: string, origin: string, point: Bytes },
): Promise<string> {
  const plaintext = utf8(JSON.stringify({ payload, salt }))
  if (plaintext.length > MAX_PLAINTEXT) throw payloadTooLong()
  const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })
  const recipientPublicKey = await suite.kem.deserializePublicKey(point.buffer).catch(() => {
    throw new AuthenticatorError('unusable_browser_key', "the browser's key is not a point of the curve P-256")
  })
  const info = framed(LABEL, id, origin).buffer
  const { ct, enc } = await suite.seal({ recipientPublicKey, info }, plaintext.buffer)
  return toBase64Url(concat(new Uint8Array(enc), new Uint8Array(ct)))
}
