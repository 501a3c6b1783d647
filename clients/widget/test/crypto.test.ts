import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'

import { fromBase64url, toBase64url } from '../src/bytes.ts'
import { contextInfo, newKeys, newSuite, openSealed } from '../src/crypto.ts'
import { keyPair } from './support/seal.ts'
import type { Vector } from './support/vectors.ts'

const fromHex = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const toHex = (bytes: ArrayBuffer) => Buffer.from(bytes).toString('hex')
const read = (name: string): unknown => JSON.parse(readFileSync(`test/vectors/${name}`, 'utf8'))

interface Official {
  readonly info: string
  readonly ikmE: string
  readonly skRm: string
  readonly pkRm: string
  readonly enc: string
  readonly encryptions: readonly { readonly aad: string; readonly ct: string; readonly pt: string }[]
}

// The test vectors of RFC 9180 for mode base and our suite (0x0010, 0x0001, 0x0002). Appendix A of the RFC
// only prints those of other suites.
describe('RFC 9180', () => {
  const official = read('rfc9180.json') as Official

  test('opens the ciphertexts of the test vectors', async () => {
    const pair = await keyPair(toBase64url(fromHex(official.skRm)), toBase64url(fromHex(official.pkRm)))
    const recipient = await newSuite().createRecipientContext({
      recipientKey: pair,
      enc: fromHex(official.enc),
      info: fromHex(official.info),
    })
    for (const { aad, ct, pt } of official.encryptions) {
      assert.equal(toHex(await recipient.open(fromHex(ct), fromHex(aad))), pt)
    }
  })

  test('seals to the ciphertexts of the test vectors', async () => {
    const suite = newSuite()
    const sender = await suite.createSenderContext({
      recipientPublicKey: await suite.kem.deserializePublicKey(fromHex(official.pkRm)),
      info: fromHex(official.info),
      ekm: fromHex(official.ikmE),
    })
    assert.equal(toHex(sender.enc), official.enc)
    for (const { aad, ct, pt } of official.encryptions) {
      assert.equal(toHex(await sender.seal(fromHex(pt), fromHex(aad))), ct)
    }
  })
})

describe('payloads of other implementations', () => {
  for (const name of ['from-typescript.json', 'from-rust.json']) {
    const vectors = read(name) as Vector[]
    for (const [index, vector] of vectors.entries()) {
      test(`${name}, ${index}: opens only unchanged and in its own context`, async () => {
        const pair = await keyPair(vector.recipientPrivateKey, vector.recipientPublicKey)
        const { origin, payload, sealed, sessionId } = vector
        assert.equal(await openSealed(pair, sealed, sessionId, origin), payload)
        await assert.rejects(openSealed(pair, sealed, sessionId, `${origin}.`))
        await assert.rejects(openSealed(pair, sealed, `${sessionId}0`, origin))
        const bytes = fromBase64url(sealed)
        bytes[bytes.length - 1]! ^= 1
        await assert.rejects(openSealed(pair, toBase64url(bytes), sessionId, origin))
      })
    }
    test(`${name} has cases`, () => assert.ok(vectors.length >= 3))
  }
})

describe('keys', () => {
  test('private key cannot be exported', async () => {
    const { pair } = await newKeys()
    assert.equal(pair.privateKey.extractable, false)
    await assert.rejects(crypto.subtle.exportKey('jwk', pair.privateKey))
  })

  test('public key is a point of 65 bytes, and the hash is of these bytes', async () => {
    const { hash, publicKey } = await newKeys()
    const point = fromBase64url(publicKey)
    assert.deepEqual([point.length, point[0], publicKey.length, hash.length], [65, 4, 87, 43])
    assert.equal(toBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', point))), hash)
  })
})

describe('context of an encryption', () => {
  test('is three texts, each preceded by its length', () => {
    const info = contextInfo('qrs_00', 'https://shop.example')
    const expected = `\0\x10countersign/qr/1\0\x06qrs_00\0\x14https://shop.example`
    assert.equal(Buffer.from(info).toString('latin1'), expected)
  })

  test('has lengths in bytes, as two bytes each', () => {
    const info = contextInfo('ü', 'x'.repeat(300))
    assert.deepEqual([...info.slice(18, 24)], [0, 2, 0xc3, 0xbc, 1, 44])
    assert.equal(info.length, 18 + 4 + 2 + 300)
  })
})

describe('base64url', () => {
  test('agrees with Node.js', () => {
    for (let length = 0; length < 70; length += 1) {
      const bytes = crypto.getRandomValues(new Uint8Array(length))
      const text = toBase64url(bytes)
      assert.equal(text, Buffer.from(bytes).toString('base64url'))
      assert.deepEqual([...fromBase64url(text)], [...bytes])
    }
  })

  test('rejects everything else', () => {
    for (const text of ['+', '/w', 'AA==', 'A', ' AA', 'ä']) assert.throws(() => fromBase64url(text), text)
  })
})
