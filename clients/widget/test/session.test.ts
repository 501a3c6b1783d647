// A login that the page's server opened, as for an approval: the page shows and watches it, but never replaces, redeems
// or cancels it.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import type { Refusal } from '../src/refusal.ts'
import { Service } from '../src/service.ts'
import { settled, TestClock } from './support/clock.ts'
import { FakeService } from './support/fake-service.ts'
import { lost, refused, Rig, wrongCode } from './support/rig.ts'

const ID = `qrs_${'0123456789abcdef'.repeat(2)}`

const SESSION = {
  sessionId: ID,
  url: `https://login.shop.example?sessionId=${ID}`,
  token: 'E'.repeat(43),
  socketUrl: 'wss://push.example/',
  expiresAt: '2026-01-01T00:01:00.000Z',
  expiresIn: 60,
  serverTime: '2026-01-01T00:00:00.000Z',
}

const CONFIRMED = { name: 'confirmed', detail: { sessionId: ID, payload: null, salt: null, proof: null } }

async function begun(session: object = SESSION, { state = 'created' as 'created' | 'consumed', visible = true } = {}): Promise<Rig> {
  const rig = new Rig(visible, null, session)
  rig.states.set(ID, state)
  rig.login.input({ type: 'begin' })
  await settled()
  return rig
}

describe('session of the page\'s server', () => {
  test('is shown and watched with its token, also on a hidden page, and no other is opened', async () => {
    for (const visible of [true, false]) {
      const rig = await begun(SESSION, { visible })
      assert.equal(rig.shown, ID)
      const [socket] = rig.sockets
      socket?.emit('open')
      assert.deepEqual(JSON.parse(socket?.sent[0] ?? ''), { sessionId: ID, token: SESSION.token })
      await rig.clock.pass(0)
      assert.deepEqual(rig.polled, [ID], 'it may be older than it says')
      assert.deepEqual([rig.asked, rig.keeps], [[], []])
    }
  })

  test('tells the page that the user has confirmed, without the parts that only the server can read', async () => {
    const rig = await begun()
    await rig.becomes(ID, 'scanned')
    await rig.becomes(ID, 'confirmed')
    assert.deepEqual(rig.told, [{ name: 'scanned', detail: { sessionId: ID } }, CONFIRMED])
    assert.equal(rig.sight.phase, 'confirmed')
    assert.deepEqual([rig.receipts, rig.cancelled, rig.clock.armed], [[], [], 0])
  })

  test('waits for the page\'s decision if the page prevents the default', async () => {
    const rig = await begun()
    rig.prevents = true
    await rig.becomes(ID, 'confirmed')
    assert.equal(rig.sight.phase, 'checking')
    rig.login.input({ type: 'reject', reason: 'Too late', next: { text: 'Orders', href: '/orders' } })
    assert.deepEqual([rig.sight.phase, rig.sight.reason, rig.sight.next?.href], ['rejected', 'Too late', '/orders'])
  })

  test('passes on the digits, and counts wrong ones', async () => {
    const rig = await begun({ ...SESSION, checkCodeRequired: true })
    await rig.becomes(ID, 'confirmed')
    assert.equal(rig.sight.phase, 'typing')
    rig.refusals.redeem.push(wrongCode(2), lost())
    rig.login.input({ type: 'typed', code: '11' })
    await settled()
    assert.deepEqual([rig.sight.phase, rig.sight.triesLeft], ['typing', 2])
    rig.login.input({ type: 'typed', code: '12' })
    await rig.clock.pass(1_000)
    assert.deepEqual(rig.checked, ['11', '12', '12'])
    assert.deepEqual(rig.told.slice(1), [CONFIRMED])
  })

  test('ends after three wrong codes', async () => {
    const rig = await begun({ ...SESSION, checkCodeRequired: true })
    await rig.becomes(ID, 'confirmed')
    rig.refusals.redeem.push(refused(409, 'session_blocked'))
    rig.login.input({ type: 'typed', code: '13' })
    await settled()
    assert.equal(rig.sight.phase, 'wrongCodes')
    assert.equal(rig.names.at(-1), 'blocked')
  })

  test('is confirmed if the digits were right before a reload', async () => {
    const rig = await begun({ ...SESSION, checkCodeRequired: true }, { state: 'consumed' })
    await rig.clock.pass(0)
    assert.deepEqual(rig.told.at(-1), CONFIRMED)
  })

  test('is not replaced when time runs out, whether the page is visible or not', async () => {
    for (const visible of [true, false]) {
      const rig = await begun()
      rig.login.visibilityChanged(visible)
      await rig.clock.pass(59_000)
      assert.equal(rig.shown, ID)
      rig.states.set(ID, 'expired')
      await rig.clock.pass(3_000)
      assert.deepEqual(rig.told, [{ name: 'expired', detail: { scanned: false } }])
      assert.equal(rig.sight.phase, 'expired')
      assert.equal(rig.clock.armed, 0)
    }
  })

  test('ends as the phone or the server ends it', async () => {
    for (const state of ['denied', 'blocked', 'cancelled'] as const) {
      const rig = await begun()
      await rig.becomes(ID, state)
      assert.equal(rig.names.at(-1), state)
      assert.equal(rig.sight.phase, state)
    }
  })

  test('is not cancelled by leaving the page or removing the element', async () => {
    for (const type of ['stop', 'cancel'] as const) {
      const rig = await begun()
      rig.login.input({ type })
      await settled()
      assert.deepEqual(rig.cancelled, [])
      assert.equal(rig.clock.armed, 0)
    }
  })

  test('that cannot be read is an error that names the member and not its value', async () => {
    for (const [name, value] of Object.entries({
      sessionId: 'other', token: undefined, url: 3, socketUrl: 'https://push.example', expiresAt: null, serverTime: '',
    })) {
      const rig = await begun({ ...SESSION, [name]: value })
      assert.deepEqual(rig.told, [
        { name: 'error', detail: { code: 'bad_session', message: `The session's ${name} is missing or wrong.` } },
      ])
    }
  })

  test('whose link leads elsewhere is an error', async () => {
    const rig = await begun({ ...SESSION, url: `${SESSION.url}&to=https://evil.example` })
    assert.deepEqual(rig.told.map(({ detail }) => (detail as { code: string }).code), ['bad_link'])
  })
})

