import assert from 'node:assert/strict'
import { test } from 'node:test'

import { toBase64url } from '../src/bytes.ts'
import { payClaim } from '../src/proof.ts'

test('hash of payload and salt agrees with other tools', () => {
  // Computed with Python's hashlib and base64.
  const salt = toBase64url(new Uint8Array(16).fill(7))
  assert.equal(payClaim('a token', salt), 'm8AnLdP3S3GxOn6SXtJTZPdmevGGab_bOuq52UR1mhY')
})
