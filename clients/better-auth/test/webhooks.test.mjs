import assert from 'node:assert/strict'
import { test } from 'node:test'

import { databasePath, startInstance } from './support/instance.mjs'
import { FakeService, WEBHOOK_SECRET, signed } from './support/service.mjs'

const NUMBER = '+12025550100'
const URL = 'http://localhost:3000/api/auth/countersign/webhook'

test('forged webhooks change nothing', async (t) => {
  const { auth, service, browser } = await startInstance(t)
  const zoe = browser()
  const [, started] = await zoe.post('/sign-in/text/start', {})
  const genuine = service.webhook(started, NUMBER)
  const body = await genuine.clone().text()
  const resigned = (changes) => new Request(URL, { method: 'POST', body, headers: { ...Object.fromEntries(genuine.headers), ...changes } })
  const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
  for (const [name, request, status] of [
    ['without a signature', new Request(URL, { method: 'POST', body, headers: { 'content-type': 'application/json' } }), 403],
    ['by another secret', service.webhook(started, NUMBER, { secret: other }), 403],
    ['six minutes old', service.webhook(started, NUMBER, { at: Date.now() - 360_000 }), 403],
    ['with another id', resigned({ 'webhook-id': 'msg_2' }), 403],
    ['of a confirmation that another app started', service.webhook({ confirmationId: `cfm_${'0'.repeat(32)}` }, NUMBER), 404],
    ['not about a confirmation', signed(URL, '{"event":"login.confirmed","sessionId":"qrs_1"}'), 400],
    ['that is no event', signed(URL, '{"confirmationId":7}'), 400],
    ['too large', signed(URL, JSON.stringify({ confirmationId: started.confirmationId, metadata: 'x'.repeat(70_000) })), 413],
    ['with GET', new Request(URL), 404],
  ]) {
    assert.equal((await auth.handler(request)).status, status, name)
    assert.equal((await zoe.post('/sign-in/text/finish', {}))[0], 202, name)
  }
  assert.equal((await auth.handler(genuine)).status, 200)
  assert.equal((await zoe.post('/sign-in/text/finish', {}))[0], 200)
})

test('a repeated webhook is accepted without an effect', async (t) => {
  const { auth, service, browser, context } = await startInstance(t)
  const zoe = browser()
  const started = await zoe.startAndText(service, NUMBER)
  const deliver = async () => (await auth.handler(service.webhook(started, NUMBER))).status
  assert.equal(await deliver(), 200)
  const [, { user }] = await zoe.post('/sign-in/text/finish', {})
  assert.equal(await deliver(), 200)
  assert.equal((await zoe.post('/sign-in/text/finish', {}))[0], 404)
  await context.internalAdapter.updateUser(user.id, { phoneNumber: null })
  assert.equal(await deliver(), 200)
  assert.equal((await zoe.user()).phoneNumber, null)
})

test('deliveries and polls at once sign in once', async (t) => {
  const { auth, service, browser, context } = await startInstance(t)
  for (let round = 0; round < 10; round += 1) {
    const zoe = browser()
    const [, started] = await zoe.post('/sign-in/text/start', {})
    const calls = Array.from({ length: 4 }, () => [
      async () => (await auth.handler(service.webhook(started, `${NUMBER}${round}`))).status,
      async () => (await zoe.post('/sign-in/text/finish', {}))[0],
    ]).flat()
    const statuses = await Promise.all(calls.map((call) => call()))
    const polled = statuses.filter((_, index) => index % 2 === 1)
    for (const status of statuses.filter((_, index) => index % 2 === 0)) assert.equal(status, 200)
    const signedIn = polled.filter((status) => status === 200).length
    assert.ok(signedIn <= 1, polled.join())
    if (signedIn === 0) assert.equal((await zoe.post('/sign-in/text/finish', {}))[0], 200)
    assert.equal((await zoe.post('/sign-in/text/finish', {}))[0], 404)
  }
  assert.equal((await context.adapter.findMany({ model: 'session' })).length, 10)
})

test('any process can take each step', async (t) => {
  const [path, service] = [databasePath(t), new FakeService()]
  const instances = []
  for (let each = 0; each < 3; each += 1) instances.push(await startInstance(t, { path, service }))
  const [first, second, third] = instances
  const zoe = first.browser()
  const [, started] = await zoe.post('/sign-in/text/start', {})
  zoe.auth = second.auth
  assert.deepEqual((await zoe.post('/sign-in/text/start', {}))[1], started)
  assert.equal((await third.auth.handler(service.webhook(started, NUMBER))).status, 200)
  assert.equal((await first.auth.handler(service.webhook(started, NUMBER))).status, 200)
  const statuses = []
  for (const { auth } of instances) {
    const tab = first.browser()
    tab.auth = auth
    tab.cookies = new Map(zoe.cookies)
    statuses.push((await tab.post('/sign-in/text/finish', {}))[0])
  }
  assert.deepEqual(statuses, [200, 404, 404])
})

