import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { readRegistration, type Device, type SetupStatus } from '../src/registration.ts'
import { Refusal } from '../src/refusal.ts'
import { NO_SETUP, Setup, type SetupSight } from '../src/setup.ts'
import type { SetupTold } from '../src/events.ts'
import { TestClock, settled } from './support/clock.ts'

const ID = `phr_${'ab'.repeat(16)}`
const REGISTRATION = {
  registrationId: ID,
  url: `https://login.shop.example/phone-setup#${ID}.AAAAAAAAAAAAAAAAAAAAAA`,
  pageToken: 'token',
  expiresAt: '2026-01-02T03:14:05.678Z',
  serverTime: '2026-01-02T03:04:05.678Z',
}
const DEVICE: Device = { browser: 'Safari on iOS', location: 'Berlin, DE', credit: '' }

class Rig {
  readonly clock = new TestClock()
  sight: SetupSight = NO_SETUP
  readonly told: SetupTold[] = []
  readonly typed: string[] = []
  status: SetupStatus = { state: 'created', left: 600_000, device: null, failure: '' }
  refusal: Refusal | null = null
  online = true
  readonly setup: Setup

  constructor() {
    const refuse = () => {
      const { refusal } = this
      this.refusal = null
      if (refusal) throw refusal
    }
    this.setup = new Setup(readRegistration(REGISTRATION), {
      clock: this.clock,
      random: () => 0,
      service: {
        status: async () => {
          refuse()
          return this.status
        },
        check: async (digits) => {
          this.typed.push(digits)
          refuse()
        },
        cancel: async () => { this.status = { ...this.status, state: 'failed', failure: 'cancelled' } },
      },
      online: () => this.online,
      show: (sight) => { this.sight = sight },
      tell: (event) => this.told.push(event),
    })
  }

  async becomes(status: Partial<SetupStatus>): Promise<void> {
    this.status = { ...this.status, ...status }
    this.setup.returned()
    await this.clock.pass(0)
    await settled()
  }

  get names(): string[] {
    return this.told.map(({ name }) => name)
  }
}

describe('setting a phone up', () => {
  test('goes from the link over the digits to the key', async () => {
    const rig = new Rig()
    assert.deepEqual([rig.sight.phase, rig.sight.url], ['waiting', REGISTRATION.url])
    await rig.becomes({ state: 'opened', device: DEVICE })
    assert.deepEqual([rig.sight.phase, rig.sight.url, rig.sight.device], ['opened', null, DEVICE])
    await rig.becomes({ state: 'signed' })
    assert.equal(rig.sight.phase, 'typing')
    await rig.setup.type('42')
    assert.equal(rig.sight.phase, 'checking')
    await rig.becomes({ state: 'completed' })
    assert.equal(rig.sight.phase, 'completed')
    assert.deepEqual(rig.told, [
      { name: 'opened', detail: { registrationId: ID, browser: 'Safari on iOS', location: 'Berlin, DE' } },
      { name: 'completed', detail: { registrationId: ID } },
    ])
    assert.deepEqual([rig.typed, rig.clock.armed], [['42'], 0])
  })

  test('asks again for wrong digits, and ends with the third', async () => {
    const rig = new Rig()
    await rig.becomes({ state: 'signed', device: DEVICE })
    for (const triesLeft of [2, 1]) {
      rig.refusal = new Refusal('check_code_wrong', 'No.', { status: 403, triesLeft })
      await rig.setup.type('00')
      assert.deepEqual([rig.sight.phase, rig.sight.triesLeft], ['typing', triesLeft])
    }
    rig.refusal = new Refusal('registration_failed', 'No.', { status: 410 })
    await rig.setup.type('00')
    await rig.becomes({ state: 'failed', failure: 'wrong_digits' })
    assert.equal(rig.sight.phase, 'wrongDigits')
    assert.deepEqual(rig.told.at(-1), { name: 'failed', detail: { registrationId: ID, reason: 'wrong_digits' } })
  })

  test('ends if the phone is not the user’s, or the time is up', async () => {
    const rig = new Rig()
    await rig.becomes({ state: 'opened', device: DEVICE })
    await rig.setup.cancel()
    await rig.becomes({})
    assert.equal(rig.sight.phase, 'cancelled')
    const late = new Rig()
    await late.becomes({ state: 'expired' })
    assert.deepEqual([late.sight.phase, late.names], ['expired', ['failed']])
    const refused = new Rig()
    await refused.becomes({ state: 'failed', failure: 'key_refused' })
    assert.equal(refused.sight.phase, 'failed')
  })

  test('digits that may not have arrived can be typed again', async () => {
    const rig = new Rig()
    await rig.becomes({ state: 'signed', device: DEVICE })
    rig.refusal = new Refusal('unreachable', 'No.')
    await rig.setup.type('42')
    assert.deepEqual([rig.sight.phase, rig.sight.trouble], ['typing', 'unreachable'])
    await rig.setup.type('42')
    assert.deepEqual([rig.typed, rig.sight.phase], [['42', '42'], 'checking'])
  })

  test('ends if the app no longer allows it', async () => {
    const rig = new Rig()
    await rig.becomes({ state: 'signed', device: DEVICE })
    rig.refusal = new Refusal('web_phone_off', 'No.', { status: 409 })
    await rig.setup.type('42')
    await rig.becomes({})
    assert.deepEqual([rig.sight.phase, rig.told.at(-1)], ['failed', { name: 'error', detail: { code: 'web_phone_off', message: 'No.' } }])
  })

  test('survives a lost network, and reports a token that does not fit', async () => {
    const rig = new Rig()
    rig.online = false
    rig.setup.networkChanged()
    assert.equal(rig.sight.trouble, 'offline')
    rig.online = true
    await rig.becomes({ state: 'opened', device: DEVICE })
    assert.deepEqual([rig.sight.phase, rig.sight.trouble], ['opened', null])
    rig.refusal = new Refusal('registration_not_found', 'No.', { status: 404 })
    await rig.becomes({})
    assert.deepEqual([rig.sight.phase, rig.names.at(-1)], ['failed', 'error'])
  })
})

test('registration is checked, and its secret is not in the error', () => {
  assert.equal(readRegistration(REGISTRATION).lifetime, 600_000)
  assert.ok(readRegistration({ ...REGISTRATION, url: `http://localhost:8787/phone-setup#${ID}.x` }))
  for (const [name, value] of [
    ['registrationId', 'x'], ['pageToken', null], ['expiresAt', 1], ['url', `https://login.shop.example/phone-setup#phr_0.secret`],
    ['url', `javascript:alert(1)//phone-setup#${ID}.secret`], ['url', `http://evil.example/phone-setup#${ID}.secret`],
  ] as const) {
    assert.throws(() => readRegistration({ ...REGISTRATION, [name]: value }), (error: Refusal) => (
      error.code === 'bad_session' && error.message.includes(name) && !error.message.includes('secret')
    ))
  }
})
