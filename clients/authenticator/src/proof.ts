// Proofs of who confirmed a login: JWTs that only a confirmation signs.

import { concat, toBase64Url, utf8, type Bytes } from './bytes.ts'
import { sha256 } from './digest.ts'
import { AuthenticatorError } from './errors.ts'
import type { Assertion } from './ports.ts'

const MAX_BYTES = 2048
/** Proofs of passkeys contain more than a signature. */
const MAX_PASSKEY_BYTES = 2560
const LIFETIME_SECONDS = 300
/** Length of a signature of 64 bytes in base64url. */
const SIGNATURE_TEXT = 86

/** What a proof says. */
export interface ProofFacts {
  appKey: string
  origin: string
  sessionId: string
  /** The user that the phone named when it opened the login. */
  user: string | undefined
  context: string | undefined
  /** The payload, before encryption. */
  payload: string
  salt: Bytes
  /** The service's time, in milliseconds since the Unix epoch. */
  at: number
}

/** Returns header and claims, the signing input of a JWT (RFC 7515). */
export async function signingInput(facts: ProofFacts, keyId: string): Promise<string> {
  const input = await headAndClaims(facts, { alg: 'ES256', kid: keyId, typ: 'countersign-login+jwt' })
  if (input.length + 1 + SIGNATURE_TEXT > MAX_BYTES) throw tooLong()
  return input
}

/** Returns header and claims of a passkey's proof. The challenge that the passkey signs is computed from them. */
export const passkeyInput = (facts: ProofFacts, keyId: string): Promise<string> => (
  headAndClaims(facts, { alg: 'WebAuthn-ES256', kid: keyId, typ: 'countersign-login+webauthn' })
)

/** Returns the proof of a passkey, which no JOSE library takes for a JWT. */
export function passkeyProof(input: string, { authenticatorData, clientDataJSON, signature }: Assertion): string {
  const proof = [input, ...[authenticatorData, clientDataJSON, signature].map(toBase64Url)].join('.')
  if (proof.length > MAX_PASSKEY_BYTES) throw tooLong()
  return proof
}

const tooLong = () => (
  new AuthenticatorError('proof_too_long', 'the proof would be too long: the user id and the origin are too long')
)

async function headAndClaims(facts: ProofFacts, header: { alg: string, kid: string, typ: string }): Promise<string> {
  const { appKey, origin, sessionId, user, context, payload, salt, at } = facts
  const iat = Math.floor(at / 1000)
  // The members are in alphabetical order, as everywhere.
  const claims = {
    act: 'confirm',
    app: appKey,
    aud: origin,
    ...(context === undefined ? {} : { ctx: await digest(utf8('countersign/ctx/1\0'), utf8(context)) }),
    exp: iat + LIFETIME_SECONDS,
    iat,
    jti: sessionId,
    pay: await digest(utf8('countersign/pay/1\0'), salt, utf8(payload)),
    ...(user === undefined ? {} : { sub: user }),
  }
  return [header, claims].map((part) => toBase64Url(utf8(JSON.stringify(part)))).join('.')
}

const digest = async (...parts: Bytes[]) => toBase64Url(await sha256(concat(...parts)))
