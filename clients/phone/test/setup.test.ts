import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'

import { readFragment, settleAll } from '../src/registration.ts'
import { Setup, type SetupFacts } from '../src/setup.ts'
import { APP_KEY, SCOPE, World, reply } from './support/world.ts'

const ID = `phr_${'ab'.repeat(16)}`
const SECRET = 'AAAAAAAAAAAAAAAAAAAAAA'

/** A registration at the service, which only one phone may open. */
class Service extends World {
  state = 'created'
  key = 'any'
  label: string | undefined = 'Zoe'
  excluded: string[] = []
  readonly facts: SetupFacts[] = []
  readonly shown: string[] = []
  other: Record<string, unknown> = {}
  inApp = false

  constructor() {
    super()
    this.answers['POST open'] = ({ token, body }) => {
      assert.deepEqual(body, { secret: SECRET })
      this.#token ??= token
      if (this.#token !== token) return reply(409, { code: 'registration_opened' })
      if (this.state === 'created') this.state = 'opened'
      return reply(200, {
        app: { name: 'Shop', key: APP_KEY }, publicUserId: 'zoe', label: this.label, key: this.key, ...SCOPE,
        userHandle: 'BwcH', excludeCredentials: this.excluded, ...this.other,
      })
    }
    this.answers['POST sign'] = () => {
      this.state = 'signed'
      return reply(200, { digits: '42' })
    }
    this.answers['GET phone-registrations'] = () => reply(200, { state: this.state })
    this.answers['DELETE phone-registrations'] = () => reply(204)
  }

  #token: string | undefined

  /** The page, as it is loaded. */
  async load(): Promise<Setup> {
    const { ask, after, inApp, keys, storage } = this
    const show = (scene: string, facts: SetupFacts) => {
      this.shown.push(scene)
      this.facts.push(facts)
    }
    const setup = new Setup({ id: ID, secret: SECRET }, { appKey: APP_KEY, ask, after, inApp, keys, storage, show })
    await setup.resume()
    return setup
  }

  get paths(): string[] {
    return this.calls.map(({ method, path }) => `${method} ${path.replace(`/phone-registrations/${ID}`, '')}`)
  }
}

/** Sets the phone up as far as its digits. */
async function toDigits(service: Service): Promise<Setup> {
  const setup = await service.load()
  await setup.begin()
  await setup.make()
  await setup.tryOnce()
  assert.equal(setup.scene, 'digits')
  return setup
}

test('passkey is made, tried and kept once the digits were typed', async () => {
  const service = new Service()
  const setup = await service.load()
  assert.deepEqual([setup.scene, service.calls], ['start', []], 'loading the page consumes nothing')
  await setup.begin()
  assert.deepEqual([setup.scene, service.facts.at(-1)], ['account', { kind: 'passkey', digits: '', account: 'Zoe' }])
  await setup.make()
  assert.equal(setup.scene, 'try')
  assert.deepEqual(service.paths, ['POST /open'], 'a key that was not tried is not sent')
  await setup.tryOnce()
  assert.deepEqual([setup.scene, service.facts.at(-1)?.digits], ['digits', '42'])
  const sent = service.calls.at(-1)?.body as Record<string, string>
  assert.deepEqual(Object.keys(sent), ['publicKey', 'credentialId', 'authenticatorData', 'clientDataJSON', 'signature'])
  const { challenge } = JSON.parse(Buffer.from(sent['clientDataJSON'] ?? '', 'base64url').toString()) as { challenge: string }
  const text = ['countersign/webauthn-registration/1', ID, APP_KEY, 'zoe'].join('\0')
  assert.equal(challenge, createHash('sha256').update(text).digest('base64url'))
  await service.pass()
  assert.deepEqual([setup.scene, await service.keys.list()], ['digits', []])
  service.state = 'completed'
  await service.pass()
  assert.equal(setup.scene, 'done')
  const key = await service.keys.key('zoe')
  assert.deepEqual([key?.kind, key?.label], ['passkey', 'Zoe'])
  assert.deepEqual((await service.storage.names()).length, 1)
})

test('browser without passkeys keeps a key of its own', async () => {
  const service = new Service()
  service.hasPasskeys = false
  const setup = await service.load()
  await setup.begin()
  assert.equal(service.facts.at(-1)?.kind, 'browser')
  await setup.make()
  await setup.tryOnce()
  assert.deepEqual(Object.keys(service.calls.at(-1)?.body ?? {}), ['publicKey', 'signature'])
  service.state = 'completed'
  await setup.look()
  assert.equal((await service.keys.key('zoe'))?.kind, 'browser')
})

test('page that was discarded continues as the same phone', async () => {
  const service = new Service()
  const first = await service.load()
  await first.begin()
  await first.make()
  const second = await service.load()
  assert.equal(second.scene, 'try')
  await second.tryOnce()
  const third = await service.load()
  assert.equal(third.scene, 'digits')
  const bodies = service.calls.filter(({ path }) => path.endsWith('/sign')).map(({ body }) => body)
  assert.deepEqual(bodies[0], bodies[1], 'what was signed is sent again as it was')
  assert.equal(service.passkeys.asked.length, 2, 'the user is not asked again')
})

test('page that was closed before the end keeps the key later', async () => {
  const service = new Service()
  const setup = await service.load()
  await setup.begin()
  await setup.make()
  await setup.tryOnce()
  await settleAll(service)
  assert.deepEqual(await service.keys.list(), [])
  service.state = 'completed'
  await settleAll(service)
  assert.deepEqual(await service.keys.list(), ['zoe'])
})

test('set-up that fails leaves the former key of the user', async () => {
  const service = new Service()
  await service.keys.generate('zoe')
  const former = await service.keys.key('zoe')
  service.hasPasskeys = false
  const setup = await service.load()
  await setup.begin()
  await setup.make()
  await setup.tryOnce()
  service.state = 'failed'
  await setup.look()
  assert.deepEqual([setup.scene, await service.keys.key('zoe'), service.software.removed.length], ['not_set_up', former, 1])
})

test('second phone learns that the link was opened', async () => {
  const service = new Service()
  await (await service.load()).begin()
  const other = new Service()
  other.answers['POST open'] = (call) => service.answers['POST open']?.(call) ?? reply(0)
  const setup = await other.load()
  await setup.begin()
  assert.equal(setup.scene, 'opened')
  assert.deepEqual(await other.storage.names(), [])
})

test('dialogue that the user closes can be opened again, and a lying browser is left', async () => {
  for (const [error, thinks, scene] of [
    ['NotAllowedError', 2_000, 'account'], ['NotAllowedError', 3, 'in_browser'], ['InvalidStateError', 2_000, 'exists'],
  ] as const) {
    const service = new Service()
    const setup = await service.load()
    await setup.begin()
    Object.assign(service.passkeys, { error, thinks })
    await setup.make()
    assert.equal(setup.scene, scene)
    if (scene !== 'account') continue
    assert.equal(service.facts.at(-1)?.trouble, 'message_user_authentication_required')
    await setup.make()
    service.passkeys.error = error
    await setup.tryOnce()
    assert.equal(setup.scene, 'try')
    await setup.tryOnce()
    assert.equal(setup.scene, 'digits')
  }
})

test('browser that cannot keep a key says so', async () => {
  for (const [facts, scene] of [
    [{ key: 'passkey' }, 'passkey_needed'], [{ inApp: true }, 'in_browser'], [{ inApp: true, key: 'passkey' }, 'in_browser'],
  ] as const) {
    const service = Object.assign(new Service(), { hasPasskeys: false, ...facts })
    const setup = await service.load()
    await setup.begin()
    assert.equal(setup.scene, scene)
  }
  const service = Object.assign(new Service(), { hasPasskeys: false })
  const setup = await service.load()
  await setup.begin()
  service.software.broken = true
  await setup.make()
  assert.equal(setup.scene, 'no_storage')
  service.storage.get = () => { throw new Error('no storage') }
  assert.equal((await service.load()).scene, 'no_storage')
})

test('answer about another app, host or page is not used', async () => {
  for (const other of [{ rpId: 'shop.example' }, { origin: 'https://evil.example' }, { app: { name: 'Shop', key: 'cs_app_other' } }, { publicUserId: '' }]) {
    const service = Object.assign(new Service(), { other })
    const setup = await service.load()
    await setup.begin()
    assert.equal(setup.scene, 'failed')
  }
})

test('network that fails can be tried again', async () => {
  const service = new Service()
  const open = service.answers['POST open']
  const setup = await service.load()
  delete service.answers['POST open']
  await setup.begin()
  assert.equal(setup.scene, 'failed')
  if (open) service.answers['POST open'] = open
  await setup.retry()
  assert.equal(setup.scene, 'account')
  service.answers['POST sign'] = () => reply(503)
  await setup.make()
  await setup.tryOnce()
  assert.equal(setup.scene, 'failed')
  service.answers['POST sign'] = () => reply(200, { digits: '07' })
  await setup.retry()
  assert.equal(setup.scene, 'digits')
})

test('link that is over, and a cancelled set-up', async () => {
  const service = new Service()
  service.answers['POST open'] = () => reply(410, { code: 'registration_expired' })
  const setup = await service.load()
  await setup.begin()
  assert.equal(setup.scene, 'link_over')
  const other = new Service()
  const cancelled = await other.load()
  await cancelled.begin()
  await cancelled.cancel()
  assert.deepEqual([cancelled.scene, other.paths.at(-1), await other.storage.names()], ['not_set_up', 'DELETE ', []])
})

test('page that was discarded while the digits were typed keeps the key', async () => {
  for (const kind of ['passkey', 'browser'] as const) {
    const service = Object.assign(new Service(), { hasPasskeys: kind === 'passkey' })
    const first = await service.load()
    await first.begin()
    await first.make()
    await first.tryOnce()
    service.state = 'completed'
    service.answers['POST open'] = () => reply(409, { code: 'registration_completed' })
    // The first answer to the page that is loaded again is lost.
    const show = service.answers['GET phone-registrations']
    service.answers['GET phone-registrations'] = () => reply(0)
    const second = await service.load()
    assert.equal(second.scene, 'failed')
    if (show) service.answers['GET phone-registrations'] = show
    await second.retry()
    assert.deepEqual([second.scene, (await service.keys.key('zoe'))?.kind, service.software.removed], ['done', kind, []])
  }
})

test('cancelling that comes too late, or does not arrive, is not shown as done', async () => {
  const service = Object.assign(new Service(), { hasPasskeys: false })
  const setup = await service.load()
  await setup.begin()
  await setup.make()
  await setup.tryOnce()
  service.answers['DELETE phone-registrations'] = () => reply(0)
  await setup.cancel()
  assert.deepEqual([setup.scene, service.software.removed], ['failed', []])
  service.state = 'completed'
  service.answers['DELETE phone-registrations'] = () => reply(409, { code: 'registration_completed' })
  await setup.retry()
  assert.deepEqual([setup.scene, await service.keys.list(), service.software.removed], ['done', ['zoe'], []])
})

test('answer of something else than the service ends nothing', async () => {
  const service = Object.assign(new Service(), { hasPasskeys: false })
  const setup = await service.load()
  await setup.begin()
  await setup.make()
  await setup.tryOnce()
  const show = service.answers['GET phone-registrations']
  for (const status of [403, 404, 410]) {
    service.answers['GET phone-registrations'] = () => reply(status)
    await setup.look()
    assert.deepEqual([setup.scene, service.software.removed], ['digits', []])
  }
  service.answers['POST open'] = () => reply(403)
  const again = await service.load()
  assert.equal(again.scene, 'failed')
  if (show) service.answers['GET phone-registrations'] = show
  service.state = 'completed'
  service.answers['POST open'] = () => reply(409, { code: 'registration_completed' })
  await again.retry()
  assert.deepEqual(await service.keys.list(), ['zoe'])
  const other = new Service()
  const unknown = await other.load()
  await unknown.begin()
  await unknown.make()
  await unknown.tryOnce()
  other.answers['GET phone-registrations'] = () => reply(404, { code: 'registration_not_found' })
  await unknown.look()
  assert.equal(unknown.scene, 'not_set_up')
})

test('browser forgets the passkey of a set-up that failed, and not one that may be registered', async () => {
  for (const [answer, count] of [
    [reply(200, { state: 'failed' }), 1], [reply(200, { state: 'expired' }), 1], [reply(404, { code: 'registration_not_found' }), 0], [reply(0), 0], [reply(200, { state: 'signed' }), 0],
  ] as const) {
    const service = new Service()
    const setup = await toDigits(service)
    service.answers['GET phone-registrations'] = () => answer
    await setup.look()
    assert.equal(service.passkeys.unknown.length, count, JSON.stringify(answer))
  }
})

test('browser forgets a passkey that the service refused and does not list', async () => {
  for (const { isRefused, listed, count } of [
    { isRefused: true, listed: false, count: 1 }, { isRefused: true, listed: true, count: 0 }, { isRefused: false, listed: false, count: 0 },
  ]) {
    const service = new Service()
    const former = await service.keys.makePasskey({ appName: 'Shop', userName: 'zoe', userHandle: 'BwcH', excludeCredentials: [] })
    assert.ok(former.kind === 'passkey')
    await service.keys.keep('zoe', { ...former, ...(isRefused ? { isRefused } : {}) })
    if (listed) service.excluded = [former.credentialId]
    await (await service.load()).begin()
    assert.equal(service.passkeys.unknown.length, count, JSON.stringify({ isRefused, listed }))
  }
})

test('fragment of a link is read in its only form', () => {
  assert.deepEqual(readFragment(`#${ID}.${SECRET}`), { id: ID, secret: SECRET })
  for (const text of ['', '#', `#${ID}`, `#${ID}.`, `#${ID}.${SECRET}A`, `#PHR_${'ab'.repeat(16)}.${SECRET}`]) assert.equal(readFragment(text), null)
})
