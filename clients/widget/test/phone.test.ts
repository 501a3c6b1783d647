import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { settled } from './support/clock.ts'
import { PhoneRig } from './support/phone-rig.ts'
import { lost, refused } from './support/rig.ts'

const SECOND = 1_000

describe('confirmation', () => {
  test('is shown with the time left, and asked for immediately', async () => {
    const rig = await PhoneRig.begun()
    assert.equal(rig.sight.phase, 'open')
    assert.deepEqual(rig.told, [{ name: 'started', detail: { confirmationId: rig.sight.confirmation?.id } }])
    await rig.clock.pass(0)
    assert.deepEqual(rig.asked, [null])
    await rig.clock.pass(1_500)
    assert.equal(rig.sight.left, 299 * SECOND)
  })

  test('says hello to the socket, and is asked for when that pokes', async () => {
    const rig = await PhoneRig.begun()
    await rig.clock.pass(0)
    const [socket] = rig.sockets
    socket?.emit('open')
    assert.deepEqual(socket?.sent, ['{"confirmationId":"cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4","token":"token"}'])
    socket?.emit('message')
    await rig.clock.pass(0)
    assert.equal(rig.asked.length, 2)
    await rig.clock.pass(2.4 * SECOND)
    assert.equal(rig.asked.length, 2, 'under a socket it is polled less often')
    rig.status = 'verified'
    socket?.emit('message')
    await rig.clock.pass(0)
    assert.deepEqual(rig.names, ['started', 'verified'])
    assert.ok(socket?.closed)
    assert.equal(rig.clock.armed, 0)
  })

  test('that is verified shows the tick', async () => {
    const rig = await PhoneRig.begun()
    await rig.becomes('verified')
    assert.deepEqual(rig.names, ['started', 'verified'])
    assert.equal(rig.sight.phase, 'verified')
    assert.equal(rig.clock.armed, 0)
  })

  test('waits for the page if that prevents the default', async () => {
    for (const decide of ['accept', 'reject'] as const) {
      const rig = await PhoneRig.begun()
      rig.prevents = true
      await rig.becomes('verified')
      assert.equal(rig.sight.phase, 'checking')
      rig.phone[decide]('This number is taken.')
      assert.deepEqual([rig.sight.phase, rig.sight.reason], {
        accept: ['verified', ''],
        reject: ['rejected', 'This number is taken.'],
      }[decide])
    }
  })

  test('that was cancelled says so', async () => {
    const rig = await PhoneRig.begun()
    await rig.becomes('cancelled')
    assert.deepEqual([rig.names, rig.sight.phase, rig.clock.armed], [['started', 'cancelled'], 'cancelled', 0])
  })

  test('can be started again after any end', async () => {
    const rig = await PhoneRig.begun()
    await rig.becomes('cancelled')
    rig.status = 'open'
    await rig.begins()
    assert.deepEqual([rig.sight.phase, rig.names], ['open', ['started', 'cancelled', 'started']])
  })

  test('that was stopped does nothing more', async () => {
    const rig = await PhoneRig.begun()
    rig.status = 'verified'
    rig.phone.returned()
    rig.phone.stop()
    await rig.clock.pass(600 * SECOND)
    assert.deepEqual([rig.names, rig.clock.armed], [['started'], 0])
  })
})

describe('number to confirm', () => {
  test('is asked for again if the service refuses it, and says why', async () => {
    for (const code of [
      'phone_number_not_international', 'phone_number_not_national', 'phone_number_not_possible', 'number_type_refused', 'country_malformed',
    ] as const) {
      const rig = new PhoneRig()
      rig.phone.ask()
      assert.deepEqual([rig.sight.phase, rig.sight.fault, rig.starts], ['asking', null, 0])
      rig.refusals.start.push(refused(422, code))
      await rig.begins()
      assert.deepEqual([rig.sight.phase, rig.sight.fault, rig.names, rig.clock.armed], ['asking', code, [], 0])
      await rig.begins()
      assert.deepEqual([rig.sight.phase, rig.sight.fault, rig.names], ['open', null, ['started']])
    }
  })

  test('ends the confirmation of another', async () => {
    const rig = await PhoneRig.begun()
    rig.phone.ask()
    assert.deepEqual([rig.sight.phase, rig.sight.confirmation, rig.clock.armed], ['asking', null, 0])
    rig.status = 'verified'
    await rig.clock.pass(60_000)
    assert.deepEqual(rig.names, ['started'])
  })
})

