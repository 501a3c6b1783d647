import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'

import { AuthenticatorError, type Authenticator, type Session } from '../../authenticator/src/index.ts'
import { Confirm, type ConfirmFacts } from '../src/confirm.ts'
import { Gate } from '../src/gate.ts'
import { keepProgress } from '../src/registration.ts'
import { isInApp } from '../src/window.ts'
import { APP_KEY, World, reply, settled } from './support/world.ts'

const ID = `qrs_${'ab'.repeat(16)}`
const NOW = 1_767_323_045_678
const MAKE = { appName: 'Shop', userName: 'zoe', userHandle: 'BwcH', excludeCredentials: [] }

const refused = (code: string, status = 403) => (
  new AuthenticatorError('problem', code, { problem: { status, code, title: 'No' } })
)

/** A page with a phone whose answers a test sets. */
class Page extends World {
  readonly shown: string[] = []
  facts: ConfirmFacts = {}
  readonly done: string[] = []
  readonly opened: unknown[] = []
  /** What the next operation throws. */
  error: Error | null = null
  inApp = false
  left = ''
  session = { timeLeft: 180_000, returnUrl: undefined as string | undefined, checkCode: undefined as string | undefined }
  flow: Confirm

  constructor(id: string | null = ID) {
    super()
    this.flow = this.load(id)
  }

  load(id: string | null = ID): Confirm {
    const run = (name: string) => {
      const { error } = this
      this.error = null
      if (error) throw error
      this.done.push(name)
    }
    const session = Object.assign(this.session, { confirm: async () => run('confirm'), deny: async () => run('deny') }) as unknown as Session
    const phone = {
      open: async (opened: string, { user }: { user?: string }) => {
        this.opened.push([opened, user])
        run('open')
        return session
      },
    } as unknown as Authenticator
    const { ask, after, keys, storage } = this
    this.flow = new Confirm(id, {
      appKey: APP_KEY, ask, after, keys, storage, phone, inApp: this.inApp, serverTime: () => NOW + 0.4,
      show: (scene, facts) => {
        this.shown.push(scene)
        this.facts = facts
      },
      leave: (url) => { this.left = url },
    })
    return this.flow
  }
}

async function pageOf(...users: string[]): Promise<Page> {
  const page = new Page()
  for (const user of users) await page.keys.generate(user)
  return page
}

test('only user of the phone is asked', async () => {
  const page = await pageOf('zoe')
  await page.flow.start()
  assert.deepEqual([page.shown, page.opened], [['busy', 'ask'], [[ID, 'zoe']]])
  await page.flow.confirm()
  assert.deepEqual([page.flow.scene, page.done], ['confirmed', ['open', 'confirm']])
  const other = await pageOf('zoe')
  await other.flow.start()
  await other.flow.deny()
  assert.deepEqual([other.flow.scene, other.done], ['denied', ['open', 'deny']])
})

test('one of several users is chosen, and chosen again after a reload', async () => {
  const page = await pageOf('zoe', 'yan')
  await page.flow.start()
  assert.deepEqual([page.flow.scene, page.opened], ['choose', []], 'nothing is opened before')
  assert.deepEqual(page.facts.accounts?.map(({ name }) => name).sort(), ['yan', 'zoe'])
  await page.flow.choose('yan')
  await page.load().start()
  assert.deepEqual(page.opened, [[ID, 'yan'], [ID, 'yan']])
  await page.load(`qrs_${'cd'.repeat(16)}`).start()
  assert.equal(page.flow.scene, 'choose', 'another login is another choice')
})

test('phone without a key opens nothing', async () => {
  const page = await pageOf()
  await page.flow.start()
  assert.deepEqual([page.flow.scene, page.facts.canIdentify, page.opened, page.calls], ['no_key', true, [], []])
  const inApp = await pageOf()
  Object.assign(inApp, { inApp: true, hasPasskeys: false })
  await inApp.load().start()
  assert.equal(inApp.flow.scene, 'in_browser')
  const unlinked = new Page(null)
  await unlinked.flow.start()
  assert.equal(unlinked.flow.scene, 'scan')
})

