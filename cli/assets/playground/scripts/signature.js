// Checks webhooks in the browser with what every receiver has: the raw body, the headers and the
// published keys.

/**
 * Converts an ECDSA P-256 signature from DER (a sequence of two integers), as it is sent, to IEEE
 * P1363 (r and s, 32 bytes each), as WebCrypto expects it. Throws if it is malformed.
 */
export function p1363FromDer(der) {
  const wrong = () => new Error('not a DER signature')
  // At most 72 bytes, so every length is one byte.
  if (der.length > 72 || der[0] !== 0x30 || der[1] !== der.length - 2) throw wrong()
  const joined = new Uint8Array(64)
  let at = 2
  for (const end of [32, 64]) {
    const length = der[at + 1]
    if (der[at] !== 0x02 || !(length > 0) || at + 2 + length > der.length) throw wrong()
    let number = der.subarray(at + 2, at + 2 + length)
    // A leading zero byte only marks the number as non-negative.
    if (number[0] === 0) number = number.subarray(1)
    if (number.length > 32) throw wrong()
    joined.set(number, end - number.length)
    at += 2 + length
  }
  if (at !== der.length) throw wrong()
  return joined
}

const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/** Checks whether a published key signed this webhook's body, and says why not. */
export async function checkSignature({ headers, body }) {
  const header = (name) => headers.find(([other]) => other === name)?.[1]
  const no = (why) => ({ verified: false, why })
  const signature = header('x-signature')
  const id = header('x-signature-key-id')
  if (!signature) return no('the x-signature header is missing')
  try {
    const response = await fetch('/.well-known/jwks.json')
    const { keys } = await response.json()
    const published = keys.find(({ kid }) => kid === id)
    if (!published) return no('its key is not published')
    const { kty, crv, x, y } = published
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('jwk', { kty, crv, x, y }, algorithm, false, ['verify'])
    const raw = new TextEncoder().encode(body)
    const der = p1363FromDer(bytesOf(signature))
    const verified = await crypto.subtle.verify(algorithm, key, der, raw)
    return verified ? { verified, key: id } : no('it does not match this body')
  } catch (error) {
    return no(error.message)
  }
}