describe('text that does not count', () => {
  test('is reported once, and the next may count', async () => {
    const rig = await PhoneRig.begun()
    await rig.clock.pass(0)
    const [socket] = rig.sockets
    socket?.emit('open')
    socket?.emit('message')
    await rig.clock.pass(0)
    assert.equal(rig.sight.miss, null)
    rig.miss = 'number_hidden'
    socket?.emit('message')
    await rig.clock.pass(0)
    assert.deepEqual([rig.sight.phase, rig.sight.miss], ['open', 'number_hidden'])
    await rig.clock.pass(60 * SECOND)
    assert.deepEqual(rig.told.slice(1), [{ name: 'missed', detail: { reason: 'number_hidden' } }])
    rig.status = 'verified'
    rig.miss = null
    socket?.emit('message')
    await rig.clock.pass(0)
    assert.deepEqual([rig.names, rig.sight.miss], [['started', 'missed', 'verified'], null])
  })

  test('is forgotten with its confirmation', async () => {
    for (const status of ['expired', 'cancelled'] as const) {
      const rig = await PhoneRig.begun()
      rig.miss = 'wrong_sender'
      await rig.clock.pass(2 * SECOND)
      assert.equal(rig.sight.miss, 'wrong_sender')
      await rig.becomes(status)
      assert.deepEqual([rig.sight.phase, rig.sight.miss], [status, null])
      rig.status = 'open'
      rig.miss = null
      await rig.begins()
      assert.deepEqual([rig.sight.phase, rig.sight.miss], ['open', null])
    }
  })

  test('is not reported while time is up', async () => {
    const rig = await PhoneRig.begun()
    rig.miss = 'wrong_sender'
    await rig.clock.pass(300 * SECOND)
    assert.deepEqual([rig.sight.phase, rig.sight.miss], ['ending', null])
  })
})

describe('time', () => {
  test('is the service\'s: a confirmation that was handed over late ends earlier', async () => {
    const rig = new PhoneRig()
    rig.left = 20 * SECOND
    await rig.begins()
    await rig.clock.pass(0)
    await rig.clock.pass(10 * SECOND)
    assert.equal(rig.sight.left, 10 * SECOND)
  })

  test('that is up hides the code, and the service decides', async () => {
    const rig = await PhoneRig.begun()
    rig.sockets[0]?.emit('message')
    await rig.clock.pass(300 * SECOND)
    assert.equal(rig.sight.phase, 'ending')
    rig.status = 'expired'
    await rig.clock.pass(2 * SECOND)
    assert.deepEqual([rig.names, rig.sight.phase, rig.clock.armed], [['started', 'expired'], 'expired', 0])
  })

  test('that is up verifies a text that arrived in time', async () => {
    const rig = await PhoneRig.begun()
    await rig.clock.pass(300 * SECOND)
    await rig.becomes('verified')
    assert.deepEqual(rig.names, ['started', 'verified'])
  })

  test('that is up ends the wait for a service that does not decide', async () => {
    for (const refusals of [[], Array.from({ length: 30 }, () => lost())]) {
      const rig = await PhoneRig.begun()
      await rig.clock.pass(299 * SECOND)
      rig.refusals.standing.push(...refusals)
      await rig.clock.pass(SECOND)
      assert.equal(rig.sight.phase, 'ending')
      await rig.clock.pass(29_999)
      assert.equal(rig.sight.phase, 'ending')
      await rig.clock.pass(1)
      assert.deepEqual([rig.names, rig.sight.phase, rig.clock.armed], [['started', 'expired'], 'expired', 0])
    }
  })

  test('is asked for again when the page comes back', async () => {
    const rig = await PhoneRig.begun()
    await rig.clock.pass(0)
    rig.left = 7 * SECOND
    rig.phone.returned()
    await rig.clock.pass(0)
    assert.deepEqual(rig.asked, [null, null])
    await rig.clock.pass(SECOND)
    assert.equal(rig.sight.left, 6 * SECOND)
  })
})

