import { fromBase64url, toBase64url } from './bytes.ts'
import { plainSha256 } from './digest.ts'

const LABEL = 'countersign/pay/1\0'

/** The subject of a confirmation. */
export interface Confirmed {
  readonly sessionId: string
  readonly origin: string
  readonly payload: string
  readonly salt: string | null
}

/**
 * Whether a proof is about this confirmation. The page's server must verify its signature and its key; this
 * detects a service that passes on the proof of another confirmation.
 */
export function namesConfirmation(proof: string, { sessionId, origin, payload, salt }: Confirmed): boolean {
  const claims = claimsOf(proof)
  return salt !== null && claims.jti === sessionId && claims.aud === origin && claims.act === 'confirm'
    && claims.pay === payClaim(payload, salt) && !('ctx' in claims)
}

/** Returns the `pay` claim: the hash of the payload and the salt. */
export function payClaim(payload: string, salt: string): string {
  const text = new TextEncoder()
  const parts = [...text.encode(LABEL), ...fromBase64url(salt), ...text.encode(payload)]
  return toBase64url(plainSha256(Uint8Array.from(parts)))
}

type Claims = Partial<Record<'act' | 'aud' | 'ctx' | 'jti' | 'pay', unknown>>

/** Decodes the claims of a JWT. Returns no claims if it is not a JWT. */
function claimsOf(proof: string): Claims {
  try {
    const bytes = fromBase64url(proof.split('.')[1] ?? '')
    return Object.fromEntries(Object.entries(JSON.parse(new TextDecoder().decode(bytes)) ?? {}))
  } catch {
    return {}
  }
}