describe('time left', () => {
  test('is the server\'s, and another after the scan', async () => {
    const rig = await begun()
    rig.left = 30_000
    await rig.clock.pass(0)
    assert.equal(rig.sight.endsAt, rig.clock.now() + 30_000, 'the session is older than it says')
    rig.left = 180_000
    await rig.becomes(ID, 'scanned')
    assert.ok((rig.sight.endsAt ?? 0) > rig.clock.now() + 170_000)
    rig.left = null
    await rig.becomes(ID, 'denied')
    assert.equal(rig.sight.endsAt, null)
  })

  test('of codes that are replaced is that of all of them', async () => {
    const rig = await Rig.begun()
    const end = rig.sight.endsAt ?? 0
    assert.equal(end - rig.clock.now(), 5 * 55_000 + 60_000)
    await rig.clock.pass(4 * 55_000 + 100)
    assert.ok(Math.abs((rig.sight.endsAt ?? 0) - end) < 5_000)
  })
})

describe('check code with the page\'s token', () => {
  const fake = new FakeService('https://shop.example')
  let service: Service
  before(async () => {
    service = new Service(await fake.start(), '', new TestClock())
  })
  after(() => fake.stop())

  test('is passed on without a receipt, and can be repeated', async () => {
    const { sessionId: id, token } = fake.openForPage('37')
    fake.becomes(id, 'confirmed')
    await assert.rejects(service.check({ id, token }, '11'), ({ code, triesLeft }: Refusal) => code === 'check_code_wrong' && triesLeft === 2)
    await service.check({ id, token }, '37')
    await service.check({ id, token }, '37')
    const { body, headers, path } = fake.seen.at(-1) as (typeof fake.seen)[0]
    assert.equal(path, `/qr-sessions/${id}/check-code`)
    assert.equal(headers.authorization, `Bearer ${token}`)
    assert.deepEqual(JSON.parse(body), { checkCode: '37' })
    assert.equal((await service.status({ id, token }, null)).state, 'consumed')
  })

  test('the token redeems and cancels nothing', async () => {
    const { sessionId: id, token } = fake.openForPage(null)
    fake.becomes(id, 'confirmed')
    await assert.rejects(service.redeem({ id, token }, 'r'.repeat(22), {}), ({ code }: Refusal) => code === 'session_not_found')
    await service.cancel({ id, token })
    assert.equal((await service.status({ id, token }, null)).state, 'confirmed')
  })
})
