// A phone without an app, with the real server: one profile is the desktop, the other the phone.

import assert from 'node:assert/strict'

import { assertAccessible } from './support/axe.mjs'
import { openLogin } from './support/login.mjs'
import { fits, keep, openWindow } from './support/page.mjs'
import { ALGORITHMS, openPhone } from './support/phone-fake.mjs'
import { ask } from './support/server.mjs'
import { pageWith } from './support/site.mjs'
import { overTheServer } from './support/suite.mjs'
import { App } from './support/web-phone.mjs'

const own = {}
const overServer = overTheServer()
const phoneTest = (name, run) => overServer(name, async (all) => {
  own.app = new App(all)
  Object.assign(own, all)
  await own.app.settings('--web-phone', 'on', '--web-phone-key', 'any', '--phone-setup-url', `${all.site.url}/phones`)
  await run({ ...all, app: own.app })
})

/** The phone's browser. */
const openBrowser = (options) => openPhone(own.browser, [own.app.linkHost, own.server.url, own.site.url], options)

const tap = (phone, action) => phone.page.locator(`[data-scene]:not(.off) [data-action=${action}]`).click()

/** Opens a link on the phone, makes its key and tries it. Returns the digits. */
async function makeKey(phone, url) {
  await phone.page.goto(url)
  for (const action of ['begin', 'make', 'try']) await tap(phone, action)
  await phone.page.locator('main[data-shown=digits]').waitFor()
  return phone.page.locator('[data-field=digits]').innerText()
}

/** Sets a phone up for a user. */
async function setUp(phone, user) {
  const registration = await own.app.register(user)
  await own.app.sendDigits(registration, await makeKey(phone, registration.url))
  await phone.page.locator('main[data-shown=done]').waitFor()
}

/** Opens a link on the phone, and confirms once that is possible. */
async function confirm(phone, link) {
  await phone.page.goto(link)
  await phone.page.locator('main[data-shown=ask]').waitFor()
  await phone.page.locator('.scroll').evaluate((part) => { part.scrollTop = part.scrollHeight })
  await phone.page.locator('[data-action=confirm]:enabled').click()
}

/** Deletes what the browser keeps for the link host. Passkeys survive that. */
async function forgetEverything(phone) {
  await phone.page.evaluate(async () => {
    for (const { name } of await indexedDB.databases()) {
      await new Promise((resolve) => { indexedDB.deleteDatabase(name).onsuccess = resolve })
    }
  })
}

