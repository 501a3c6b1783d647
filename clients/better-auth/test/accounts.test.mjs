// Which account a text opens, and whose number it becomes.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { admin, anonymous, magicLink, phoneNumber, twoFactor } from 'better-auth/plugins'

import { databasePath, startInstance } from './support/instance.mjs'
import { FakeService } from './support/service.mjs'

const NUMBER = '+12025550100'

/** Signs a user in by text in a new browser, and returns the status and the JSON. */
async function byText({ service, browser }, number = NUMBER) {
  const other = browser()
  await other.startAndText(service, number)
  return [...await other.post('/sign-in/text/finish', {}), await other.user()]
}

/** Verifies a number of the browser's user, and returns the status and the JSON. */
async function verifyNumber({ service, auth }, browser, number = NUMBER) {
  const [status, started] = await browser.post('/countersign/number/start', { phoneNumber: number, country: 'US' })
  assert.equal(status, 200, JSON.stringify(started))
  assert.deepEqual(await browser.post('/countersign/number/finish'), [202, { status: 'pending' }])
  await auth.handler(service.webhook(started, number))
  return browser.post('/countersign/number/finish')
}

test('a user who is logged in verifies a number, and replaces it', async (t) => {
  const seen = []
  const instance = await startInstance(t, {
    plugin: { callbackOnVerification: ({ user, ...others }) => { seen.push({ ...others, id: user.id }) } },
    options: { session: { cookieCache: { enabled: true } } },
  })
  const zoe = instance.browser()
  const { id } = await zoe.signUp('zoe@example.com')
  const [status, { user }] = await verifyNumber(instance, zoe)
  assert.deepEqual([status, user.id, user.phoneNumber, user.phoneNumberVerified], [200, id, NUMBER, true])
  assert.equal((await zoe.user()).phoneNumber, NUMBER)
  assert.equal((await verifyNumber(instance, zoe, '+12025550101'))[0], 200)
  assert.equal((await zoe.user()).phoneNumber, '+12025550101')
  assert.deepEqual(seen, [
    { id, phoneNumber: NUMBER, isNewUser: false },
    { id, phoneNumber: '+12025550101', isNewUser: false, previousPhoneNumber: NUMBER },
  ])
  // The old number opens another account from now on.
  const [, { user: next, isNewUser }] = await byText(instance)
  assert.ok(isNewUser && next.id !== id)
})

test('a corrected number ends the first confirmation', async (t) => {
  const { service, browser, auth } = await startInstance(t)
  const zoe = browser()
  await zoe.signUp('zoe@example.com')
  const [, first] = await zoe.post('/countersign/number/start', { phoneNumber: NUMBER })
  const [, second] = await zoe.post('/countersign/number/start', { phoneNumber: '+12025550101' })
  assert.ok(service.requests.some(({ method, path }) => method === 'DELETE' && path.endsWith(first.confirmationId)))
  assert.equal((await auth.handler(service.webhook(first, NUMBER))).status, 404)
  assert.equal((await auth.handler(service.webhook(second, NUMBER))).status, 500, 'a number that was not asked for')
  assert.equal((await zoe.post('/countersign/number/finish'))[0], 202)
})

test("another user's number is refused, but only after the text", async (t) => {
  const instance = await startInstance(t)
  await byText(instance)
  const attacker = instance.browser()
  await attacker.signUp('attacker@example.com')
  const [status, { code }] = await verifyNumber(instance, attacker)
  assert.deepEqual([status, code], [400, 'PHONE_NUMBER_EXIST'])
  assert.equal((await attacker.user()).phoneNumber, null)
  assert.equal((await attacker.post('/countersign/number/finish'))[0], 404)
})

test('of two users who verify one number at once, one gets it', async (t) => {
  const { service, browser, auth, context } = await startInstance(t)
  const browsers = [browser(), browser(), browser()]
  for (const [index, each] of browsers.entries()) {
    await each.signUp(`user${index}@example.com`)
    const [, started] = await each.post('/countersign/number/start', { phoneNumber: NUMBER })
    await auth.handler(service.webhook(started, NUMBER))
  }
  const answers = await Promise.all(browsers.map((each) => each.post('/countersign/number/finish')))
  assert.deepEqual(answers.map(([status]) => status).sort(), [200, 400, 400])
  assert.equal((await context.adapter.findMany({ model: 'user', where: [{ field: 'phoneNumber', value: NUMBER }] })).length, 1)
})

