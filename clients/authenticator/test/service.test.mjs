// One suite for both implementations of a phone, with the real server: the mobile SDK's core, which `countersign phone`
// uses, and this package.

import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { join } from 'node:path'

import { fetchHttp } from '../dist/http.js'
import { Authenticator, MemoryKeyStore, MemoryStorage } from '../dist/index.js'
import { Browser, call, serviceTest, startProxy, startServer } from './support/server.mjs'
import { browserKey, failure } from './support/world.mjs'

const ZOE = 'zoe@example.com'
const CONTEXT = 'Pay 49 EUR\nto Bücher GmbH'

/** A phone of the SDK's core. Each command is a new phone with the same keys. */
class CorePhone {
  constructor({ command, parent, demo }) {
    this.demo = demo
    this.run = (...words) => command('phone', '--phone', join(parent, 'phone'), ...words, '--json')
  }

  async register(user) {
    await this.run('keys', 'create', '--public-user-id', user)
    const { publicUserId, publicKey, registrationSignature, signature = registrationSignature } = JSON.parse(
      await this.run('keys', 'show', '--public-user-id', user, '--app-key', this.demo.appKey),
    )
    return { publicUserId, publicKey, signature }
  }

  async decide(link, decision, { payload, user, allowUnencrypted, service, appKey } = {}) {
    const words = [
      `--${decision}`,
      ...(payload === undefined ? [] : ['--payload', payload]),
      ...(user === undefined ? [] : ['--public-user-id', user]),
      ...(allowUnencrypted ? ['--allow-unencrypted'] : []),
      ...(service === undefined ? [] : ['--service', service]),
      ...(appKey === undefined ? [] : ['--app-key', appKey]),
    ]
    const { origin, checkCode, encrypted } = JSON.parse(await this.run('open', link, ...words))
    return { origin, checkCode: checkCode ?? undefined, encrypted }
  }
}

/** A phone of this package, with a new secret for each decision, as `countersign phone` has it. */
class PackagePhone {
  keys = new MemoryKeyStore()

  constructor({ demo }) {
    this.demo = demo
  }

  phone({ service = this.demo.url, appKey = this.demo.appKey, allowUnencrypted = false } = {}) {
    return new Authenticator({
      service, appKey, allowUnencrypted, linkHosts: [new URL(this.demo.url).host, new URL(this.demo.url).host.replace('127.0.0.1', 'localhost')],
      storage: new MemoryStorage(), keys: this.keys, showsContexts: true,
    })
  }

  async register(user) {
    const { keys } = this.phone()
    await keys.generate(user)
    return keys.registration(user)
  }

  async decide(link, decision, { payload, user, ...options } = {}) {
    const phone = this.phone(options)
    const session = await phone.open(phone.sessionId(link), user === undefined ? {} : { user })
    if (decision === 'confirm') await session.confirm(payload)
    else await session.deny(payload)
    return { origin: session.origin, checkCode: session.checkCode, encrypted: session.isEncrypted }
  }
}