test('records that were not finished are removed', async (t) => {
  const path = databasePath(t)
  const { context, browser } = await startInstance(t, { path })
  for (let each = 0; each < 20; each += 1) await browser().post('/sign-in/text/start', {})
  const rows = () => context.adapter.findMany({ model: 'verification', limit: 1000 })
  const before = await rows()
  assert.equal(before.length, 20)
  for (const { expiresAt } of before) assert.ok(new Date(expiresAt) - Date.now() <= 15 * 60_000 + 1000)
  await context.adapter.updateMany({ model: 'verification', where: [{ field: 'createdAt', operator: 'gt', value: new Date(0) }], update: { expiresAt: new Date(Date.now() - 1000) } })
  // Better Auth removes them at most once a minute, so another process is the first to do so.
  const other = await startInstance(t, { path })
  await other.browser().post('/sign-in/text/start', {})
  assert.equal((await rows()).length, 1)
})

test('an expired record is not finished', async (t) => {
  const { context, service, auth, browser } = await startInstance(t, { options: { verification: { disableCleanup: true } } })
  const zoe = browser()
  const started = await zoe.startAndText(service, NUMBER)
  await context.adapter.updateMany({ model: 'verification', where: [{ field: 'identifier', value: `countersign:${started.confirmationId}` }], update: { expiresAt: new Date(Date.now() - 1000) } })
  for (const path of ['status', 'finish']) assert.equal((await zoe.post(`/sign-in/text/${path}`, {}))[0], 404)
  const late = browser()
  const [, { confirmationId }] = await late.post('/sign-in/text/start', {})
  await context.adapter.updateMany({ model: 'verification', where: [{ field: 'identifier', value: `countersign:${confirmationId}` }], update: { expiresAt: new Date(Date.now() - 1000) } })
  for (const path of ['status', 'finish']) assert.equal((await late.post(`/sign-in/text/${path}`, {}))[0], 404)
  assert.equal((await auth.handler(service.webhook({ confirmationId }, NUMBER))).status, 404)
  const [, again] = await zoe.post('/sign-in/text/start', {})
  assert.notEqual(again.confirmationId, started.confirmationId)
  assert.equal((await auth.handler(service.webhook(started, NUMBER))).status, 200, 'accepted before')
})

test('both secrets count while they are being replaced', async (t) => {
  const next = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
  const { auth, service, browser } = await startInstance(t, { plugin: { webhookSecret: [WEBHOOK_SECRET, next] } })
  for (const secret of [WEBHOOK_SECRET, next]) {
    const [, started] = await browser().post('/sign-in/text/start', {})
    assert.equal((await auth.handler(service.webhook(started, NUMBER, { secret }))).status, 200)
  }
})

test('webhooks are exempt from rate limits, and starts are not', async (t) => {
  const greedy = { id: 'greedy', rateLimit: [{ pathMatcher: () => true, window: 60, max: 3 }] }
  const options = { rateLimit: { enabled: true, storage: 'database' }, advanced: { ipAddress: { ipAddressHeaders: ['x-real-ip'] } } }
  const { auth, service, browser } = await startInstance(t, { options, plugins: [greedy] })
  const zoe = browser()
  const from = (address) => zoe.send('/sign-in/text/start', { body: {}, headers: { 'x-real-ip': address } })
  const statuses = []
  for (let each = 0; each < 12; each += 1) statuses.push((await from('192.0.2.1')).status)
  assert.deepEqual(statuses, [...Array(10).fill(200), 429, 429])
  const started = (await from('192.0.2.2')).json
  for (let each = 0; each < 150; each += 1) {
    assert.equal((await auth.handler(service.webhook(started, NUMBER, { 'x-real-ip': '192.0.2.3' }))).status, 200)
  }
})

test('the service is given an address that cannot come from a request', async (t) => {
  const { service, browser } = await startInstance(t, { plugin: { callbackUrl: 'https://internal.example/hook' } })
  await browser().send('/sign-in/text/start', { body: {}, headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' } })
  assert.equal(service.requests[0].body.callbackUrl, 'https://internal.example/hook')
  await assert.rejects(startInstance(t, { options: { baseURL: undefined } }), /set baseURL, or the option callbackUrl/)
})
