/** The plaintext of an encrypted payload. */
export interface Envelope {
  /** The app's payload. */
  readonly payload: string
  /** 16 random bytes in base64url, which the proof hashes together with the payload. */
  readonly salt: string
}

/** Whether a text is 16 bytes in base64url without padding. */
export function isSalt(text: string): boolean {
  // The last of the 22 characters encodes two bits.
  return /^[\w-]{21}[AQgw]$/.test(text)
}

/** Parses a plaintext: a JSON object with `payload` and `salt` only. Returns `null` for anything else. */
export function parseEnvelope(text: string): Envelope | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const members = Object.entries(value ?? {})
  const { payload, salt } = Object.fromEntries(members) as Record<string, unknown>
  const fits = members.length === 2 && typeof payload === 'string' && typeof salt === 'string'
  return fits && isSalt(salt) ? { payload, salt } : null
}
