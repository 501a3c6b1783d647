import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { digitsOf } from '../src/digits.ts'
import { lost, refused, Rig, SALT, wrongCode } from './support/rig.ts'

const SECOND = 1_000

/** A rig whose user has confirmed and has to type a check code. */
async function asked(options: { sealed?: boolean } = {}): Promise<Rig> {
  const rig = await Rig.begun({ ...options, needsCode: true })
  await rig.becomes(rig.shown!, 'confirmed')
  return rig
}

async function types(rig: Rig, code: string): Promise<void> {
  rig.login.input({ type: 'typed', code })
  await rig.clock.pass(0)
}

describe('check code', () => {
  test('is asked for before the payload is requested', async () => {
    const rig = await asked()
    assert.deepEqual([rig.sight.phase, rig.sight.triesLeft], ['typing', null])
    assert.deepEqual(rig.codes, [])
    await types(rig, '07')
    await rig.tells(2)
    assert.deepEqual(rig.codes, ['07'])
    assert.deepEqual(rig.told[1], {
      name: 'confirmed',
      detail: { sessionId: 'qrs_0', payload: 'hello', salt: SALT, proof: null },
    })
    assert.deepEqual([rig.sight.phase, rig.clock.armed], ['confirmed', 0])
  })

  test('is not asked for if the session needs none', async () => {
    const rig = await Rig.begun()
    await rig.becomes('qrs_0', 'confirmed')
    await rig.tells(2)
    assert.deepEqual([rig.sight.phase, rig.codes], ['confirmed', [null]])
  })

  test('is asked for again while tries are left', async () => {
    const rig = await asked()
    rig.refusals.redeem.push(wrongCode(2), wrongCode(1))
    await types(rig, '01')
    assert.deepEqual([rig.sight.phase, rig.sight.triesLeft], ['typing', 2])
    await types(rig, '02')
    assert.deepEqual([rig.sight.phase, rig.sight.triesLeft], ['typing', 1])
    await types(rig, '03')
    await rig.tells(2)
    assert.deepEqual(rig.codes, ['01', '02', '03'])
    assert.deepEqual(rig.names, ['scanned', 'confirmed'])
  })

  test('that was wrong too often ends the login', async () => {
    const rig = await asked()
    rig.refusals.redeem.push(wrongCode(2), wrongCode(1), refused(409, 'session_blocked'))
    for (const code of ['01', '02', '03']) await types(rig, code)
    assert.deepEqual(rig.names, ['scanned', 'blocked'])
    assert.deepEqual([rig.sight.phase, rig.clock.armed], ['wrongCodes', 0])
  })

  test('is sent again if the answer was lost, whatever it then says', async () => {
    for (const [answer, phase] of [
      [wrongCode(2), 'typing'],
      [refused(409, 'session_blocked'), 'wrongCodes'],
      [refused(410, 'session_expired'), 'late'],
    ] as const) {
      const rig = await asked()
      rig.refusals.redeem.push(lost(), answer)
      await types(rig, '01')
      assert.deepEqual([rig.sight.phase, rig.sight.trouble], ['redeeming', 'unreachable'])
      await rig.clock.pass(SECOND)
      assert.equal(rig.sight.phase, phase)
      assert.deepEqual(rig.codes, ['01', '01'])
      assert.equal(new Set(rig.receipts).size, 1)
    }
  })

  test('typed twice is sent once', async () => {
    const rig = await asked()
    rig.login.input({ type: 'typed', code: '01' })
    rig.login.input({ type: 'typed', code: '02' })
    await rig.tells(2)
    assert.deepEqual(rig.codes, ['01'])
  })

  test('is not taken before the user has confirmed', async () => {
    const rig = await Rig.begun({ needsCode: true })
    await types(rig, '01')
    await rig.becomes('qrs_0', 'scanned')
    await types(rig, '01')
    assert.deepEqual([rig.sight.phase, rig.codes], ['scanned', []])
  })

  test('is no longer wanted once the session ends', async () => {
    for (const [state, phase, event] of [
      ['expired', 'late', { name: 'expired', detail: { scanned: true } }],
      ['cancelled', 'cancelled', { name: 'cancelled', detail: null }],
      ['blocked', 'wrongCodes', { name: 'blocked', detail: null }],
    ] as const) {
      const rig = await asked()
      await rig.becomes('qrs_0', state)
      assert.deepEqual(rig.told.at(-1), event)
      await types(rig, '01')
      assert.deepEqual([rig.sight.phase, rig.codes, rig.clock.armed], [phase, [], 0])
    }
  })

  test('is no longer wanted once the page gives up', async () => {
    const rig = await asked()
    rig.login.input({ type: 'cancel' })
    assert.deepEqual([rig.names, rig.cancelled], [['scanned', 'cancelled'], ['qrs_0']])
    await types(rig, '01')
    assert.deepEqual([rig.codes, rig.clock.armed], [[], 0])
  })

  test('is asked for with a readable payload, too', async () => {
    const rig = await asked({ sealed: false })
    rig.redeemed = { payload: 'hello', encrypted: false, salt: null, proof: null }
    await types(rig, '42')
    assert.deepEqual([rig.names, rig.codes], [['scanned', 'confirmed'], ['42']])
  })
})

test('digits are taken from any keyboard', () => {
  for (const [typed, digits] of [
    ['42', '42'], ['4 2', '42'], ['٤٢', '42'], ['۴۲', '42'], ['４２', '42'], ['a4b', '4'], ['', ''], ['427', '427'], ['½', ''],
  ]) {
    assert.equal(digitsOf(typed!), digits, typed)
  }
})
