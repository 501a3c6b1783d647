import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { payClaim } from '../src/proof.ts'
import { proofOf } from './support/proof.ts'
import { lost, refused, Rig, SALT } from './support/rig.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** Returns the event after `scanned`: its detail or, for an error, its code. */
const outcome = (rig: Rig) => rig.told.slice(1).map((event) => (
  event.name === 'error' ? event.detail.code : [event.name, event.detail]
))

const HELLO = ['confirmed', { sessionId: 'qrs_0', payload: 'hello', salt: SALT, proof: null }]

describe('encrypted payload', () => {
  test('is decrypted, and comes with its salt and the proof', async () => {
    const rig = await Rig.begun()
    const plaintext = JSON.stringify({ salt: SALT, payload: 'für dich' })
    const proof = proofOf({ jti: 'qrs_0', pay: payClaim('für dich', SALT) })
    rig.redeemed = await rig.sealedFor('qrs_0', plaintext, proof)
    await rig.becomes('qrs_0', 'confirmed')
    await rig.tells(2)
    const detail = { sessionId: 'qrs_0', payload: 'für dich', salt: SALT, proof }
    assert.deepEqual(outcome(rig), [['confirmed', detail]])
  })

  test('that is not an object of payload and salt is an error', async () => {
    for (const plaintext of [
      '',
      'hello',
      '"hello"',
      'null',
      `["hello","${SALT}"]`,
      '{"payload":"hello"}',
      `{"salt":"${SALT}"}`,
      `{"payload":1,"salt":"${SALT}"}`,
      '{"payload":"hello","salt":null}',
      '{"payload":"hello","salt":""}',
      `{"payload":"hello","salt":"${SALT}AA"}`,
      `{"payload":"hello","salt":"${SALT.slice(0, -1)}B"}`,
      `{"payload":"hello","salt":"${SALT}","more":1}`,
    ]) {
      const rig = await Rig.begun()
      rig.redeemed = await rig.sealedFor('qrs_0', plaintext)
      await rig.becomes('qrs_0', 'confirmed')
      await rig.tells(2)
      assert.deepEqual(outcome(rig), ['bad_payload'], plaintext)
    }
  })

  test('whose answer was lost is fetched again with the same receipt', async () => {
    const rig = await Rig.begun()
    rig.refusals.redeem.push(lost(), refused(502))
    await rig.becomes('qrs_0', 'confirmed')
    assert.equal(rig.sight.trouble, 'unreachable')
    await rig.clock.pass(5 * SECOND)
    await rig.tells(2)
    assert.deepEqual(outcome(rig), [HELLO])
    assert.deepEqual(rig.receipts, ['receipt 0', 'receipt 0', 'receipt 0'])
  })

  test('that another client redeemed is an error', async () => {
    const rig = await Rig.begun()
    rig.refusals.redeem.push(refused(409, 'session_redeemed'))
    await rig.becomes('qrs_0', 'confirmed')
    assert.deepEqual(outcome(rig), ['already_redeemed'])
  })

  test('that the service no longer repeats after a lost answer is lost', async () => {
    const rig = await Rig.begun()
    rig.refusals.redeem.push(lost(), refused(409, 'session_redeemed'))
    await rig.becomes('qrs_0', 'confirmed')
    await rig.clock.pass(5 * SECOND)
    assert.deepEqual(outcome(rig), ['answer_lost'])
  })

  test('fetched too late has expired', async () => {
    const rig = await Rig.begun()
    rig.refusals.redeem.push(refused(410))
    await rig.becomes('qrs_0', 'confirmed')
    assert.deepEqual(outcome(rig), [['expired', { scanned: true }]])
  })

  test('is not requested forever', async () => {
    const rig = await Rig.begun()
    rig.refusals.redeem.push(...Array.from({ length: 50 }, lost))
    await rig.becomes('qrs_0', 'confirmed')
    await rig.clock.pass(2 * MINUTE)
    assert.deepEqual(outcome(rig), ['answer_lost'])
    assert.equal(rig.clock.armed, 0)
  })

  test('is dropped if the element is removed meanwhile', async () => {
    const rig = await Rig.begun()
    rig.refusals.redeem.push(lost())
    await rig.becomes('qrs_0', 'confirmed')
    rig.login.input({ type: 'stop' })
    await rig.clock.pass(MINUTE)
    assert.deepEqual(rig.names, ['scanned'])
    assert.deepEqual(rig.cancelled, ['qrs_0'])
    assert.equal(rig.clock.armed, 0)
  })
})

describe('readable payload of a session without a key', () => {
  test('comes with salt and proof where the phone sent them', async () => {
    const proved = proofOf({ jti: 'qrp_0', pay: payClaim('hello', SALT) })
    for (const [salt, proof] of [[null, null], [SALT, null], [SALT, proved]] as const) {
      const rig = await Rig.begun({ sealed: false })
      rig.redeemed = { payload: 'hello', encrypted: false, salt, proof }
      await rig.becomes('qrp_0', 'confirmed')
      assert.deepEqual(outcome(rig), [['confirmed', { sessionId: 'qrp_0', payload: 'hello', salt, proof }]])
    }
  })

  test('whose answer was lost is gone', async () => {
    const rig = await Rig.begun({ sealed: false })
    rig.refusals.redeem.push(lost(), refused(409, 'session_redeemed'))
    await rig.becomes('qrp_0', 'confirmed')
    await rig.clock.pass(5 * SECOND)
    assert.deepEqual(outcome(rig), ['answer_lost'])
  })
})