test('another user of the same browser does not get the number', async (t) => {
  const { service, browser, auth } = await startInstance(t)
  const shared = browser()
  await shared.signUp('first@example.com')
  const [, started] = await shared.post('/countersign/number/start', { phoneNumber: NUMBER })
  await auth.handler(service.webhook(started, NUMBER))
  await shared.signUp('second@example.com')
  assert.equal((await shared.post('/countersign/number/finish'))[0], 404)
  assert.equal((await shared.user()).phoneNumber, null)
})

test('a number needs a user, and a session that is fresh and not revoked', async (t) => {
  const { browser, context } = await startInstance(t, { options: { session: { cookieCache: { enabled: true } } } })
  const start = (each) => each.post('/countersign/number/start', { phoneNumber: NUMBER })
  assert.equal((await start(browser()))[0], 401)
  const zoe = browser()
  await zoe.signUp('zoe@example.com')
  const [session] = await context.adapter.findMany({ model: 'session' })
  const where = [{ field: 'id', value: session.id }]
  await context.adapter.update({ model: 'session', where, update: { createdAt: new Date(Date.now() - 2 * 86_400_000) } })
  assert.deepEqual([(await start(zoe))[0], (await start(zoe))[1].code], [403, 'SESSION_NOT_FRESH'])
  await context.adapter.delete({ model: 'session', where })
  assert.equal((await start(zoe))[0], 401)
})

test('only a text sets a number', async (t) => {
  const { browser, context } = await startInstance(t)
  const zoe = browser()
  for (const extra of [{ phoneNumber: NUMBER }, { phoneNumber: NUMBER, phoneNumberVerified: true }, { phoneNumberVerified: true }]) {
    const { status } = await browser().send('/sign-up/email', { body: { email: `${Math.random()}@example.com`, password: 'long enough', name: '', ...extra } })
    assert.equal(status, 400, JSON.stringify(extra))
  }
  await zoe.signUp('zoe@example.com')
  for (const body of [
    { phoneNumber: NUMBER }, { phoneNumber: '' }, { name: 'Zoe', phoneNumber: NUMBER }, { phoneNumber: NUMBER, phoneNumberVerified: true }, { phoneNumberVerified: true },
  ]) {
    assert.equal((await zoe.post('/update-user', body))[0], 400, JSON.stringify(body))
  }
  assert.equal((await zoe.send('/update-user', { headers: { 'content-type': 'application/json' } })).status, 400, 'no body')
  const { phoneNumber, phoneNumberVerified } = await zoe.user()
  assert.deepEqual([phoneNumber, Boolean(phoneNumberVerified)], [null, false])
  // Users may remove their number.
  await context.internalAdapter.updateUser((await zoe.user()).id, { phoneNumber: NUMBER, phoneNumberVerified: true })
  assert.equal((await zoe.post('/update-user', { phoneNumber: null }))[0], 200)
  const after = await zoe.user()
  assert.deepEqual([after.phoneNumber, after.phoneNumberVerified], [null, false])
})

test('a number that an administrator sets is not proven', async (t) => {
  const instance = await startInstance(t, { plugins: [admin()] })
  const { browser, context } = instance
  const boss = browser()
  const { id: bossId } = await boss.signUp('boss@example.com')
  await context.adapter.update({ model: 'user', where: [{ field: 'id', value: bossId }], update: { role: 'admin' } })
  const zoe = browser()
  const { id } = await zoe.signUp('zoe@example.com')
  const [status] = await boss.post('/admin/update-user', { userId: id, data: { phoneNumber: NUMBER } })
  assert.equal(status, 200)
  assert.deepEqual([(await zoe.user()).phoneNumber, (await zoe.user()).phoneNumberVerified], [NUMBER, false])
  const [refused, { code }, user] = await byText(instance)
  assert.deepEqual([refused, code, user], [403, 'PHONE_NUMBER_NOT_VERIFIED', undefined])
})

