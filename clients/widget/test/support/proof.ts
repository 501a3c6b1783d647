import { toBase64url } from '../../src/bytes.ts'
import { ORIGIN } from './rig.ts'

/** Creates a proof with an invalid signature: with these claims in addition to the page's, or with a text. */
export function proofOf(claims: Record<string, string> | string): string {
  const text = typeof claims === 'string' ? claims : JSON.stringify({ aud: ORIGIN, act: 'confirm', ...claims })
  return `e30.${toBase64url(new TextEncoder().encode(text))}.c2ln`
}
