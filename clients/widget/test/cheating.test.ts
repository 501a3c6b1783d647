// Dishonest answers of the service, or of an attacker between it and the page.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { newKeys } from '../src/crypto.ts'
import { payClaim } from '../src/proof.ts'
import type { Opened } from '../src/service.ts'
import { settled } from './support/clock.ts'
import { proofOf } from './support/proof.ts'
import { ORIGIN, Rig, SALT } from './support/rig.ts'
import { seal } from './support/seal.ts'

const codes = (rig: Rig) => rig.told.map((event) => (event.name === 'error' ? event.detail.code : event.name))

describe('answer to a new session is an error', () => {
  const own = 'https://login.shop.example?sessionId=qrs_0'
  const answers: [string, string, (opened: Opened) => Partial<Opened>][] = [
    ['with another id', 'wrong_session', () => (
      { sessionId: 'qrs_9', url: 'https://login.shop.example?sessionId=qrs_9' }
    )],
    ['with another id beside the own link', 'wrong_session', () => ({ sessionId: 'qrs_9' })],
    ['with an id without a key', 'wrong_session', () => (
      { sessionId: 'qrp_0', url: 'https://login.shop.example?sessionId=qrp_0' }
    )],
    ['with its own id in capitals', 'wrong_session', () => ({ sessionId: 'QRS_0' })],
    ['with a link to another session', 'bad_link', () => ({ url: own.replace('qrs_0', 'qrs_9') })],
    ['with a link to a session without a key', 'bad_link', () => ({ url: own.replace('qrs_0', 'qrp_0') })],
    ['with a fragment', 'bad_link', () => ({ url: `${own}#k=AAAA` })],
    ['with an empty fragment', 'bad_link', () => ({ url: `${own}#` })],
    ['with a second parameter', 'bad_link', () => ({ url: `${own}&sessionId=qrs_9` })],
    ['with a parameter before', 'bad_link', () => ({ url: own.replace('?', '?a=1&') })],
    ['with a path', 'bad_link', () => ({ url: own.replace('?', '/login?') })],
    ['with a slash', 'bad_link', () => ({ url: own.replace('?', '/?') })],
    ['with user info', 'bad_link', () => ({ url: own.replace('login.', 'login@evil.') })],
    ['with an encoded id', 'bad_link', () => ({ url: own.replace('qrs_0', 'qrs%5F0') })],
    ['with a host that is not normalised', 'bad_link', () => ({ url: own.replace('login', 'LOGIN') })],
    ['with white space', 'bad_link', () => ({ url: ` ${own}` })],
    ['with a line break', 'bad_link', () => ({ url: own.replace('shop', 'sh\nop') })],
    ['with http', 'bad_link', () => ({ url: own.replace('https', 'http') })],
    ['with https to this machine', 'bad_link', () => ({ url: 'https://localhost:8787?sessionId=qrs_0' })],
    ['with http to a name below localhost', 'bad_link', () => ({ url: 'http://a.localhost?sessionId=qrs_0' })],
    ['with http to another loopback address', 'bad_link', () => ({ url: 'http://127.0.0.2?sessionId=qrs_0' })],
    ['with http to this network', 'bad_link', () => ({ url: 'http://192.168.1.2:8787?sessionId=qrs_0' })],
    ['with a script', 'bad_link', () => ({ url: `javascript:alert(1)//?sessionId=qrs_0` })],
    ['without a link', 'bad_link', () => ({ url: 'nothing' })],
    ['with an empty link', 'bad_link', () => ({ url: '' })],
  ]
  for (const [what, code, change] of answers) {
    test(what, async () => {
      const rig = new Rig()
      rig.keys = await newKeys()
      rig.cheat = (opened) => ({ ...opened, ...change(opened) })
      rig.login.input({ type: 'begin' })
      await settled()
      assert.deepEqual(codes(rig), [code])
      assert.deepEqual([rig.sight.phase, rig.sight.url], ['failed', null])
      assert.deepEqual(rig.cancelled, ['qrs_0'], 'the own session is given up, no other')
      assert.deepEqual([rig.polled, rig.sockets, rig.clock.armed], [[], [], 0])
    })
  }

  test('unless it has exactly the form of a link, with any host', async () => {
    const hosts = ['login.shop.example', 'a.example:8443', 'xn--bcher-kva.example'].map((host) => `https://${host}`)
    const own = ['localhost:8787', 'localhost', '127.0.0.1:8787', '[::1]:8787'].map((host) => `http://${host}`)
    for (const start of [...hosts, ...own]) {
      const rig = new Rig()
      rig.keys = await newKeys()
      rig.cheat = (opened) => ({ ...opened, url: `${start}?sessionId=qrs_0` })
      rig.login.input({ type: 'begin' })
      await settled()
      assert.equal(rig.sight.url, `${start}?sessionId=qrs_0`)
      rig.login.input({ type: 'stop' })
    }
  })
})