describe('confirmation without the right to watch', () => {
  test('is shown until its time is up, and reported', async () => {
    const rig = await PhoneRig.begun({ client: undefined })
    assert.deepEqual(rig.reported.map(({ code }) => code), ['no_client'])
    await rig.clock.pass(299 * SECOND)
    assert.equal(rig.sight.phase, 'open')
    await rig.clock.pass(SECOND)
    assert.deepEqual([rig.names, rig.asked, rig.sockets], [['started', 'expired'], [], []])
  })

  test('ends when the page says so', async () => {
    const rig = await PhoneRig.begun({ client: undefined })
    rig.phone.accept()
    assert.deepEqual([rig.sight.phase, rig.clock.armed], ['verified', 0])
  })
})

describe('trouble', () => {
  test('start is repeated without an answer or if the server asks to wait', async () => {
    const rig = new PhoneRig()
    rig.refusals.start.push(lost(), refused(429, 'slow_down', 9_000))
    await rig.begins()
    assert.deepEqual([rig.sight.phase, rig.sight.trouble], ['starting', 'unreachable'])
    await rig.clock.pass(SECOND)
    assert.equal(rig.sight.trouble, 'busy')
    rig.phone.returned()
    await rig.clock.pass(8_999)
    assert.equal(rig.sight.trouble, 'busy')
    await rig.clock.pass(1)
    assert.deepEqual([rig.sight.phase, rig.sight.trouble, rig.starts], ['open', null, 3])
  })

  test('start that the server refuses fails', async () => {
    const rig = new PhoneRig()
    rig.refusals.start.push(refused(200, 'bad_session'))
    await rig.begins()
    assert.deepEqual(rig.told, [{ name: 'error', detail: { code: 'bad_session', message: 'refused' } }])
    assert.deepEqual([rig.sight.phase, rig.clock.armed], ['failed', 0])
  })

  test('service without an answer is named after the second try', async () => {
    const rig = await PhoneRig.begun()
    rig.refusals.standing.push(lost(), lost())
    await rig.clock.pass(0)
    assert.equal(rig.sight.trouble, null)
    await rig.clock.pass(SECOND)
    assert.equal(rig.sight.trouble, 'unreachable')
    await rig.clock.pass(2 * SECOND)
    assert.equal(rig.sight.trouble, null)
  })

  test('service that asks to wait is not asked before', async () => {
    const rig = await PhoneRig.begun()
    rig.refusals.standing.push(refused(429, 'too_many_misses', 30_000))
    await rig.clock.pass(0)
    assert.equal(rig.sight.trouble, 'busy')
    rig.phone.returned()
    await rig.clock.pass(29_999)
    assert.equal(rig.asked.length, 1)
    await rig.clock.pass(1)
    assert.equal(rig.asked.length, 2)
  })

  test('page is offline, and asks when it is online again', async () => {
    const rig = await PhoneRig.begun()
    await rig.clock.pass(0)
    rig.online = false
    rig.phone.networkChanged()
    assert.equal(rig.sight.trouble, 'offline')
    rig.online = true
    rig.phone.networkChanged()
    await rig.clock.pass(0)
    assert.deepEqual([rig.sight.trouble, rig.asked.length], [null, 2])
  })

  test('unknown confirmation is an error as long as there is time left', async () => {
    const rig = await PhoneRig.begun()
    rig.refusals.standing.push(refused(404, 'confirmation_not_found'))
    await rig.clock.pass(0)
    assert.deepEqual([rig.names, rig.sight.phase], [['started', 'error'], 'failed'])
    const late = await PhoneRig.begun()
    await late.clock.pass(299 * SECOND)
    late.refusals.standing.push(refused(404, 'confirmation_not_found'))
    await late.clock.pass(2 * SECOND)
    assert.deepEqual(late.names, ['started', 'expired'])
    await settled()
  })
})