for (const [name, Phone] of [["the SDK's core", CorePhone], ['this package', PackagePhone]]) {
  const both = (what, run) => serviceTest(`${name}: ${what}`, async (t) => {
    const server = await startServer(t)
    await run({ t, server, phone: new Phone(server) })
  })

  both('login is confirmed, and only the browser reads the payload', async ({ server, phone }) => {
    const browser = await Browser.open(server)
    const shown = await phone.decide(browser.link, 'confirm', { payload: "Zoë's token" })
    assert.deepEqual(shown, { origin: server.demo.url, checkCode: undefined, encrypted: true })
    const { payload, salt, proof } = await browser.redeem()
    assert.deepEqual([payload, salt.length, proof], ["Zoë's token", 22, undefined])
  })

  both('registered key proves an approval of 49 EUR, and its context', async ({ server, phone }) => {
    const registration = await phone.register(ZOE)
    const { status, body: registered } = await call(server, 'POST', '/association-keys', { body: registration })
    assert.equal(status, 200, JSON.stringify(registered))
    const browser = await Browser.open(server, { context: CONTEXT, expectedPublicUserId: ZOE })
    await phone.decide(browser.link, 'confirm', { payload: 'a token', user: ZOE })
    const { proof } = await browser.redeem()
    const [header, claims, signature] = proof.split('.')
    const key = createPublicKey({ key: Buffer.from(registration.publicKey, 'base64'), format: 'der', type: 'spki' })
    assert.ok(verify('sha256', Buffer.from(`${header}.${claims}`), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')))
    const read = (part) => JSON.parse(Buffer.from(part, 'base64url'))
    assert.deepEqual(Object.keys(read(claims)), ['act', 'app', 'aud', 'ctx', 'exp', 'iat', 'jti', 'pay', 'sub'])
    assert.deepEqual(read(header), { alg: 'ES256', kid: registered.keyId, typ: 'countersign-login+jwt' })
    // The service has verified the proof with the registered key.
    const { verifiedPublicUserId, claimedPublicUserId } = await browser.inspect()
    assert.deepEqual([verifiedPublicUserId, claimedPublicUserId], [ZOE, ZOE])
  })

  both('key of another user is not registered', async ({ server, phone }) => {
    const registration = await phone.register(ZOE)
    const { status } = await call(server, 'POST', '/association-keys', { body: { ...registration, publicUserId: 'mallory' } })
    assert.ok(status >= 400 && status < 500, String(status))
  })

  both('denial ends the login', async ({ server, phone }) => {
    const browser = await Browser.open(server)
    await phone.decide(browser.link, 'deny', { payload: 'not me' })
    const { state, denialPayload } = await browser.inspect()
    assert.deepEqual([state, denialPayload], ['denied', 'not me'])
  })

  both('browser without a key gets what everyone can read, if the app allows it', async ({ server, phone }) => {
    await server.command('app', 'update', 'demo', '--payload-encryption', 'optional')
    const browser = await Browser.open(server, { keyless: true })
    const refused = await failure(phone.decide(browser.link, 'confirm'))
    assert.match(refused.message, /no key|unencrypted/)
    assert.equal((await browser.inspect()).state, 'created')
    await phone.register('ANON')
    const shown = await phone.decide(browser.link, 'confirm', { payload: 'a token', allowUnencrypted: true })
    assert.equal(shown.encrypted, false)
    const { payload, salt, proof } = await browser.redeem()
    assert.deepEqual([payload, salt.length, proof.split('.').length], ['a token', 22, 3])
  })

  both('second phone blocks the login', async ({ server, phone }) => {
    const browser = await Browser.open(server)
    await phone.decide(browser.link, 'confirm')
    assert.match((await failure(phone.decide(browser.link, 'confirm'))).message, /\((?:second_phone|session_\w+)\)/)
  })

  both('login that its page cancelled is over', async ({ server, phone }) => {
    const browser = await Browser.open(server)
    await browser.cancel()
    assert.match((await failure(phone.decide(browser.link, 'confirm'))).message, /\(session_(?:cancelled|ended|not_found)\)/)
  })

  both('check code is the one that the browser must send', async ({ server, phone }) => {
    await server.command('app', 'update', 'demo', '--check-code', 'on')
    const browser = await Browser.open(server)
    const { checkCode } = await phone.decide(browser.link, 'confirm')
    assert.match(checkCode, /^\d\d$/)
    assert.equal((await browser.inspect()).checkCodeRequired, true)
  })

  for (const [what, change, words] of [
    ['key', async () => ({ browserPublicKey: (await browserKey()).point.toString('base64url') }), /does not match/],
    ['page', () => ({ origin: 'https://evil.example' }), /does not match/],
    ['amount', () => ({ context: CONTEXT.replace('49', '94') }), /does not match/],
    ['amount by a hidden character', () => ({ context: CONTEXT.replace('49', '\u202e94') }), /does not match/],
    ['key to none', () => ({ browserPublicKey: undefined }), /did not return the browser's key/],
  ]) {
    both(`service that changes the ${what} is stopped, and gets no payload`, async ({ t, server, phone }) => {
      const facts = await change()
      const browser = await Browser.open(server, { context: CONTEXT })
      const { url, seen } = await startProxy(t, server, (route, body) => (route === 'initiate' ? { ...body, ...facts } : body))
      const refused = await failure(phone.decide(browser.link, 'confirm', { payload: 'a token', service: url }))
      assert.match(refused.message, words)
      assert.deepEqual(seen.map(({ route }) => route), ['initiate', 'deny'])
      assert.deepEqual(JSON.parse(seen[1].body), { payload: '', reason: 'key_mismatch' })
      const { state, denialReason } = await browser.inspect()
      assert.deepEqual([state, denialReason], ['blocked', 'key_mismatch'])
    })
  }

  both('phone of another app does not find the login', async ({ server, phone }) => {
    const browser = await Browser.open(server)
    const refused = await failure(phone.decide(browser.link, 'confirm', { appKey: 'cs_app_0000000000000000000002' }))
    assert.match(refused.message, /\(\w+\)/)
    assert.equal((await browser.inspect()).state, 'created')
  })
}

// `countersign phone` neither retries nor remembers; the SDK's own tests show that its core does.

serviceTest('confirmation whose answer is lost is sent again, the same, and counts once', async (t) => {
  const server = await startServer(t)
  const phone = new PackagePhone(server)
  await phone.register('ANON')
  const browser = await Browser.open(server)
  const { url, seen } = await startProxy(t, server, (route, body, requests) => (
    route === 'confirm' && requests.filter((one) => one.route === 'confirm').length < 3 ? 'lost' : body
  ))
  await phone.decide(browser.link, 'confirm', { payload: 'a token', service: url })
  const sent = seen.filter(({ route }) => route === 'confirm').map(({ body }) => body)
  assert.deepEqual([sent.length, new Set(sent).size], [3, 1])
  assert.equal((await browser.redeem()).payload, 'a token')
})

serviceTest('phone whose app died continues the same login, and sends the answer that it had stored', async (t) => {
  const server = await startServer(t)
  const browser = await Browser.open(server)
  const [storage, keys] = [new MemoryStorage(), new MemoryKeyStore()]
  const { url: service, appKey } = server.demo
  const life = (http = fetchHttp) => (
    new Authenticator({ service, appKey, linkHosts: [new URL(browser.link).host], storage, keys, http, retries: { delays: [] } })
  )
  await life().open(browser.id)
  const session = await life((request) => (request.url.endsWith('confirm') ? Promise.reject(new Error('dead')) : fetchHttp(request))).open(browser.id)
  assert.equal((await failure(session.confirm('a token'))).code, 'network')
  assert.equal((await browser.inspect()).state, 'scanned')
  const known = await failure(life().open(browser.id))
  assert.deepEqual([known.code, known.decision], ['already_answered', 'confirm'])
  assert.equal((await browser.redeem()).payload, 'a token')
})
