import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { settled } from './support/clock.ts'
import { lost, refused, Rig } from './support/rig.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

describe('codes', () => {
  test('code is replaced five seconds before it expires', async () => {
    const rig = await Rig.begun()
    assert.equal(rig.shown, 'qrs_0')
    await rig.clock.pass(55 * SECOND - 1)
    assert.equal(rig.shown, 'qrs_0')
    await rig.clock.pass(1)
    assert.equal(rig.shown, 'qrs_1')
    assert.deepEqual(rig.cancelled, [])
  })

  test('sixth code is the last without a scan', async () => {
    const rig = await Rig.begun()
    await rig.clock.pass(5 * 55 * SECOND)
    assert.equal(rig.shown, 'qrs_5')
    rig.states.set('qrs_5', 'expired')
    await rig.clock.pass(MINUTE)
    assert.deepEqual(rig.told, [{ name: 'expired', detail: { scanned: false } }])
    assert.equal(rig.opened.length, 6)
    assert.equal(rig.clock.armed, 0)
    rig.login.input({ type: 'begin' })
    await settled()
    assert.equal(rig.shown, 'qrs_6')
  })

  test('hidden page does not replace its code until it is visible again', async () => {
    const rig = await Rig.begun()
    rig.login.visibilityChanged(false)
    await rig.clock.pass(55 * SECOND)
    rig.states.set('qrs_0', 'expired')
    await rig.clock.pass(30 * MINUTE)
    assert.equal(rig.opened.length, 1)
    rig.login.visibilityChanged(true)
    await rig.clock.pass(0)
    assert.equal(rig.shown, 'qrs_1')
    assert.deepEqual(rig.names, [])
  })

  test('page that returns after its link was opened on the same phone reports the scan', async () => {
    const rig = await Rig.begun()
    rig.login.visibilityChanged(false)
    rig.sockets[0]?.emit('close')
    await rig.clock.pass(50 * SECOND)
    rig.states.set('qrs_0', 'confirmed')
    rig.refusals.status.push(lost())
    await rig.clock.pass(6 * SECOND)
    rig.login.visibilityChanged(true)
    await rig.clock.pass(0)
    await rig.tells(2)
    assert.deepEqual(rig.names, ['scanned', 'confirmed'])
    assert.equal(rig.opened.length, 1)
  })

  test('code scanned in its last second logs in even after it was replaced', async () => {
    const rig = await Rig.begun()
    await rig.clock.pass(56 * SECOND)
    assert.equal(rig.shown, 'qrs_1')
    await rig.becomes('qrs_0', 'scanned')
    assert.equal(rig.sight.phase, 'scanned')
    assert.deepEqual(rig.cancelled, ['qrs_1'])
    await rig.becomes('qrs_0', 'confirmed')
    await rig.tells(2)
    assert.deepEqual(rig.names, ['scanned', 'confirmed'])
  })

  test('expired code is hidden while no new one can be opened', async () => {
    const rig = await Rig.begun()
    rig.refusals.open.push(...Array.from({ length: 9 }, lost))
    await rig.clock.pass(59 * SECOND)
    assert.equal(rig.shown, 'qrs_0')
    await rig.clock.pass(SECOND)
    assert.deepEqual([rig.sight.phase, rig.sight.trouble], ['opening', 'unreachable'])
  })

  test('refresh cancels the shown code', async () => {
    const rig = await Rig.begun()
    rig.login.input({ type: 'begin' })
    await settled()
    assert.equal(rig.shown, 'qrs_1')
    assert.deepEqual(rig.cancelled, ['qrs_0'])
    assert.ok(rig.sockets[0]?.closed)
  })
})

