import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'

import { fromBase64url } from '../src/bytes.ts'
import { plainSha256 } from '../src/digest.ts'
import { plainId, plainIdentity, sealedId, sealedIdentity } from '../src/identity.ts'

const sha256 = (...parts: (string | Uint8Array)[]) => (
  parts.reduce<ReturnType<typeof createHash>>((hash, part) => hash.update(part), createHash('sha256')).digest()
)

describe('SHA-256 without WebCrypto', () => {
  test('agrees with Node.js for every length around block borders', () => {
    for (let length = 0; length < 260; length += 1) {
      const message = crypto.getRandomValues(new Uint8Array(length))
      assert.equal(Buffer.from(plainSha256(message)).toString('hex'), sha256(message).toString('hex'), `${length} bytes`)
    }
  })
})

describe('identity', () => {
  test('has a token of 32 bytes of its own', async () => {
    const tokens = [plainIdentity(), plainIdentity(), await sealedIdentity('app', 'https://a.example')]
    for (const { token } of tokens) assert.equal(fromBase64url(token).length, 32)
    assert.equal(new Set(tokens.map(({ token }) => token)).size, 3)
  })

  test('with a key has the id of app, page and key', async () => {
    const { id, keys } = await sealedIdentity('app', 'https://a.example')
    assert.match(id, /^qrs_[0-9a-f]{32}$/)
    assert.equal(id, await sealedId('app', 'https://a.example', keys?.publicKey ?? ''))
  })

  test('without a key has the id of the token', () => {
    const { id, keys, token } = plainIdentity()
    assert.match(id, /^qrp_[0-9a-f]{32}$/)
    assert.equal(id, plainId(token))
    assert.equal(keys, null)
  })
})

describe('id', () => {
  const key = Uint8Array.from({ length: 65 }, (_, index) => index)

  test('is the start of a hash of parts that each follow their length', async () => {
    const expected = sha256(
      '\0\x16countersign/login-id/1', '\0\x03app', '\0\x11https://a.example', '\0\0', '\0\x41', key,
    )
    const id = await sealedId('app', 'https://a.example', Buffer.from(key).toString('base64url'))
    assert.equal(id, `qrs_${expected.toString('hex').slice(0, 32)}`)
  })

  test('does not confuse parts that share a border', async () => {
    const encoded = Buffer.from(key).toString('base64url')
    assert.notEqual(await sealedId('app', 'https://a', encoded), await sealedId('apph', 'ttps://a', encoded))
  })

  test('of a session without a key is the start of a hash of the token', () => {
    const expected = sha256('countersign/login-id/plain/1', key.slice(0, 32))
    const token = Buffer.from(key.slice(0, 32)).toString('base64url')
    assert.equal(plainId(token), `qrp_${expected.toString('hex').slice(0, 32)}`)
  })
})
