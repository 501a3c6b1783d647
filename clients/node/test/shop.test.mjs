// A shop's tests as its CI would run them: with a test key, without a phone, and with the real service.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { build } from 'esbuild'

import { Countersign } from '../src/index.js'
import { TestPhone, startTestLogin } from '../src/testing.js'
import { serviceTest, startServer } from './support/server.mjs'

const ZOE = 'zoe@example.com'
const CONTEXT = 'Pay 20 EUR to Zoë'

/** Loads examples/shop.ts with this package's sources. */
async function loadShop(t) {
  const here = fileURLToPath(new URL('.', import.meta.url))
  // Next to the tests, so that Node.js finds the packages.
  const folder = await mkdtemp(`${here}shop-`)
  t.after(() => rm(folder, { recursive: true, force: true }))
  const outfile = `${folder}/shop.mjs`
  await build({ entryPoints: [`${here}../examples/shop.ts`], outfile, bundle: true, packages: 'external', platform: 'node', format: 'esm' })
  return (await import(outfile)).shop
}

/** Starts the service and the shop. `post` sends a request as a page of the shop. */
async function openShop(t, { checkCode = false } = {}) {
  const server = await startServer(t)
  const { url, appKey } = server.demo
  const { apiKey } = JSON.parse(await server.command('key', 'issue', 'demo', '--test', '--json'))
  const secrets = JSON.parse(await server.command('app', 'webhook-secret', 'demo', '--json'))
  if (checkCode) await server.command('app', 'update', 'demo', '--check-code', 'on')
  const countersign = new Countersign({ url, apiKey, appKey, webhookSecret: secrets.webhookSecrets })
  const tables = { sessions: new Map(), confirmations: new Map(), phoneKeys: new Map(), payments: new Map() }
  // The demo app lists its own origin.
  const shop = await loadShop(t)
  const listener = shop(countersign, { origin: url, service: url }, tables).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  t.after(() => listener.close())
  const base = `http://127.0.0.1:${listener.address().port}`
  await server.command('app', 'update', 'demo', '--login-callback', `${base}/webhook`)
  const phone = new TestPhone(countersign, { userId: ZOE })
  tables.phoneKeys.set(phone.keyId, { publicKey: phone.publicKey, userId: ZOE })
  let cookie = ''
  const post = async (path, body) => {
    const headers = { origin: url, 'content-type': 'application/json', cookie }
    const answer = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    const text = await answer.text()
    return { status: answer.status, body: answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text }
  }
  const logIn = async (how) => {
    const { url: link } = await startTestLogin(countersign, { origin: url })
    return post('/login', await (await phone.open(link)).confirm('', how))
  }
  /** Starts a payment, and returns it on the phone. */
  const pay = async () => phone.open((await post('/pay')).body.url)
  const paid = async () => (await post('/paid')).body
  return { countersign, server, tables, phone, post, logIn, pay, paid }
}

serviceTest('shop: login by the phone, and not by another one', async (t) => {
  const { countersign, post, logIn, tables } = await openShop(t)
  const stranger = new TestPhone(countersign, { userId: ZOE })
  assert.equal((await logIn({ signWith: stranger })).status, 403)
  assert.equal((await post('/pay')).status, 403)
  assert.deepEqual(await logIn(), { status: 200, body: 'logged in' })
  assert.deepEqual([...tables.sessions.values()], [{ userId: ZOE }])
})

serviceTest('shop: login counts once', async (t) => {
  const { countersign, phone, post, server } = await openShop(t)
  const { url } = await startTestLogin(countersign, { origin: server.demo.url })
  const detail = await (await phone.open(url)).confirm('')
  assert.equal((await post('/login', detail)).status, 200)
  assert.equal((await post('/login', detail)).status, 403)
  assert.equal((await post('/login', { ...detail, payload: 'another' })).status, 403)
})

serviceTest('shop: approval is confirmed, and counts once', async (t) => {
  const { logIn, pay, paid, tables } = await openShop(t)
  await logIn()
  const opened = await pay()
  assert.deepEqual([opened.context, await paid()], [CONTEXT, { status: 'waiting' }])
  await opened.confirm()
  // The webhook may have come first; in either case, the shop's record says the same.
  assert.deepEqual([await paid(), await paid()], [{ status: 'approved' }, { status: 'approved' }])
  assert.equal(tables.payments.size, 1)
})

