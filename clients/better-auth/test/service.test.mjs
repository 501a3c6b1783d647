// With the real service, a test key and several processes.

import assert from 'node:assert/strict'

import { Countersign } from '@countersign/server'
import { TestPhone } from '@countersign/server/testing'

import { Browser, databasePath, startInstance } from './support/instance.mjs'
import { serviceTest, startProcess, startService } from './support/real.mjs'

const NUMBER = '+12025550100'

/** A browser whose requests go to the processes in turn, as behind a load balancer. */
function balanced(urls) {
  let turn = 0
  const handler = async (request) => {
    const url = new URL(request.url)
    const { origin } = new URL(urls[turn++ % urls.length])
    return fetch(origin + url.pathname, {
      method: request.method,
      headers: request.headers,
      ...(request.method === 'POST' ? { body: await request.text() } : {}),
      redirect: 'manual',
    })
  }
  return new Browser({ options: { baseURL: 'http://localhost:3000' }, handler })
}

/** Starts two processes with one database. Webhooks go to the first. */
async function startTwo(t, service) {
  const path = databasePath(t)
  await startInstance(t, { path }) // Migrates.
  const first = await startProcess(t, { path, plugin: service.options })
  const second = await startProcess(t, { path, plugin: service.options, callbackPort: first.port })
  return { path, urls: [first.url, second.url] }
}

/** Repeats a call until its answer is not 202. */
async function settled(call) {
  const ends = Date.now() + 120_000
  for (;;) {
    const answer = await call()
    if (answer[0] !== 202) return answer
    if (Date.now() > ends) throw new Error('no webhook')
    await new Promise((resolve) => setTimeout(resolve, 50)) // sleep: between two polls, as a page does
  }
}

serviceTest('two processes sign one user up, once, and later in', async (t) => {
  const service = await startService(t)
  const { urls } = await startTwo(t, service)
  const zoe = balanced(urls)
  const [, started] = await zoe.post('/sign-in/text/start', {})
  const [, again] = await zoe.post('/sign-in/text/start', {})
  assert.deepEqual(
    { ...again, expiresIn: 0, serverTime: '' }, { ...started, expiresIn: 0, serverTime: '' }, 'the other process repeats the answer',
  )
  assert.equal(await service.text(started, NUMBER), 'verified')
  const [, reloaded] = await zoe.post('/sign-in/text/start', {})
  assert.equal(reloaded.confirmationId, started.confirmationId, 'a page that comes back after the text')
  assert.equal((await settled(() => zoe.post('/sign-in/text/status')))[1].phoneNumber, NUMBER)
  const answers = await Promise.all(Array.from({ length: 10 }, () => zoe.post('/sign-in/text/finish', {})))
  assert.deepEqual(answers.map(([status]) => status).sort(), [200, ...Array(9).fill(404)])
  const { id } = await zoe.user()

  const [laptop, tablet] = [balanced(urls), balanced(urls.toReversed?.() ?? [...urls].reverse())]
  for (const each of [laptop, tablet]) await service.text((await each.post('/sign-in/text/start', {}))[1], NUMBER)
  const both = await Promise.all([laptop, tablet].map((each) => settled(() => each.post('/sign-in/text/finish', {}))))
  assert.deepEqual(both.map(([status, json]) => [status, json.user?.id, json.isNewUser]), [[200, id, false], [200, id, false]])
})

serviceTest('two processes give one new number one account', async (t) => {
  const service = await startService(t)
  const { urls } = await startTwo(t, service)
  const browsers = Array.from({ length: 4 }, (_, index) => balanced(index % 2 ? urls : [...urls].reverse()))
  for (const each of browsers) await service.text((await each.post('/sign-in/text/start', {}))[1], NUMBER)
  for (const each of browsers) await settled(() => each.post('/sign-in/text/status'))
  const answers = await Promise.all(browsers.map((each) => each.post('/sign-in/text/finish', {})))
  assert.deepEqual(answers.map(([status]) => status), [200, 200, 200, 200], JSON.stringify(answers))
  assert.equal(new Set(answers.map(([, { user }]) => user.id)).size, 1)
})