/** Ways into an account: what adds one to a user who signed up by text. */
const WAYS = {
  password: ({ context }, { id }) => context.internalAdapter.createAccount({ userId: id, providerId: 'credential', accountId: id, password: 'plain:secret' }),
  google: ({ context }, { id }) => context.internalAdapter.createAccount({ userId: id, providerId: 'google', accountId: '7' }),
  'phone-key': ({ context }, { id }) => context.adapter.create({ model: 'countersignKey', data: { keyId: 'k', publicKey: 'k', userId: id, createdAt: new Date() } }),
  'two-factor': ({ context }, { id }) => context.internalAdapter.updateUser(id, { twoFactorEnabled: true }),
  passkey: ({ context }, { id }) => context.adapter.create({ model: 'passkey', data: { userId: id } }),
  email: ({ context }, { id }) => context.internalAdapter.updateUser(id, { emailVerified: true }),
}

for (const [way, add] of Object.entries(WAYS)) {
  test(`a text alone does not open an account with another way in: ${way}`, async (t) => {
    const asked = []
    const [path, service] = [databasePath(t), new FakeService()]
    // The plugin for passkeys is a separate package.
    const passkey = { id: 'passkey', schema: { passkey: { fields: { userId: { type: 'string', required: true } } } } }
    const plugins = [twoFactor(), magicLink({ sendMagicLink() {} }), passkey]
    const instance = await startInstance(t, { path, service, plugins })
    const [, { user }] = await byText(instance)
    assert.equal((await byText(instance))[0], 200)
    await add(instance, user)
    const [status, { code }, signedIn] = await byText(instance)
    assert.deepEqual([status, code, signedIn], [403, 'STRONGER_SIGN_IN_REQUIRED', undefined])
    assert.equal(await instance.context.internalAdapter.countTotalUsers(), 1)

    const mayOpenByText = ({ waysIn, phoneNumber, user: { id } }) => {
      asked.push({ waysIn, phoneNumber, id })
      return asked.length === 1
    }
    const relaxed = await startInstance(t, { path, service, plugins, plugin: { mayOpenByText } })
    assert.equal((await byText(relaxed))[0], 200)
    assert.equal((await byText(relaxed))[0], 403)
    assert.deepEqual(asked[0], { waysIn: [way], phoneNumber: NUMBER, id: user.id })
  })
}

test('an address that opens nothing does not keep a text out', async (t) => {
  const instance = await startInstance(t)
  const [, { user }] = await byText(instance)
  await instance.context.internalAdapter.updateUser(user.id, { emailVerified: true })
  assert.equal((await byText(instance))[0], 200)
})

test('a banned user stays out', async (t) => {
  const instance = await startInstance(t, { plugins: [admin()] })
  const [, { user }] = await byText(instance)
  await instance.context.internalAdapter.updateUser(user.id, { banned: true })
  const [status, { code }, signedIn] = await byText(instance)
  assert.deepEqual([status, code, signedIn], [403, 'BANNED_USER', undefined])
})

test('a guest becomes the user of the text', async (t) => {
  const linked = []
  const onLinkAccount = ({ anonymousUser, newUser }) => { linked.push([anonymousUser.user.id, newUser.user.id]) }
  const { service, browser, context } = await startInstance(t, { plugins: [anonymous({ onLinkAccount })] })
  const guest = browser()
  const [, { user: { id } }] = await guest.post('/sign-in/anonymous')
  await guest.startAndText(service, NUMBER)
  const [, { user }] = await guest.post('/sign-in/text/finish', {})
  assert.deepEqual(linked, [[id, user.id]])
  assert.equal(await context.internalAdapter.findUserById(id), null)
})

test("Better Auth's own phone plugin shares the fields", async (t) => {
  const [path, service] = [databasePath(t), new FakeService()]
  const codes = new Map()
  const own = phoneNumber({
    sendOTP: ({ phoneNumber: number, code }) => { codes.set(number, code) },
    signUpOnVerification: { getTempEmail: (number) => `${number.slice(1)}@shop.example` },
  })
  const instance = await startInstance(t, { path, service, plugins: [own] })
  const zoe = instance.browser()
  await zoe.post('/phone-number/send-otp', { phoneNumber: NUMBER })
  const [, { user }] = await zoe.post('/phone-number/verify', { phoneNumber: NUMBER, code: codes.get(NUMBER) })
  const [status, json] = await byText(instance)
  assert.deepEqual([status, json.user.id, json.isNewUser], [200, user.id, false])
})
