// Well maintained and small, but not needed by a server in production: it is an optional peer dependency of
// this package.
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'

import { framed } from '../login-ids.js'

/**
 * Encrypts a payload and its salt for the browser of a login.
 *
 * @param {{ payload: string, salt: string }} content
 * @param {{ id: string, origin: string, point: Uint8Array }} login
 */
export async function seal(content, { id, origin, point }) {
  const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })
  const recipientPublicKey = await suite.kem.deserializePublicKey(bufferOf(point))
  const sender = await suite.createSenderContext({ recipientPublicKey, info: bufferOf(framed('countersign/qr/2', id, origin)) })
  const sealed = await sender.seal(bufferOf(Buffer.from(JSON.stringify(content))))
  return Buffer.concat([new Uint8Array(sender.enc), new Uint8Array(sealed)]).toString('base64url')
}

/**
 * Copies bytes into a new buffer, because that of a `Buffer` may contain other data.
 *
 * @param {Uint8Array} bytes
 */
const bufferOf = (bytes) => new Uint8Array(bytes).buffer
