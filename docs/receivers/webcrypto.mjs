// Verifies webhooks with WebCrypto (Cloudflare Workers, Deno, Bun, browsers, Node).
//
// Countersign's signatures are DER. WebCrypto expects the two integers side by side, 32 bytes each (IEEE
// P1363), and returns `false` for anything else. So signatures must be converted first.

/** Converts a DER-encoded P-256 signature to P1363. Throws if it is malformed. */
export function derToP1363(der) {
  const fail = () => { throw new Error('not a DER-encoded P-256 signature') }
  // SEQUENCE { INTEGER r, INTEGER s }. 72 bytes at most, so every length fits in one byte.
  if (der.length < 8 || der.length > 72 || der[0] !== 0x30 || der[1] !== der.length - 2) fail()
  const out = new Uint8Array(64)
  let at = 2
  for (const end of [32, 64]) {
    const length = der[at + 1]
    let digits = der.subarray(at + 2, at + 2 + length)
    if (der[at] !== 0x02 || length < 1 || digits.length !== length || digits[0] > 0x7f) fail()
    at += 2 + length
    // A leading zero byte keeps an integer from being negative. Short integers are not padded.
    if (digits.length > 1 && digits[0] === 0) {
      if (digits[1] <= 0x7f) fail()
      digits = digits.subarray(1)
    }
    if (digits.length > 32) fail()
    out.set(digits, end - digits.length)
  }
  if (at !== der.length) fail()
  return out
}

/**
 * Returns whether `signature` (header `x-signature`) is a signature of `body` (raw bytes) by the key `jwk`.
 */
export async function verifyWithWebCrypto(jwk, body, signature) {
  const { kty, crv, x, y } = jwk
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const key = await crypto.subtle.importKey('jwk', { kty, crv, x, y }, algorithm, false, ['verify'])
  let raw
  try {
    raw = derToP1363(Uint8Array.from(atob(signature), (c) => c.charCodeAt(0)))
  } catch {
    return false
  }
  return crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, raw, body)
}