describe('payload is an error', () => {
  const plaintext = JSON.stringify({ payload: 'x', salt: SALT })

  async function codesFor(payload: string, { encrypted = true, sealed = true } = {}): Promise<string[]> {
    const rig = await Rig.begun({ sealed })
    rig.redeemed = { payload, encrypted, salt: SALT, proof: 'a.b.c' }
    await rig.becomes(sealed ? 'qrs_0' : 'qrp_0', 'confirmed')
    await rig.tells(2)
    assert.equal(rig.sight.phase, 'failed')
    return codes(rig).slice(1)
  }

  test('encrypted for another session, page or key, or altered', async () => {
    const { publicKey: other } = await newKeys()
    const { keys: { publicKey } } = await Rig.begun()
    const own = await seal(publicKey, 'qrs_0', ORIGIN, plaintext)
    for (const payload of [
      await seal(publicKey, 'qrs_1', ORIGIN, plaintext),
      await seal(publicKey, 'qrp_0', ORIGIN, plaintext),
      await seal(publicKey, 'qrs_0', 'https://evil.example', plaintext),
      await seal(other, 'qrs_0', ORIGIN, plaintext),
      own.slice(0, -2),
      `${own}AAAA`,
      plaintext,
      '',
    ]) {
      assert.deepEqual(await codesFor(payload), ['decryption_failed'])
    }
  })

  test('readable, where a key was given', async () => {
    for (const payload of ['x', plaintext, '']) {
      assert.deepEqual(await codesFor(payload, { encrypted: false }), ['not_encrypted'])
    }
  })

  test('readable, though it is encrypted for the page', async () => {
    const { keys: { publicKey } } = await Rig.begun()
    const payload = await seal(publicKey, 'qrs_0', ORIGIN, plaintext)
    assert.deepEqual(await codesFor(payload, { encrypted: false }), ['not_encrypted'])
  })

  test('encrypted, where no key was given', async () => {
    const { keys: { publicKey } } = await Rig.begun()
    const payload = await seal(publicKey, 'qrp_0', ORIGIN, plaintext)
    assert.deepEqual(await codesFor(payload, { sealed: false }), ['decryption_failed'])
  })
})

describe('proof is an error', () => {
  const fitting = (id: string) => ({ jti: id, pay: payClaim('x', SALT) })
  const proofs: [string, (id: string) => string][] = [
    ['of another session', (id) => proofOf({ ...fitting(id), jti: 'qrs_9' })],
    ['of another page', (id) => proofOf({ ...fitting(id), aud: 'https://evil.example' })],
    ['of something else than a confirmation', (id) => proofOf({ ...fitting(id), act: 'deny' })],
    ['of another payload', (id) => proofOf({ ...fitting(id), pay: payClaim('y', SALT) })],
    ['of another salt', (id) => proofOf({ ...fitting(id), pay: payClaim('x', `B${SALT.slice(1)}`) })],
    ['of a context that this page did not set', (id) => proofOf({ ...fitting(id), ctx: payClaim('', SALT) })],
    ['without claims', () => proofOf('')],
    ['with claims that are not an object', () => proofOf('null')],
    ['that is no JWT', () => 'abc'],
  ]
  for (const [what, make] of proofs) {
    for (const sealed of [true, false]) {
      test(`${what}, with ${sealed ? 'an encrypted' : 'a readable'} payload`, async () => {
        const rig = await Rig.begun({ sealed })
        const id = sealed ? 'qrs_0' : 'qrp_0'
        const plaintext = JSON.stringify({ payload: 'x', salt: SALT })
        rig.redeemed = sealed
          ? await rig.sealedFor(id, plaintext, make(id))
          : { payload: 'x', encrypted: false, salt: SALT, proof: make(id) }
        await rig.becomes(id, 'confirmed')
        await rig.tells(2)
        assert.deepEqual(codes(rig).slice(1), ['bad_proof'])
      })
    }
  }

  test('without a salt', async () => {
    const rig = await Rig.begun({ sealed: false })
    rig.redeemed = { payload: 'x', encrypted: false, salt: null, proof: proofOf(fitting('qrp_0')) }
    await rig.becomes('qrp_0', 'confirmed')
    await rig.tells(2)
    assert.deepEqual(codes(rig).slice(1), ['bad_proof'])
  })
})