describe('polling', () => {
  test('notices within three seconds that a socket has silently died', async () => {
    const rig = await Rig.begun()
    rig.sockets[0]?.emit('open')
    rig.sockets[0]?.emit('message')
    await rig.clock.pass(10 * SECOND)
    rig.states.set('qrs_0', 'scanned')
    await rig.clock.pass(3 * SECOND)
    assert.deepEqual(rig.names, ['scanned'])
  })

  test('becomes rarer beneath a socket if the service is busy, and the user sees nothing of it', async () => {
    const rig = await Rig.begun()
    const [socket] = rig.sockets
    socket?.emit('open')
    socket?.emit('message')
    await rig.clock.pass(0)
    const before = rig.polled.length
    for (let count = 0; count < 20; count += 1) rig.refusals.status.push(refused(429, 'too_many_requests'))
    await rig.clock.pass(30 * SECOND)
    const rare = rig.polled.length - before
    assert.ok(rare >= 3 && rare <= 6, String(rare))
    assert.equal(rig.sight.trouble, null)
    rig.states.set('qrs_0', 'scanned')
    rig.refusals.status.length = 0
    socket?.emit('message')
    await rig.clock.pass(0)
    assert.deepEqual(rig.names, ['scanned'])
  })

  test('happens every two seconds without a socket, and a little less often with one', async () => {
    const rig = await Rig.begun()
    await rig.clock.pass(10 * SECOND)
    assert.equal(rig.polled.length, 5)
    const [socket] = rig.sockets
    socket?.emit('open')
    assert.deepEqual(socket?.sent.map((text) => JSON.parse(text) as unknown), [
      { sessionId: 'qrs_0', token: 'token qrs_0' },
    ])
    await rig.clock.pass(4 * SECOND)
    assert.equal(rig.polled.length, 7, 'a socket without a message does not slow polling down')
    socket?.emit('message')
    await rig.clock.pass(0)
    assert.equal(rig.polled.length, 8)
    await rig.clock.pass(30 * SECOND)
    assert.equal(rig.polled.length, 20)
  })

  test('happens immediately after a message over the socket', async () => {
    const rig = await Rig.begun()
    rig.sockets[0]?.emit('message')
    await rig.clock.pass(0)
    rig.states.set('qrs_0', 'scanned')
    rig.sockets[0]?.emit('message')
    await rig.clock.pass(0)
    assert.deepEqual(rig.names, ['scanned'])
  })

  test('happens immediately after the socket is lost, which is reopened with growing delays', async () => {
    const rig = await Rig.begun()
    rig.sockets[0]?.emit('message')
    await rig.clock.pass(0)
    const before = rig.polled.length
    rig.sockets[0]?.emit('close')
    await rig.clock.pass(0)
    assert.equal(rig.polled.length, before + 1)
    await rig.clock.pass(SECOND)
    assert.equal(rig.sockets.length, 2)
    rig.sockets[1]?.emit('error')
    rig.sockets[1]?.emit('close')
    await rig.clock.pass(2 * SECOND - 1)
    assert.equal(rig.sockets.length, 2)
    await rig.clock.pass(1)
    assert.equal(rig.sockets.length, 3)
  })

  test('slows down after failures, which are shown from the second on', async () => {
    const rig = await Rig.begun()
    rig.refusals.status.push(lost(), lost(), lost())
    await rig.clock.pass(2 * SECOND)
    assert.equal(rig.sight.trouble, null)
    await rig.clock.pass(SECOND)
    assert.equal(rig.sight.trouble, 'unreachable')
    await rig.clock.pass(2 * SECOND)
    assert.equal(rig.polled.length, 3)
    await rig.clock.pass(4 * SECOND)
    assert.deepEqual([rig.polled.length, rig.sight.trouble], [4, null])
  })

  test('respects Retry-After in spite of messages', async () => {
    const rig = await Rig.begun()
    rig.refusals.status.push(refused(429, 'too_many_requests', 20 * SECOND))
    await rig.clock.pass(2 * SECOND)
    assert.equal(rig.sight.trouble, 'busy')
    rig.sockets[0]?.emit('message')
    rig.login.networkChanged()
    await rig.clock.pass(20 * SECOND - 1)
    assert.equal(rig.polled.length, 1)
    await rig.clock.pass(1)
    assert.deepEqual([rig.polled.length, rig.sight.trouble], [2, null])
  })

  test('happens immediately when the page is back online', async () => {
    const rig = await Rig.begun()
    rig.online = false
    rig.login.networkChanged()
    assert.equal(rig.sight.trouble, 'offline')
    rig.sockets[0]?.emit('close')
    rig.refusals.status.push(lost(), lost(), lost(), lost())
    await rig.clock.pass(10 * SECOND)
    const before = [rig.polled.length, rig.sockets.length]
    rig.online = true
    rig.login.networkChanged()
    await rig.clock.pass(0)
    assert.deepEqual([rig.polled.length, rig.sight.trouble], [before[0]! + 1, null])
    assert.ok(rig.sockets.length >= before[1]!)
  })

  test('replaces a session that the service no longer knows', async () => {
    const rig = await Rig.begun()
    rig.refusals.status.push(refused(404, 'session_not_found'))
    await rig.clock.pass(2 * SECOND)
    assert.equal(rig.shown, 'qrs_1')
  })

  test('ignores a 404 that is not a problem of the service', async () => {
    const rig = await Rig.begun()
    rig.refusals.status.push(refused(404))
    await rig.clock.pass(2 * SECOND)
    assert.equal(rig.shown, 'qrs_0')
  })

  test('stops at the end, with no timers armed and no sockets open', async () => {
    const rig = await Rig.begun()
    rig.sockets[0]?.emit('message')
    await rig.becomes('qrs_0', 'denied')
    rig.sockets[0]?.emit('message')
    await rig.clock.pass(0)
    assert.deepEqual(rig.names, ['scanned', 'denied'])
    assert.ok(rig.sockets.every(({ closed }) => closed))
    assert.equal(rig.clock.armed, 0)
  })
})

