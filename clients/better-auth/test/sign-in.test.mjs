import assert from 'node:assert/strict'
import { test } from 'node:test'

import { startInstance } from './support/instance.mjs'

const NUMBER = '+12025550100'

test('a text signs a browser up, and later in', async (t) => {
  const verified = []
  const { service, browser } = await startInstance(t, { plugin: { callbackOnVerification: ({ user, ...others }) => { verified.push(others) } } })
  const zoe = browser()
  await zoe.startAndText(service, NUMBER)
  assert.deepEqual(await zoe.post('/sign-in/text/status'), [200, { status: 'verified', phoneNumber: NUMBER }])
  const [status, { token, user, ...rest }] = await zoe.post('/sign-in/text/finish', { name: 'Zoe' })
  assert.deepEqual([status, rest], [200, { status: 'signed-in', isNewUser: true }])
  assert.equal(typeof token, 'string')
  assert.deepEqual([user.phoneNumber, user.phoneNumberVerified, user.name], [NUMBER, true, 'Zoe'])
  assert.match(user.email, /^[\w-]+@countersign\.placeholder\.invalid$/)
  assert.ok(!user.email.includes('2025550100'))
  assert.equal((await zoe.user()).id, user.id)

  const elsewhere = browser()
  await elsewhere.startAndText(service, NUMBER)
  const [, again] = await elsewhere.post('/sign-in/text/finish', {})
  assert.deepEqual([again.user.id, again.isNewUser], [user.id, false])
  assert.notEqual(again.token, token)
  assert.deepEqual(verified, [{ phoneNumber: NUMBER, isNewUser: true }, { phoneNumber: NUMBER, isNewUser: false }])
})

test('finishing waits for the webhook', async (t) => {
  const { auth, service, browser } = await startInstance(t)
  const zoe = browser()
  assert.deepEqual((await zoe.post('/sign-in/text/finish', {}))[1].code, 'CONFIRMATION_NOT_FOUND')
  const [, started] = await zoe.post('/sign-in/text/start', {})
  assert.ok(started.client.token && started.confirmationMessage)
  assert.deepEqual(await zoe.post('/sign-in/text/status'), [202, { status: 'pending' }])
  assert.deepEqual(await zoe.post('/sign-in/text/finish', {}), [202, { status: 'pending' }])
  assert.equal((await auth.handler(service.webhook(started, NUMBER))).status, 200)
  assert.equal((await zoe.post('/sign-in/text/finish', {}))[0], 200)
})

test('a page that was reloaded gets the same confirmation again, and the database has no text', async (t) => {
  const { context, service, browser } = await startInstance(t)
  const zoe = browser()
  const [, first] = await zoe.post('/sign-in/text/start', { country: 'GB' })
  const [, second] = await zoe.post('/sign-in/text/start', { country: 'GB' })
  assert.deepEqual(second, first)
  const [, other] = await zoe.post('/sign-in/text/start', { country: 'DE' })
  assert.notEqual(other.confirmationId, first.confirmationId)
  assert.ok(service.requests.some(({ method, path }) => method === 'DELETE' && path.endsWith(first.confirmationId)))
  const rows = await context.adapter.findMany({ model: 'verification' })
  assert.equal(rows.length, 1)
  const secret = [...zoe.cookies.values()].find((value) => value.startsWith('cfm_')).split('.')[1]
  for (const hidden of [other.confirmationMessage, other.client.token, secret, service.requests.at(-1).idempotencyKey]) {
    assert.ok(!JSON.stringify(rows).includes(hidden), hidden)
  }
})

test('sign-up can be disabled', async (t) => {
  const { service, browser, context } = await startInstance(t, { plugin: { disableSignUp: true } })
  const zoe = browser()
  await zoe.startAndText(service, NUMBER)
  const [status, { code }] = await zoe.post('/sign-in/text/finish', {})
  assert.deepEqual([status, code], [403, 'SIGN_UP_DISABLED'])
  assert.equal(await context.internalAdapter.countTotalUsers(), 0)
})

test('a new account gets its additional fields, and a missing one does not use up the text', async (t) => {
  const { service, browser } = await startInstance(t, {
    options: { user: { additionalFields: { plan: { type: 'string', required: true }, role: { type: 'string', input: false, required: false } } } },
  })
  const zoe = browser()
  await zoe.startAndText(service, NUMBER)
  assert.equal((await zoe.post('/sign-in/text/finish', {}))[0], 400)
  assert.equal((await zoe.post('/sign-in/text/finish', { plan: 'pro', role: 'admin' }))[0], 400)
  for (const stolen of [{ phoneNumber: '+12025550177' }, { phoneNumberVerified: true }]) {
    assert.equal((await zoe.post('/sign-in/text/finish', { plan: 'pro', ...stolen }))[1].code, 'PHONE_NUMBER_CANNOT_BE_SET')
  }
  const [status, { user }] = await zoe.post('/sign-in/text/finish', { plan: 'pro', email: 'victim@example.com' })
  assert.deepEqual([status, user.plan, user.phoneNumber], [200, 'pro', NUMBER])
  assert.notEqual(user.email, 'victim@example.com')
})

test('an app names new accounts', async (t) => {
  const signUp = { getTempEmail: (number) => `${number.slice(1)}@shop.example`, getTempName: async () => 'Guest' }
  const { service, browser } = await startInstance(t, { plugin: { signUp } })
  const zoe = browser()
  await zoe.startAndText(service, NUMBER)
  const [, { user }] = await zoe.post('/sign-in/text/finish', { name: 'ignored' })
  assert.deepEqual([user.email, user.name], ['12025550100@shop.example', 'Guest'])
})

test('refusals of the service reach the page', async (t) => {
  const { service, browser, logged } = await startInstance(t)
  const zoe = browser()
  for (const [refusal, status, code, retryAfter] of [
    [{ status: 429, code: 'app_rate_exceeded', retryAfter: 60 }, 429, 'TOO_MANY_ATTEMPTS', '60'],
    [{ status: 422, code: 'country_malformed' }, 422, 'country_malformed', null],
    [{ status: 401, code: 'api_key_unknown' }, 500, 'SERVICE_REFUSED', null],
  ]) {
    service.refusal = refusal
    const answer = await zoe.send('/sign-in/text/start', { body: {} })
    assert.deepEqual([answer.status, answer.json.code, answer.headers.get('retry-after')], [status, code, retryAfter], refusal.code)
  }
  assert.ok(logged.some(([level, message]) => level === 'error' && message.includes('refused')))
})

test('answers are not cached', async (t) => {
  const { browser } = await startInstance(t)
  const { headers } = await browser().send('/sign-in/text/start', { body: {} })
  assert.equal(headers.get('cache-control'), 'no-store')
})
