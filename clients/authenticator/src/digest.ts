// Hashes, with WebCrypto.

import { utf8, type Bytes } from './bytes.ts'

/** Returns SHA-256 over a text or bytes. */
export async function sha256(data: string | Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', typeof data === 'string' ? utf8(data) : data))
}

/** Returns HMAC-SHA-256 over bytes. */
export async function hmac(secret: Bytes, data: Bytes): Promise<Bytes> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, data))
}

/** Returns random bytes from the engine's generator. */
export const randomBytes = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length))