describe('opening', () => {
  test('permanent refusal is an error with the code of the service', async () => {
    const rig = await Rig.begun()
    rig.refusals.open.push(refused(403, 'origin_not_allowed'))
    rig.login.input({ type: 'begin' })
    await settled()
    assert.equal(rig.sight.phase, 'failed')
    assert.deepEqual(rig.told.map((event) => event.name === 'error' && event.detail.code), ['origin_not_allowed'])
  })

  test('temporary failure is retried', async () => {
    const rig = await Rig.begun()
    rig.refusals.open.push(lost(), refused(503), refused(429, 'too_many_requests', 30 * SECOND))
    rig.login.input({ type: 'begin' })
    await settled()
    assert.deepEqual([rig.sight.phase, rig.sight.trouble], ['opening', 'unreachable'])
    await rig.clock.pass(3 * SECOND)
    assert.equal(rig.sight.trouble, 'busy')
    rig.login.networkChanged()
    await rig.clock.pass(30 * SECOND - 1)
    assert.equal(rig.shown, null)
    await rig.clock.pass(1)
    assert.deepEqual([rig.shown, rig.sight.trouble], ['qrs_1', null])
  })

  test('request whose answer was lost is repeated with the same key and token', async () => {
    const rig = await Rig.begun()
    rig.refusals.open.push(lost(), refused(503))
    rig.login.input({ type: 'begin' })
    await rig.clock.pass(3 * SECOND)
    assert.deepEqual(rig.asked, ['qrs_0', 'qrs_1', 'qrs_1', 'qrs_1'])
    assert.equal(rig.identities.length, 2)
    assert.equal(rig.shown, 'qrs_1')
  })

  test('session that ended before its answer arrived is replaced by another', async () => {
    const rig = await Rig.begun()
    rig.refusals.open.push(lost(), refused(410, 'session_over'))
    rig.login.input({ type: 'begin' })
    await rig.clock.pass(SECOND)
    assert.deepEqual(rig.asked, ['qrs_0', 'qrs_1', 'qrs_1', 'qrs_2'])
    assert.equal(rig.shown, 'qrs_2')
  })

  test('service that has ended every session is an error, and is not asked forever', async () => {
    const rig = await Rig.begun()
    rig.refusals.open.push(lost(), ...Array.from({ length: 9 }, () => refused(410, 'session_over')))
    rig.login.input({ type: 'begin' })
    await rig.clock.pass(MINUTE)
    assert.deepEqual(rig.asked, ['qrs_0', 'qrs_1', 'qrs_1', 'qrs_2'])
    assert.deepEqual(rig.told.map((event) => event.name === 'error' && event.detail.code), ['session_over'])
  })

  test('refused key is an error, and the request is never repeated without a key', async () => {
    const rig = await Rig.begun()
    rig.refusals.open.push(refused(422, 'invalid_field'))
    rig.login.input({ type: 'begin' })
    await rig.clock.pass(MINUTE)
    assert.deepEqual(rig.told.map((event) => event.name === 'error' && event.detail.code), ['invalid_field'])
    assert.deepEqual(rig.identities.map(({ keys }) => keys), [rig.keys, rig.keys])
    assert.equal(rig.asked.length, 2)
  })

  test('session cancelled while it is being opened is cancelled once it is open', async () => {
    const rig = await Rig.begun()
    rig.login.input({ type: 'begin' })
    rig.login.input({ type: 'cancel' })
    await settled()
    assert.deepEqual(rig.cancelled, ['qrs_0', 'qrs_1'])
    assert.equal(rig.clock.armed, 0)
  })
})
