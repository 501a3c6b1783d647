// What a phone sends when its user confirms.

import { byteLength, toBase64Url, type Bytes } from './bytes.ts'
import { randomBytes } from './digest.ts'
import type { CheckedFacts } from './identity.ts'
import type { ProofFacts } from './proof.ts'
import { MAX_PAYLOAD_BYTES, payloadTooLong, seal } from './seal.ts'

/** The login that a user confirms. */
export interface ConfirmedLogin extends CheckedFacts {
  appKey: string
  sessionId: string
  /** The user that the phone named when it opened the login. */
  user: string | undefined
}

/** Signs a proof; `undefined` if the phone has no key of the user. */
export type Prove = (facts: ProofFacts) => Promise<string | undefined>

/** The members of a confirmation's body, in their order. */
export interface ConfirmationBody {
  payload: string
  encrypted?: true
  salt?: string
  proof?: string
}

/** Returns the body of a confirmation, with the salt and the proof. If encryption fails, nothing may be sent. */
export async function confirmation(
  { appKey, sessionId, user, origin, context, point }: ConfirmedLogin,
  payload: string,
  { prove, now }: { prove: Prove, now: () => number },
): Promise<{ body: ConfirmationBody, salt: string, proof: string | undefined }> {
  const bytes: Bytes = randomBytes(16)
  const salt = toBase64Url(bytes)
  const proof = await prove({ appKey, origin, sessionId, user, context, payload, salt: bytes, at: now() })
  const proven = proof === undefined ? {} : { proof }
  if (point) {
    const sealed = await seal({ payload, salt }, { id: sessionId, origin, point })
    return { body: { payload: sealed, encrypted: true, ...proven }, salt, proof }
  }
  if (byteLength(payload) > MAX_PAYLOAD_BYTES) throw payloadTooLong()
  return { body: { payload, ...(proof === undefined ? {} : { salt }), ...proven }, salt, proof }
}