test('passkey whose user the browser forgot is identified', async () => {
  const page = await pageOf()
  const made = await page.keys.makePasskey(MAKE)
  page.answers['POST passkeys'] = () => reply(200, {
    publicUserId: 'zoe', keyId: 'x', publicKey: Buffer.from(made.publicKey, 'base64url').toString('base64'),
  })
  await page.flow.start()
  await page.flow.identify()
  const [call] = page.calls
  assert.deepEqual([call?.appKey, call?.path], [APP_KEY, '/passkeys/identify'])
  const body = call?.body as Record<string, string | number>
  assert.equal(body['at'], NOW)
  const { challenge } = JSON.parse(Buffer.from(String(body['clientDataJSON']), 'base64url').toString()) as { challenge: string }
  assert.equal(challenge, createHash('sha256').update(`countersign/webauthn-identify/1\0${APP_KEY}\0${NOW}`).digest('base64url'))
  assert.deepEqual([page.flow.scene, page.opened, await page.keys.list()], ['ask', [[ID, 'zoe']], ['zoe']])
})

test('passkey whose set-up has not ended is not forgotten', async () => {
  const page = await pageOf()
  const key = await page.keys.makePasskey(MAKE)
  await keepProgress(page.storage, `phr_${'ab'.repeat(16)}`, { token: 'token', user: 'zoe', key })
  page.answers['GET phone-registrations'] = () => reply(200, { state: 'signed' })
  page.answers['POST passkeys'] = () => reply(404, { code: 'passkey_unknown' })
  await page.flow.start()
  await page.flow.identify()
  assert.deepEqual([page.flow.scene, page.facts.message, page.passkeys.unknown.length], ['no_key', 'unknown_passkey', 0])
})

test('passkey that the service does not know, or answers for with another key', async () => {
  const page = await pageOf()
  const other = await page.keys.makePasskey(MAKE)
  await page.keys.makePasskey(MAKE)
  await page.flow.start()
  for (const answer of [
    reply(404, { code: 'passkey_unknown' }),
    reply(200, { publicUserId: 'zoe', publicKey: Buffer.from(other.publicKey, 'base64url').toString('base64') }),
  ]) {
    page.answers['POST passkeys'] = () => answer
    await page.flow.identify()
    assert.deepEqual([page.flow.scene, page.facts.message, await page.keys.list()], ['no_key', 'unknown_passkey', []])
    // The browser forgets it only if the service has said that it does not know it.
    assert.equal(page.passkeys.unknown.length, 1)
  }
  // The dialogue was open for longer than a minute.
  page.answers['POST passkeys'] = () => reply(422, { code: 'passkey_false' })
  await page.flow.identify()
  assert.deepEqual([page.flow.scene, page.facts.message], ['no_key', 'message_internal'])
  page.passkeys.error = 'NotAllowedError'
  await page.flow.identify()
  assert.deepEqual([page.flow.scene, page.facts.message], ['no_key', 'message_user_authentication_required'])
})

test('answer that could not be sent leaves the question', async () => {
  for (const code of ['network', 'user_authentication_required', 'key_store_failed'] as const) {
    const page = await pageOf('zoe')
    await page.flow.start()
    page.error = new AuthenticatorError(code, code)
    await page.flow.confirm()
    assert.deepEqual([page.flow.scene, page.facts.message], ['ask', `message_${code}`])
    await page.flow.confirm()
    assert.equal(page.flow.scene, 'confirmed')
  }
})

test('errors that end the login, and those of the key', async () => {
  for (const [error, scene, message] of [
    [new AuthenticatorError('expired', 'x'), 'ended', 'message_expired'],
    [new AuthenticatorError('key_mismatch', 'x'), 'ended', 'message_key_mismatch'],
    [new AuthenticatorError('plain_refused', 'x'), 'ended', 'message_plain_refused'],
    [new AuthenticatorError('network', 'x'), 'failed', 'message_network'],
    [new AuthenticatorError('proof_too_long', 'x'), 'failed', 'message_internal'],
    [new AuthenticatorError('passkey_unavailable', 'x'), 'in_browser', undefined],
    [new AuthenticatorError('storage_failed', 'x'), 'no_storage', undefined],
    [refused('proof_required'), 'no_key', undefined],
    [refused('proof_mismatch'), 'no_key', undefined],
    [refused('user_mismatch'), 'other_account', undefined],
    [new Error('the database is gone'), 'no_storage', undefined],
  ] as const) {
    const page = await pageOf('zoe')
    page.error = error
    await page.flow.start()
    assert.deepEqual([page.flow.scene, page.facts.message], [scene, message], error.message)
  }
})

