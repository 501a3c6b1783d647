import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { settled } from './support/clock.ts'
import { Rig } from './support/rig.ts'

/** Returns a rig whose page has the payload. */
async function confirmed(prevents: boolean): Promise<Rig> {
  const rig = await Rig.begun()
  rig.prevents = prevents
  await rig.becomes('qrs_0', 'confirmed')
  await rig.tells(2)
  return rig
}

const accept = { type: 'accept' } as const
const reject = { type: 'reject', reason: 'This account is locked.' } as const
const seen = ({ sight: { phase, reason } }: Rig) => [phase, reason]

describe('page that prevents the default of the confirmation', () => {
  test('decides whether the login is shown as confirmed', async () => {
    const rig = await confirmed(true)
    assert.deepEqual(seen(rig), ['checking', ''])
    await rig.clock.pass(60_000)
    assert.deepEqual(seen(rig), ['checking', ''])
    rig.login.input(accept)
    assert.deepEqual(seen(rig), ['confirmed', ''])
    assert.deepEqual(rig.names, ['scanned', 'confirmed'])
  })

  test('can reject the login with a reason, which the next login forgets', async () => {
    const rig = await confirmed(true)
    rig.login.input(reject)
    assert.deepEqual(seen(rig), ['rejected', 'This account is locked.'])
    rig.login.input(accept)
    assert.deepEqual(seen(rig), ['rejected', 'This account is locked.'])
    rig.login.input({ type: 'begin' })
    await settled()
    assert.deepEqual(seen(rig), ['waiting', ''])
    assert.deepEqual(rig.cancelled, [])
  })

  test('cannot cancel what the user has confirmed', async () => {
    const rig = await confirmed(true)
    rig.login.input({ type: 'cancel' })
    assert.deepEqual(seen(rig), ['checking', ''])
    assert.deepEqual(rig.cancelled, [])
  })
})

test('page that does not prevent it sees the login confirmed immediately, and can still reject it', async () => {
  const rig = await confirmed(false)
  assert.deepEqual(seen(rig), ['confirmed', ''])
  rig.login.input(reject)
  assert.deepEqual(seen(rig), ['rejected', 'This account is locked.'])
})

test('decisions without a confirmed login have no effect', async () => {
  const rig = await Rig.begun()
  for (const input of [accept, reject]) rig.login.input(input)
  assert.deepEqual(seen(rig), ['waiting', ''])
  await rig.becomes('qrs_0', 'denied')
  for (const input of [accept, reject]) rig.login.input(input)
  assert.deepEqual(seen(rig), ['denied', ''])
})