serviceTest('test phone counts once its key is registered', async (t) => {
  const { countersign, server } = await openShop(t)
  const zoe = new TestPhone(countersign, { userId: ZOE })
  const approve = async () => {
    const { id, session } = await countersign.approvals.start({ origin: server.demo.url, context: CONTEXT, userId: ZOE })
    await (await zoe.open(session.url)).confirm()
    return countersign.approvals.result(id, { log: () => {} })
  }
  assert.deepEqual((({ status, reason }) => [status, reason])(await approve()), ['denied', 'unverified'])
  assert.deepEqual(await zoe.register(), { keyId: zoe.keyId })
  assert.deepEqual((({ status, keyId }) => [status, keyId])(await approve()), ['approved', zoe.keyId])
})

serviceTest('test phone cannot open what a live key has opened', async (t) => {
  const { countersign, server, phone } = await openShop(t)
  const { url, apiKey, appKey } = server.demo
  const live = new Countersign({ url, apiKey, appKey })
  const { id, session } = await live.approvals.start({ origin: url, context: CONTEXT, userId: ZOE })
  await assert.rejects(phone.open(session.url), { status: 404 })
  await assert.rejects(countersign.logins.get(id), { status: 404 })
})

serviceTest('shop: page that loads again goes on with its approval, until it is decided', async (t) => {
  const { logIn, phone, post } = await openShop(t)
  await logIn()
  const { body: first } = await post('/pay')
  assert.deepEqual((await post('/pay')).body, first)
  await (await phone.open(first.url)).deny()
  assert.notEqual((await post('/pay')).body.sessionId, first.sessionId)
})

serviceTest('shop: approval is denied', async (t) => {
  const { logIn, pay, paid } = await openShop(t)
  await logIn()
  await (await pay()).deny()
  assert.deepEqual(await paid(), { status: 'denied' })
})

serviceTest('shop: another phone approves nothing', async (t) => {
  const { countersign, logIn, pay, paid } = await openShop(t)
  await logIn()
  const stranger = new TestPhone(countersign, { userId: ZOE })
  await (await pay()).confirm('', { signWith: stranger })
  assert.deepEqual(await paid(), { status: 'denied' })
})

serviceTest('shop: another user cannot open an approval, and stops nothing', async (t) => {
  const { logIn, paid, phone, post } = await openShop(t)
  await logIn()
  const { body: session } = await post('/pay')
  await assert.rejects(phone.open(session.url, { as: 'mallory' }), { code: 'user_mismatch', status: 403 })
  await (await phone.open(session.url)).confirm()
  assert.deepEqual(await paid(), { status: 'approved' })
})

serviceTest('shop: late answer approves nothing', async (t) => {
  const { logIn, pay, paid } = await openShop(t)
  await logIn()
  await assert.rejects((await pay()).confirmLate(), { status: 410 })
  assert.deepEqual(await paid(), { status: 'expired' })
})

serviceTest('shop: approval waits for its digits', async (t) => {
  const { server, logIn, phone, post, paid } = await openShop(t, { checkCode: true })
  await logIn()
  const { body: session } = await post('/pay')
  assert.equal(session.checkCodeRequired, true)
  const opened = await phone.open(session.url)
  await opened.confirm()
  assert.deepEqual(await paid(), { status: 'waiting' })
  // The request that <countersign-login> sends.
  const typed = (checkCode) => fetch(`${server.demo.url}/qr-sessions/${session.sessionId}/check-code`, {
    method: 'POST',
    headers: { authorization: `Bearer ${session.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ checkCode }),
  })
  const wrong = opened.checkCode === '00' ? '01' : '00'
  assert.equal((await typed(wrong)).status, 403)
  assert.deepEqual(await paid(), { status: 'waiting' })
  assert.equal((await typed(opened.checkCode)).status, 204)
  assert.deepEqual(await paid(), { status: 'approved' })
})

serviceTest('shop: number of a test, and a limit', async (t) => {
  const { logIn, post, tables } = await openShop(t)
  await logIn()
  const request = { phoneNumber: '(500) 555-0002', country: 'US' }
  const { status, body: { confirmationId } } = await post('/number', request)
  assert.deepEqual([status, tables.confirmations.get(confirmationId)], [200, { userId: ZOE }])
  const statuses = []
  for (let i = 0; i < 5; i += 1) statuses.push((await post('/number', request)).status)
  assert.deepEqual(statuses, [200, 200, 200, 200, 429])
})