test('passkey whose proof was refused is remembered as such, and the key of a browser is not', async () => {
  for (const kind of ['passkey', 'browser'] as const) {
    const page = await pageOf('zoe')
    if (kind === 'passkey') await page.keys.keep('zoe', await page.keys.makePasskey(MAKE))
    await page.flow.start()
    page.error = refused('proof_invalid')
    await page.flow.confirm()
    assert.equal(page.flow.scene, 'no_key')
    const key = await page.keys.key('zoe')
    assert.deepEqual([key?.kind, key && 'isRefused' in key], [kind, kind === 'passkey'])
  }
})

test('login for another account offers the other accounts of this phone', async () => {
  const page = await pageOf('zoe', 'yan', 'xin')
  await page.flow.start()
  for (const [user, left] of [['zoe', ['xin', 'yan']], ['xin', ['yan']]] as const) {
    page.error = refused('user_mismatch')
    await page.flow.choose(user)
    assert.deepEqual([page.flow.scene, page.facts.account, page.facts.canIdentify], ['other_account', user, true])
    assert.deepEqual(page.facts.accounts?.map(({ name }) => name).sort(), left)
  }
  page.passkeys.error = 'NotAllowedError'
  await page.flow.identify()
  assert.deepEqual([page.flow.scene, page.facts.message], ['other_account', 'message_user_authentication_required'])
  await page.flow.choose('yan')
  assert.equal(page.flow.scene, 'ask')
})

test('phone that has answered already shows its answer', async () => {
  const page = await pageOf('zoe')
  for (const [facts, scene] of [[{ decision: 'confirm' }, 'confirmed'], [{ decision: 'deny' }, 'denied']] as const) {
    page.error = new AuthenticatorError('already_answered', 'x', facts)
    await page.load().start()
    assert.equal(page.flow.scene, scene)
  }
  page.error = new AuthenticatorError('already_answered', 'x', { decision: 'confirm', returnUrl: 'https://shop.example/#t' })
  await page.load().start()
  assert.deepEqual([page.flow.scene, page.left], ['returning', 'https://shop.example/#t'])
})

test('login continues at the site, or with two digits', async () => {
  for (const [facts, scene, left] of [
    [{ returnUrl: 'https://shop.example/login#t' }, 'returning', 'https://shop.example/login#t'], [{ checkCode: '07' }, 'code', ''],
  ] as const) {
    const page = await pageOf('zoe')
    Object.assign(page.session, facts)
    await page.flow.start()
    await page.flow.confirm()
    assert.deepEqual([page.flow.scene, page.left], [scene, left])
  }
})

test('question ends with its time, and cancelling sends nothing', async () => {
  const page = await pageOf('zoe')
  await page.flow.start()
  await page.pass()
  assert.equal(page.flow.scene, 'ask')
  page.session.timeLeft = 0
  await page.pass()
  assert.deepEqual([page.flow.scene, page.facts.message], ['ended', 'message_expired'])
  const other = await pageOf('zoe')
  await other.flow.start()
  other.flow.cancel()
  assert.deepEqual([other.flow.scene, other.done], ['cancelled', ['open']])
  await other.flow.retry()
  assert.equal(other.flow.scene, 'ask')
})

test('user confirms after a second in view, with the end of the question seen', async () => {
  const world = new World()
  let changes = 0
  const gate = new Gate(world.after, () => { changes += 1 })
  assert.equal(gate.obstacle, 'read_to_end')
  await world.pass()
  assert.equal(gate.obstacle, 'read_to_end')
  gate.read()
  assert.equal(gate.obstacle, null)
  gate.restart()
  assert.equal(gate.obstacle, 'wait')
  gate.restart()
  assert.deepEqual(world.timers.map(({ delay, stopped }) => [delay, stopped]), [[1_000, true], [1_000, false]])
  await world.pass()
  assert.equal(gate.obstacle, null)
  assert.ok(changes >= 5)
  await settled()
})

test('windows of other apps', () => {
  const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
  const android = 'Mozilla/5.0 (Linux; Android 16; Pixel 9'
  assert.ok(isInApp(`${iphone} Mobile/15E148`))
  assert.ok(isInApp(`${iphone} Mobile/15E148 Instagram 300.0`))
  assert.ok(isInApp(`${android}; wv) AppleWebKit/537.36 Version/4.0 Chrome/140.0 Mobile Safari/537.36`))
  assert.ok(isInApp(`${android}) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36 Line/15.1`))
  assert.ok(!isInApp(`${iphone} Version/19.0 Mobile/15E148 Safari/604.1`))
  assert.ok(!isInApp(`${android}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36`))
  assert.ok(!isInApp('Mozilla/5.0 (Android 16; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'))
})