serviceTest('a phone logs its user in, and its text then opens nothing', async (t) => {
  const service = await startService(t)
  const { urls } = await startTwo(t, service)
  const zoe = balanced(urls)
  const [, started] = await zoe.post('/sign-in/text/start', {})
  await service.text(started, NUMBER)
  const [, { user }] = await settled(() => zoe.post('/sign-in/text/finish', {}))
  const attacker = balanced(urls)
  await service.text((await attacker.post('/sign-in/text/start', {}))[1], NUMBER)
  assert.equal((await settled(() => attacker.post('/sign-in/text/finish', {})))[0], 200)

  const { url, apiKey, appKey } = service.options
  const client = new Countersign({ url, apiKey, appKey })
  const phone = new TestPhone(client, { userId: user.id })
  const { publicKey, signature } = phone.registration
  const strange = new TestPhone(client, { userId: 'somebody-else' })
  assert.equal((await zoe.post('/countersign/keys/register', { publicKey, signature: strange.registration.signature }))[1].code, 'PHONE_KEY_REFUSED')
  assert.equal((await zoe.post('/countersign/keys/register', { publicKey: strange.publicKey, signature: strange.registration.signature }))[1].code, 'PHONE_KEY_REFUSED')
  const [status, registered] = await zoe.post('/countersign/keys/register', { publicKey, signature })
  assert.deepEqual([status, registered.keyId], [200, phone.keyId])
  assert.equal((await zoe.post('/countersign/keys/register', { publicKey, signature }))[0], 200, 'the same key again')
  assert.equal((await zoe.user()).id, user.id)
  assert.equal(await attacker.user(), undefined, 'a session that a text had opened before')
  const { json: keys } = await zoe.send('/countersign/keys/list', { method: 'GET' })
  assert.deepEqual(keys.map(({ keyId, ...others }) => [keyId, Object.keys(others)]), [[phone.keyId, ['createdAt']]])

  await service.text((await attacker.post('/sign-in/text/start', {}))[1], NUMBER)
  assert.equal((await settled(() => attacker.post('/sign-in/text/finish', {})))[1].code, 'STRONGER_SIGN_IN_REQUIRED')

  const page = await Page.open(balanced(urls), client)
  const detail = await (await phone.open(page.link)).confirm()
  for (const [name, changed] of [
    ['without the payload', { ...detail, payload: `${detail.payload}x` }],
    ['with another salt', { ...detail, salt: detail.salt.replace(/^./, (first) => first === 'A' ? 'B' : 'A') }],
    ['of another session', { ...detail, sessionId: detail.sessionId.replace(/.$/, (last) => last === '0' ? '1' : '0') }],
  ]) {
    assert.deepEqual((await page.browser.post('/sign-in/code/finish', changed))[1].code, 'LOGIN_REFUSED', name)
  }
  assert.equal((await balanced(urls).post('/sign-in/code/finish', detail))[0], 403, 'another browser, even with everything')
  const stolen = await Page.open(balanced(urls), client)
  assert.equal((await stolen.browser.post('/sign-in/code/finish', detail))[0], 403, 'a browser with another login')
  const answers = await Promise.all(Array.from({ length: 6 }, () => page.browser.post('/sign-in/code/finish', detail)))
  assert.deepEqual(answers.map(([code]) => code).sort(), [200, ...Array(5).fill(403)])
  assert.equal((await page.browser.user()).id, user.id)

  assert.equal((await attacker.post('/countersign/keys/revoke', { keyId: phone.keyId }))[0], 401)
  const other = await Page.open(balanced(urls), client)
  const late = await (await phone.open(other.link)).confirm()
  assert.equal((await zoe.post('/countersign/keys/revoke', { keyId: phone.keyId }))[0], 200)
  assert.equal((await zoe.post('/countersign/keys/revoke', { keyId: phone.keyId }))[0], 404)
  assert.equal((await other.browser.post('/sign-in/code/finish', late))[1].code, 'LOGIN_REFUSED', 'a revoked key')
})

serviceTest('a key that no user has registered is refused', async (t) => {
  const service = await startService(t)
  const { urls } = await startTwo(t, service)
  const { url, apiKey, appKey } = service.options
  const client = new Countersign({ url, apiKey, appKey })
  const page = await Page.open(balanced(urls), client)
  const stranger = new TestPhone(client, { userId: 'stranger' })
  await stranger.register()
  const detail = await (await stranger.open(page.link)).confirm()
  assert.equal((await page.browser.post('/sign-in/code/finish', detail))[1].code, 'LOGIN_REFUSED')
  assert.equal(await page.browser.user(), undefined)
})

/** A page with a code: what `<countersign-login start>` does. */
class Page {
  static async open(browser, client) {
    const { generateKeyPairSync, randomBytes } = await import('node:crypto')
    const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
    const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
    const own = { browserToken: randomBytes(32).toString('base64url'), browserPublicKey: point.toString('base64url') }
    const [status, started] = await browser.post('/sign-in/code/start', own)
    assert.equal(status, 200, JSON.stringify(started))
    // The page joins with its token and key, and gets the link.
    const { url } = await client.logins.create({ ...own, origin: 'http://localhost:3000' })
    return Object.assign(new Page(), { browser, link: url, sessionId: started.sessionId })
  }
}
