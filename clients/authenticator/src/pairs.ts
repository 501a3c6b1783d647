// Key pairs of WebCrypto.

import { ECDSA, toDer } from './signature.ts'

/** Generates a pair whose private key cannot be exported. */
export const generatePair = (): Promise<CryptoKeyPair> => (
  crypto.subtle.generateKey(ECDSA, false, ['sign', 'verify']) as Promise<CryptoKeyPair>
)

export const exportPublic = async (key: CryptoKey): Promise<Uint8Array> => new Uint8Array(await crypto.subtle.exportKey('spki', key))

/** Signs data, in DER. */
export async function signDer(key: CryptoKey, data: Uint8Array): Promise<Uint8Array> {
  return toDer(new Uint8Array(await crypto.subtle.sign(ECDSA, key, new Uint8Array(data))))
}
