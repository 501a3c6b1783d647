// What passkeys sign, and the checks of their assertions (WebAuthn Level 3, sections 5.8.1 and 6.1).

import { concat, toBase64Url, toHex, utf8, type Bytes } from './bytes.ts'
import { sha256 } from './digest.ts'
import type { Assertion, PasskeyScope } from './ports.ts'
import { fromDer, isValid, type PublicKey } from './signature.ts'

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const BACKUP_ELIGIBLE = 0x08
const BACKED_UP = 0x10
const HAS_CREDENTIAL = 0x40
/** A hash of the domain, the flags and a counter. */
const MIN_DATA = 37

const hashOf = (...parts: string[]): Promise<Bytes> => sha256(utf8(parts.join('\0')))

/** Returns the challenge of a login's proof with this header and these claims. */
export const proofChallenge = (input: string): Promise<Bytes> => hashOf('countersign/webauthn/1', input)

/** Returns the challenge that proves possession of a new passkey. */
export const registrationChallenge = (registrationId: string, appKey: string, user: string): Promise<Bytes> => (
  hashOf('countersign/webauthn-registration/1', registrationId, appKey, user)
)

/** Returns the challenge of a phone that asks whose passkey it has. `at` is the time in milliseconds since the Unix epoch. */
export const identifyChallenge = (appKey: string, at: number): Promise<Bytes> => (
  hashOf('countersign/webauthn-identify/1', appKey, `${at}`)
)

/** What an assertion must be about. */
export interface Expected {
  challenge: Bytes
  scope: PasskeyScope
}

/** Returns whether an assertion is about this challenge, from this page, with user verification. This does not check the signature. */
export async function isAbout({ authenticatorData, clientDataJSON }: Assertion, { challenge, scope }: Expected): Promise<boolean> {
  const data = new Uint8Array(authenticatorData)
  const flags = data[32] ?? 0
  const domain = await sha256(utf8(scope.rpId))
  const isOurs = data.length >= MIN_DATA && domain.every((byte, at) => byte === data[at])
  const isVerified = (flags & USER_PRESENT) !== 0 && (flags & USER_VERIFIED) !== 0 && (flags & HAS_CREDENTIAL) === 0
  const isBackupPossible = (flags & BACKED_UP) === 0 || (flags & BACKUP_ELIGIBLE) !== 0
  const client = clientData(clientDataJSON)
  const isFromPage = client['type'] === 'webauthn.get' && client['challenge'] === toBase64Url(challenge)
    && client['origin'] === scope.origin && (client['crossOrigin'] ?? false) === false && client['topOrigin'] === undefined
  return isOurs && isVerified && isBackupPossible && isFromPage
}

/** Returns whether an assertion is by this key, about this challenge, from this page, with user verification. */
export async function isAssertion(assertion: Assertion, expected: Expected & { key: Pick<PublicKey, 'key'> }): Promise<boolean> {
  const { authenticatorData, clientDataJSON, signature } = assertion
  if (![authenticatorData, clientDataJSON, signature].every((part: unknown) => part instanceof Uint8Array)) return false
  const raw = fromDer(signature)
  if (!raw || !await isAbout(assertion, expected)) return false
  return isValid(expected.key, raw, concat(authenticatorData, await sha256(new Uint8Array(clientDataJSON))))
}

function clientData(bytes: Uint8Array): Record<string, unknown> {
  try {
    // Not every engine has a `TextDecoder`.
    const value: unknown = JSON.parse(decodeURIComponent(Array.from(bytes, (byte) => `%${toHex(new Uint8Array([byte]))}`).join('')))
    return typeof value === 'object' && value !== null ? value as Record<string, unknown> : {}
  } catch {
    return {}
  }
}