for (const kind of ['browser', 'passkey']) {
  const options = { passkeys: kind === 'passkey' }

  phoneTest(`phone with a ${kind} key is set up, logs in, and approves 49 EUR`, async ({ app, browser, server, site }) => {
    const { countersign } = app
    const user = `zoe-${kind}`
    const registration = await app.register(user, 'Zoe')
    const desktop = await app.openSetup(registration)
    assert.equal(await desktop.readCode('the set-up'), registration.url)
    await assertAccessible(desktop.page, 'set-up')
    await keep(desktop.page, `web-phone-element-${kind}`)
    const phone = await openBrowser(options)
    await phone.page.goto(registration.url)
    await phone.sees('Set up this phone for demo')
    await tap(phone, 'begin')
    await phone.page.locator('[data-scene=account]').getByText('Zoe').waitFor()
    const { browser: device } = await desktop.gets('opened')
    assert.match(device, /Chrom/)
    await desktop.page.getByText(/^Opened with .*Chrom/).waitFor()
    await tap(phone, 'make')
    await tap(phone, 'try')
    await phone.sees(/^Type these two digits/)
    const digits = await phone.page.locator('[data-field=digits]').innerText()
    await desktop.sees('Type the two digits that your phone shows')
    await desktop.typeDigits(digits === '00' ? '01' : '00')
    await desktop.sees('These are not the digits on the phone. Two tries left.')
    await assertAccessible(desktop.page, 'digits')
    await fits(desktop.page)
    await keep(desktop.page, `web-phone-element-digits-${kind}`)
    await desktop.typeDigits(digits)
    assert.deepEqual(await desktop.gets('completed'), { registrationId: registration.registrationId })
    await desktop.sees('The phone is set up')
    await phone.sees('This phone is set up')
    const [key] = await app.keysOf(user)
    assert.equal(key.kind, kind)
    if (kind === 'passkey') assert.deepEqual([key.rpId, key.origin, key.synced], ['localhost', app.linkHost, true])
    await desktop.close(/status of 40\d/)

    // The login of the quickstart, whose phone is a browser.
    const login = await openLogin(browser, server, site.put(pageWith(server)))
    await confirm(phone, await login.scan('the login'))
    await login.gets('scanned')
    const answer = await login.getsConfirmed()
    await phone.sees('You have confirmed')
    await login.close()
    const findKey = (keyId) => keyId === key.keyId && { ...key, userId: user }
    const verified = await countersign.logins.verify(answer, { origin: site.url, findKey })
    assert.deepEqual(verified, { userId: user, keyId: key.keyId })

    const context = 'Pay 49 EUR\nto Bücher GmbH'
    const { id, session } = await countersign.approvals.start({ origin: site.url, context, userId: user })
    await phone.page.goto(session.url)
    await phone.page.locator('[data-field=context]').getByText('Pay 49 EUR').waitFor()
    await keep(phone.page, `web-phone-payment-${kind}`, { fullPage: false })
    await confirm(phone, session.url)
    await phone.sees('You have confirmed')
    const result = await countersign.approvals.result(id)
    assert.deepEqual([result.status, result.userId, result.context, result.keyId], ['approved', user, context, key.keyId])
    if (kind === 'passkey') {
      await forgetEverything(phone)
      const after = await countersign.approvals.start({ origin: site.url, context, userId: user })
      await phone.page.goto(after.session.url)
      await phone.press('I have set it up before')
      await phone.page.locator('main[data-shown=ask]').waitFor()
      await phone.page.locator('.scroll').evaluate((part) => { part.scrollTop = part.scrollHeight })
      await phone.page.locator('[data-action=confirm]:enabled').click()
      await phone.sees('You have confirmed')
      assert.equal((await countersign.approvals.result(after.id)).status, 'approved')
    }
    // Another user's phone cannot approve it, and a revoked key nothing.
    const other = await countersign.approvals.start({ origin: site.url, context, userId: 'yan' })
    await phone.page.goto(other.session.url)
    await phone.sees('This request is for another account')
    await app.api('DELETE', `/association-keys/${key.keyId}`)
    const late = await countersign.approvals.start({ origin: site.url, context, userId: user })
    await confirm(phone, late.session.url)
    await phone.sees('This phone is not set up for demo')
    if (kind === 'passkey') {
      // The next set-up lets the browser forget the revoked passkey.
      const revoked = (await phone.credentials()).map(({ credentialId }) => credentialId)
      assert.equal(revoked.length, 1)
      await phone.page.goto((await app.register(user)).url)
      await tap(phone, 'begin')
      await phone.sees('Is this your account?')
      assert.deepEqual(await phone.credentials(), [])
    }
    await phone.close(ALGORITHMS, /status of 40\d/)
  })

  phoneTest(`second phone, and a link that was used: ${kind}`, async ({ app }) => {
    const registration = await app.register('yan')
    const phone = await openBrowser(options)
    await phone.page.goto(registration.url)
    await tap(phone, 'begin')
    await phone.sees('Is this your account?')
    const other = await openBrowser(options)
    await other.page.goto(registration.url)
    await tap(other, 'begin')
    await other.sees('Another phone has opened this link')
    await other.close(/status of 409/)
    await setUp(phone, `yan-${kind}`)
    await phone.page.goto('about:blank')
    await phone.close(ALGORITHMS)
  })
}

phoneTest('second profile logs in to the playground', async ({ browser, server }) => {
  const phone = await openBrowser({ passkeys: false })
  await setUp(phone, 'zoe-playground')
  const window = await openWindow(browser, [server.url])
  await window.page.goto(`${server.url}/#login`)
  const login = window.page.locator('countersign-login')
  await login.getByRole('link', { name: 'Open on this device' }).waitFor()
  await confirm(phone, await login.evaluate((element) => element.link))
  await phone.sees('You have confirmed')
  await login.getByText('Confirmed', { exact: true }).waitFor()
  await Promise.all([phone.close(), window.close()])
})

phoneTest('page in a frame of another site is refused', async ({ app, browser, site }) => {
  const { url } = await app.register('zoe')
  for (const address of [url, `${app.linkHost}/?sessionId=qrs_${'0'.repeat(32)}`]) {
    const window = await openWindow(browser, [site.url, app.linkHost])
    await window.page.goto(site.put(`<!doctype html><title>Frame</title><link rel="icon" href="data:,"><iframe src="${address}"></iframe>`))
    const frame = window.page.frames()[1]
    assert.ok(!await frame.evaluate(() => document.querySelector('main')).catch(() => null))
    await window.close(/frame-ancestors|X-Frame-Options|chrome-error|ERR_BLOCKED_BY_RESPONSE/)
  }
})

phoneTest('other hosts, and apps that do not want it, have no such pages', async ({ app, server }) => {
  const { port } = new URL(server.url)
  const get = async (path, host) => (await ask(server.url + path, { headers: { host } }))
  assert.equal((await get('/phone-setup', `127.0.0.1:${port}`)).status, 404)
  const page = await get('/phone-setup', `localhost:${port}`)
  assert.equal(page.status, 200)
  assert.match(page.headers['content-security-policy'], /frame-ancestors 'none'/)
  assert.equal(page.headers['referrer-policy'], 'no-referrer')
  const link = `/?sessionId=qrs_${'0'.repeat(32)}`
  assert.match((await get(link, `localhost:${port}`)).text, /data-page="confirm"/)
  await app.settings('--web-phone', 'off')
  assert.equal((await get('/phone-setup', `localhost:${port}`)).status, 404)
  assert.doesNotMatch((await get(link, `localhost:${port}`)).text, /data-page="confirm"/)
})
