import { openSealed } from './crypto.ts'
import { parseEnvelope } from './envelope.ts'
import type { Identity } from './identity.ts'
import type { Input } from './machine.ts'
import { namesConfirmation } from './proof.ts'
import type { Refusal } from './refusal.ts'
import type { Redeemed } from './service.ts'

/**
 * Decrypts and checks a redeemed payload and its proof. A session with a key accepts only encrypted payloads, one
 * without a key only readable ones.
 */
export async function readRedeemed(
  { id, keys }: Identity,
  { encrypted, payload, proof, salt }: Redeemed,
  origin: string,
): Promise<Input> {
  if (!keys) return encrypted ? undecryptable(id) : redeemed(id, origin, { payload, salt, proof })
  if (!encrypted) return wrong(id, 'not_encrypted', 'The payload was not encrypted for this page.')
  let plaintext: string
  try {
    plaintext = await openSealed(keys.pair, payload, id, origin)
  } catch {
    return undecryptable(id)
  }
  const envelope = parseEnvelope(plaintext)
  return envelope
    ? redeemed(id, origin, { ...envelope, proof })
    : wrong(id, 'bad_payload', 'The decrypted text is not a JSON object of payload and salt.')
}

/**
 * Returns the meaning of a refused redemption; `uncertain` if an earlier answer may have been lost, `returnable` if an
 * app may have returned to another tab.
 */
export function redeemFailure(
  { id }: Pick<Identity, 'id'>,
  refusal: Refusal,
  uncertain: boolean,
  returnable: boolean,
): Input {
  if (refusal.status === 410 || refusal.status === 404) return ended(id, 'expired')
  if (refusal.code === 'session_blocked') return ended(id, 'blocked')
  if (refusal.code === 'session_cancelled') return ended(id, 'cancelled')
  if (refusal.code === 'check_code_wrong') {
    return { type: 'codeWrong', session: id, triesLeft: refusal.triesLeft ?? 1 }
  }
  if (refusal.code === 'check_code_required') return { type: 'codeNeeded', session: id }
  const taken = returnable && refusal.status === 409 && !uncertain
  if (taken || refusal.code === 'return_token_required') return { type: 'elsewhere', session: id }
  // The service does not repeat a readable payload, and repeats an encrypted one only for a minute.
  if (refusal.uncertain || uncertain) {
    return wrong(id, 'answer_lost', 'The user confirmed, but the payload was lost on the way.')
  }
  if (refusal.status === 409) {
    return wrong(id, 'already_redeemed', 'The payload was already delivered, but not to this page.')
  }
  return wrong(id, refusal.code, refusal.message)
}

function ended(session: string, state: 'expired' | 'blocked' | 'cancelled'): Input {
  return { type: 'ended', session, state }
}

function redeemed(
  sessionId: string,
  origin: string,
  rest: { payload: string; salt: string | null; proof: string | null },
): Input {
  const { proof } = rest
  if (proof !== null && !namesConfirmation(proof, { sessionId, origin, ...rest })) {
    return wrong(sessionId, 'bad_proof', 'The proof belongs to another confirmation.')
  }
  return { type: 'redeemed', session: sessionId, detail: { sessionId, ...rest } }
}

function wrong(session: string, code: string, message: string): Input {
  return { type: 'redeemFailed', session, error: { code, message } }
}

function undecryptable(session: string): Input {
  const message = 'The payload was not encrypted for this session, this page and its key.'
  return wrong(session, 'decryption_failed', message)
}
