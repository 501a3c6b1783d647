import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'

import { fromBase64url, framed, toBase64url, toHex as hexOf } from '../src/bytes.ts'
import { contextInfo, newKeys, newSuite, openSealed } from '../src/crypto.ts'
import { parseEnvelope } from '../src/envelope.ts'
import { plainId, sealedId } from '../src/identity.ts'
import { keyPair, sealingSuite } from './support/seal.ts'
import type { Vectors } from './support/vectors.ts'

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

// The test vectors of RFC 9180 for base mode and our suite (0x0010, 0x0001, 0x0002). Appendix A of the RFC
// only prints vectors for other suites.
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

  test('refuses a point that is not on the curve', async () => {
    const pair = await keyPair(toBase64url(fromHex(official.skRm)), toBase64url(fromHex(official.pkRm)))
    const enc = fromHex(official.enc)
    enc[64]! ^= 1
    await assert.rejects(newSuite().createRecipientContext({ recipientKey: pair, enc }))
  })

  test('seals to the ciphertexts of the test vectors', async () => {
    const suite = sealingSuite()
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

describe('vectors', () => {
  for (const name of ['from-typescript.json', 'from-rust.json']) {
    const { plain, sealed: cases } = read(name) as Vectors
    for (const [index, vector] of cases.entries()) {
      const { appKey, browserPublicKey, context, origin, payload, salt, sealed, sessionId } = vector

      test(`${name}, sealed ${index}: the payload opens only for its session and page`, async () => {
        const pair = await keyPair(vector.browserPrivateKey, browserPublicKey)
        const plaintext = await openSealed(pair, sealed, sessionId, origin)
        assert.deepEqual(parseEnvelope(plaintext), { payload, salt })
        await assert.rejects(openSealed(pair, sealed, sessionId, `${origin}.`))
        await assert.rejects(openSealed(pair, sealed, `${sessionId}0`, origin))
        const bytes = fromBase64url(sealed)
        bytes[bytes.length - 1]! ^= 1
        await assert.rejects(openSealed(pair, toBase64url(bytes), sessionId, origin))
      })

      test(`${name}, sealed ${index}: the id is that of app, page, context and key`, async () => {
        assert.equal(await sealedId(appKey, origin, browserPublicKey, context), sessionId)
        const { publicKey } = await newKeys()
        for (const other of [
          sealedId(`${appKey}x`, origin, browserPublicKey, context),
          sealedId(appKey, `${origin}.`, browserPublicKey, context),
          sealedId(appKey, origin, publicKey, context),
          sealedId(appKey, origin, browserPublicKey, `${context} `),
        ]) {
          assert.notEqual(await other, sessionId)
        }
      })
    }
    for (const [index, { browserToken, sessionId }] of plain.entries()) {
      test(`${name}, plain ${index}: the id is that of the token`, () => {
        assert.equal(plainId(browserToken), sessionId)
      })
    }
    test(`${name} has cases`, () => {
      assert.ok(cases.length >= 3 && plain.length >= 2)
      assert.ok(cases.some(({ context }) => context !== ''))
    })
  }
})

describe('keys', () => {
  test('private key cannot be exported', async () => {
    const { pair } = await newKeys()
    assert.equal(pair.privateKey.extractable, false)
    await assert.rejects(crypto.subtle.exportKey('jwk', pair.privateKey))
  })

  test('public key is a point of 65 bytes', async () => {
    const { publicKey } = await newKeys()
    const point = fromBase64url(publicKey)
    assert.deepEqual([point.length, point[0], publicKey.length], [65, 4, 87])
  })
})

describe('framing', () => {
  test('precedes each part by its length', () => {
    const info = contextInfo('qrs_00', 'https://shop.example')
    const expected = `\0\x10countersign/qr/2\0\x06qrs_00\0\x14https://shop.example`
    assert.equal(Buffer.from(info).toString('latin1'), expected)
  })

  test('writes lengths in bytes, as two bytes each', () => {
    const bytes = framed('ü', '', Uint8Array.of(255), 'x'.repeat(300))
    assert.deepEqual([...bytes.slice(0, 11)], [0, 2, 0xc3, 0xbc, 0, 0, 0, 1, 255, 1, 44])
    assert.equal(bytes.length, 11 + 300)
  })
})

test('hexadecimal agrees with Node.js', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
  assert.equal(hexOf(bytes), Buffer.from(bytes).toString('hex'))
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
