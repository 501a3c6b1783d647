// Only the browser that started may finish, once.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { startInstance } from './support/instance.mjs'

const NUMBER = '+12025550100'
const SIGN_IN = 'better-auth.countersign_sign_in'

test('another browser cannot finish, whatever it knows', async (t) => {
  const { service, browser } = await startInstance(t)
  const zoe = browser()
  const { confirmationId } = await zoe.startAndText(service, NUMBER)
  const own = zoe.cookies.get(SIGN_IN)
  const attacker = browser()
  const [, { confirmationId: other }] = await attacker.post('/sign-in/text/start', {})
  const [, secret] = attacker.cookies.get(SIGN_IN).split('.')
  for (const cookie of [
    undefined, '', confirmationId, `${confirmationId}.`, `${confirmationId}.${'A'.repeat(43)}`, `${confirmationId}.${secret}`,
    `${other}.${own.split('.')[1]}`, `${own}.more`, ` ${own}x`,
  ]) {
    if (cookie === undefined) attacker.cookies.delete(SIGN_IN)
    else attacker.cookies.set(SIGN_IN, cookie)
    for (const path of ['status', 'finish']) {
      const [status, { code }] = await attacker.post(`/sign-in/text/${path}`, {})
      assert.deepEqual([status, code], [404, 'CONFIRMATION_NOT_FOUND'], `${path} with ${cookie}`)
    }
  }
  assert.equal(await attacker.user(), undefined)
  assert.equal((await zoe.post('/sign-in/text/finish', {}))[0], 200)
})

test('a cookie of one purpose does not serve another', async (t) => {
  const { service, browser, auth } = await startInstance(t)
  const zoe = browser()
  await zoe.signUp('zoe@example.com')
  const [, started] = await zoe.post('/countersign/number/start', { phoneNumber: NUMBER })
  await auth.handler(service.webhook(started, NUMBER))
  zoe.cookies.set(SIGN_IN, zoe.cookies.get('better-auth.countersign_number'))
  assert.equal((await zoe.post('/sign-in/text/finish', {}))[0], 404)
  assert.equal((await zoe.post('/countersign/number/finish', {}))[0], 200)
})

test('cookies are out of reach of scripts and of other hosts of the domain', async (t) => {
  const { browser } = await startInstance(t, {
    options: { baseURL: 'https://shop.example', advanced: { crossSubDomainCookies: { enabled: true, domain: '.shop.example' } } },
  })
  const zoe = browser()
  await zoe.post('/sign-in/text/start', {})
  const [[name, attributes]] = zoe.attributes
  assert.equal(name, `__Host-${SIGN_IN}`)
  for (const wanted of ['HttpOnly', 'Secure', 'Path=/', 'SameSite=Lax', 'Max-Age=900']) assert.ok(attributes.includes(wanted), wanted)
  assert.ok(!attributes.some((attribute) => attribute.startsWith('Domain')), attributes.join())

  const plain = await startInstance(t, { options: { advanced: { crossSubDomainCookies: { enabled: true, domain: 'localhost' } } } })
  const other = plain.browser()
  await other.post('/sign-in/text/start', {})
  const [[bare, ofBare]] = other.attributes
  assert.equal(bare, SIGN_IN)
  assert.ok(ofBare.includes('HttpOnly') && !ofBare.some((attribute) => attribute.startsWith('Domain')), ofBare.join())
})

test('signing in gives the browser a new session', async (t) => {
  const { service, browser, auth } = await startInstance(t)
  const attacker = browser()
  await attacker.startAndText(service, '+12025550177')
  await attacker.post('/sign-in/text/finish', {})
  const victim = browser()
  const planted = attacker.cookies.get('better-auth.session_token')
  victim.cookies.set('better-auth.session_token', planted)
  await victim.startAndText(service, NUMBER)
  const [, { user }] = await victim.post('/sign-in/text/finish', {})
  assert.notEqual(victim.cookies.get('better-auth.session_token'), planted)
  assert.equal((await victim.user()).id, user.id)
  assert.equal((await attacker.user()).phoneNumber, '+12025550177')
  assert.ok(!victim.cookies.has(SIGN_IN))
  assert.equal((await auth.handler(service.webhook({ confirmationId: 'cfm_00' }, NUMBER))).status, 404)
})

test('of many calls at once, one signs in', async (t) => {
  const { service, browser, context } = await startInstance(t)
  const zoe = browser()
  await zoe.startAndText(service, NUMBER)
  const answers = await Promise.all(Array.from({ length: 12 }, () => zoe.post('/sign-in/text/finish', {})))
  assert.deepEqual(answers.map(([status]) => status).sort(), [200, ...Array(11).fill(404)])
  assert.equal((await context.adapter.findMany({ model: 'session' })).length, 1)
})

test('two browsers that prove one new number share one account', async (t) => {
  const { service, browser, context } = await startInstance(t)
  const browsers = Array.from({ length: 6 }, () => browser())
  for (const each of browsers) await each.startAndText(service, NUMBER)
  const answers = await Promise.all(browsers.map((each) => each.post('/sign-in/text/finish', {})))
  assert.deepEqual(answers.map(([status]) => status), Array(6).fill(200))
  assert.equal(new Set(answers.map(([, { user }]) => user.id)).size, 1)
  assert.equal(answers.filter(([, { isNewUser }]) => isNewUser).length, 1)
  assert.equal(await context.internalAdapter.countTotalUsers(), 1)
})

test('pages of other sites cannot start or finish', async (t) => {
  const { service, browser, context } = await startInstance(t)
  const zoe = browser()
  await zoe.startAndText(service, NUMBER)
  await zoe.signUp('zoe@example.com')
  const sessions = (await context.adapter.findMany({ model: 'session' })).length
  const paths = [
    '/sign-in/text/start', '/sign-in/text/status', '/sign-in/text/finish', '/countersign/number/start', '/countersign/number/finish',
    '/sign-in/code/start', '/sign-in/code/finish', '/countersign/keys/register', '/countersign/keys/revoke',
  ]
  const stranger = browser()
  for (const path of paths) {
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }]) {
      const cross = { ...headers, 'sec-fetch-site': 'cross-site' }
      assert.equal((await zoe.send(path, { body: {}, headers: cross })).status, 403, `${path} with cookies`)
    }
  }
  // A browser without cookies, such as one that visits this site for the first time.
  for (const path of paths.filter((name) => name.startsWith('/sign-in'))) {
    const cross = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    const body = { browserToken: 'x'.repeat(43), sessionId: 'qrs_1', payload: '', salt: '', proof: '' }
    assert.equal((await stranger.send(path, { body, headers: cross })).status, 403, path)
    const form = await stranger.send(path, { body, headers: { ...cross, 'content-type': 'text/plain' } })
    assert.equal(form.status, 415, `${path} by a form`)
  }
  assert.equal(stranger.cookies.size, 0)
  assert.equal((await context.adapter.findMany({ model: 'session' })).length, sessions)
})

test('nothing redirects', async (t) => {
  const { service, browser } = await startInstance(t)
  const zoe = browser()
  await zoe.startAndText(service, NUMBER)
  const evil = 'https://evil.example/'
  assert.equal((await zoe.send('/sign-in/text/finish', { body: { callbackURL: evil } })).status, 403)
  const { status, headers, json } = await zoe.send('/sign-in/text/finish', { body: { redirect: evil, redirectURL: evil } })
  assert.equal(status, 200)
  assert.equal(headers.get('location'), null)
  assert.ok(!JSON.stringify(json).includes('evil'))
})
