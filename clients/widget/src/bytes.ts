/** Encodes as base64url without padding (RFC 4648, section 5). */
export function toBase64url(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '')
}

/** Decodes the output of {@link toBase64url}, and throws on anything else. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]*$/.test(text)) throw new TypeError('not base64url')
  return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))
}

/** Encodes as lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Joins parts, each preceded by its length as two big-endian bytes. Texts are encoded as UTF-8. */
export function framed(...parts: (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => {
    const bytes = typeof part === 'string' ? new TextEncoder().encode(part) : part
    return [bytes.length >> 8, bytes.length & 255, ...bytes]
  }))
}

/** Generates 32 random bytes, in base64url. */
export function randomToken(): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(32)))
}
