import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { refused, Rig } from './support/rig.ts'

describe('present login', () => {
  test('is kept until it ends', async () => {
    const rig = await Rig.begun()
    assert.deepEqual(rig.keeps, ['qrs_0'])
    await rig.becomes('qrs_0', 'scanned')
    assert.deepEqual(rig.keeps, ['qrs_0'])
    await rig.becomes('qrs_0', 'confirmed')
    await rig.tells(2)
    assert.deepEqual(rig.keeps, ['qrs_0', null])
  })

  test('is the one whose code is shown, until a phone has opened another', async () => {
    const rig = await Rig.begun()
    await rig.clock.pass(56_000)
    assert.deepEqual(rig.keeps, ['qrs_0', 'qrs_1'])
    await rig.becomes('qrs_0', 'scanned')
    assert.deepEqual(rig.keeps, ['qrs_0', 'qrs_1', 'qrs_0'])
  })

  test('is no longer kept once the page or the user gives it up', async () => {
    for (const type of ['cancel', 'stop'] as const) {
      const rig = await Rig.begun()
      rig.login.input({ type })
      assert.deepEqual([rig.keeps, rig.cancelled], [['qrs_0', null], ['qrs_0']])
    }
  })
})

describe('page that was loaded again', () => {
  test('continues the login that it kept, and asks for its state immediately', async () => {
    const rig = await Rig.begun({ kept: 'qrs_kept' })
    assert.deepEqual([rig.asked, rig.shown, rig.identities], [['qrs_kept'], 'qrs_kept', []])
    rig.states.set('qrs_kept', 'confirmed')
    await rig.clock.pass(0)
    await rig.tells(2)
    assert.deepEqual(rig.names, ['scanned', 'confirmed'])
    assert.deepEqual(rig.cancelled, [])
  })

  test('shows a fresh code if that login has ended', async () => {
    const rig = new Rig()
    const { keys } = await Rig.begun()
    rig.keys = keys
    rig.kept = { id: 'qrs_kept', token: 'token', keys }
    rig.refusals.open.push(refused(410, 'session_over'))
    rig.login.input({ type: 'begin' })
    await rig.clock.pass(0)
    assert.deepEqual([rig.asked, rig.shown], [['qrs_kept', 'qrs_0'], 'qrs_0'])
  })

  test('goes on only once: the next code is a fresh one', async () => {
    const rig = await Rig.begun({ kept: 'qrs_kept' })
    rig.login.input({ type: 'begin' })
    await rig.clock.pass(0)
    assert.deepEqual([rig.shown, rig.cancelled], ['qrs_0', ['qrs_kept']])
  })
})
