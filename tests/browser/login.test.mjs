// Logins in a browser with the real server: their outcomes, and the events that the page receives.

import assert from 'node:assert/strict'

import { openLogin } from './support/login.mjs'
import { keep } from './support/page.mjs'
import { ask } from './support/server.mjs'
import { pageWith, startSite } from './support/site.mjs'
import { overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()

/** Opens a page with the element, on the site that the app lists. */
const open = ({ browser, server, site }, page = {}, options = {}) => (
  openLogin(browser, server, site.put(pageWith(server, page), page.headers), options)
)

/** Confirms as a phone that only reads `sessionId` from the link and ignores the browser's key. */
async function simplePhone(server, link, payload) {
  const { search, searchParams } = new URL(link)
  assert.ok(search)
  const path = `${server.url}/qr-sessions/${searchParams.get('sessionId')}`
  const headers = {
    'authorization': `Bearer ${Buffer.alloc(32, 7).toString('base64url')}`,
    'content-type': 'application/json',
    'x-app-key': server.demo.appKey,
  }
  const opened = await ask(`${path}/initiate`, { method: 'POST', headers, body: '{}' })
  assert.equal(opened.status, 200, opened.text)
  const body = JSON.stringify({ payload })
  const confirmed = await ask(`${path}/confirm`, { method: 'POST', headers, body })
  assert.equal(confirmed.text, 'true')
}

loginTest('page gets the encrypted payload after a phone scans and confirms', async (own) => {
  const login = await open(own)
  const link = await login.scan('the code of a login')
  await keep(login.page, 'login-code')
  const payload = '{"token":"ünïcode ✓"}'
  const { code, said, err } = await login.phone(link, '--confirm', '--payload', payload, '--public-user-id', 'zoe')
  assert.equal(code, 0, err)
  assert.equal(said.decision, 'confirmed')
  assert.equal(said.origin, own.site.url)
  const { sessionId } = await login.gets('scanned')
  assert.equal(sessionId, new URL(link).searchParams.get('sessionId'))
  assert.deepEqual(await login.gets('confirmed'), { sessionId, payload, encrypted: true })
  await login.sees('Confirmed')
  assert.equal(await login.link(), null)
  await keep(login.page, 'login-confirmed')
  await login.getsNothing()
  await login.close()
})

loginTest('page learns that the phone denied, and can try again', async (own) => {
  const login = await open(own)
  const link = await login.scan('the code of a login')
  const { code, said, err } = await login.phone(link, '--deny')
  assert.equal(code, 0, err)
  assert.equal(said.decision, 'denied')
  await login.gets('scanned')
  assert.equal(await login.gets('denied'), null)
  await login.sees('The login was denied on the phone')
  await keep(login.page, 'login-denied')

  await login.page.getByRole('button', { name: 'Try again' }).click()
  assert.notEqual(await login.shownLink(), link)
  await login.getsNothing()
  await login.close()
})

loginTest('second phone blocks the login', async (own) => {
  const login = await open(own)
  const link = await login.shownLink()
  await login.opensOnly(link)
  await login.gets('scanned')
  await login.sees('Scanned. Look at your phone.')
  await keep(login.page, 'login-scanned')

  const second = await login.phone(link, '--confirm')
  assert.equal(second.code, 1)
  assert.match(second.err, /second_phone/)
  assert.equal(await login.gets('blocked'), null)
  await login.sees('The login was stopped to keep you safe')
  await keep(login.page, 'login-blocked')
  await login.getsNothing()
  await login.close()
})

loginTest('payload of a phone that does not encrypt is marked as not encrypted', async (own) => {
  const login = await open(own)
  await simplePhone(own.server, await login.shownLink(), 'in the clear')
  const { sessionId } = await login.gets('scanned')
  const detail = { sessionId, payload: 'in the clear', encrypted: false }
  assert.deepEqual(await login.gets('confirmed'), detail)
  await login.close()
})

loginTest('page that requires encryption gets an error for an unencrypted payload', async (own) => {
  const login = await open(own, { attributes: 'require-encryption' })
  await simplePhone(own.server, await login.shownLink(), 'in the clear')
  await login.gets('scanned')
  const { code, message } = await login.gets('error')
  assert.equal(code, 'not_encrypted')
  assert.ok(!message.includes('in the clear'))
  await login.sees('The login did not work')
  await login.close()
})

loginTest('events cross the shadow roots of a page', async (own) => {
  const inShadow = (element) => `<shop-door><template shadowrootmode="open">${element}</template></shop-door>`
  const login = await open(own, { body: inShadow })
  const { code, err } = await login.phone(await login.scan('a code in a shadow root'), '--confirm')
  assert.equal(code, 0, err)
  await login.gets('scanned')
  await login.gets('confirmed')
  await login.close()
})

loginTest('cancelled login cannot be opened by a phone', async (own) => {
  const login = await open(own)
  const link = await login.shownLink()
  const told = login.page.waitForResponse((response) => response.request().method() === 'DELETE')
  await login.element.evaluate((element) => element.cancel())
  assert.equal(await login.gets('cancelled'), null)
  assert.equal((await told).status(), 204)
  await login.sees('The login was cancelled')
  assert.equal(await login.link(), null)
  const late = await login.phone(link, '--confirm')
  assert.equal(late.code, 1)
  assert.match(late.err, /session_ended/)
  await keep(login.page, 'login-cancelled')

  // Cancelling again has no effect.
  await login.element.evaluate((element) => element.cancel())
  await login.getsNothing()
  await login.close()
})

loginTest('page can cancel a scanned login', async (own) => {
  const login = await open(own)
  await login.opensOnly(await login.shownLink())
  await login.gets('scanned')
  await login.element.evaluate((element) => element.cancel())
  await login.gets('cancelled')
  await login.getsNothing()
  await login.close()
})

loginTest('removed element cancels its login without an event, and moved element keeps it', async (own) => {
  const login = await open(own)
  const link = await login.shownLink()
  await login.element.evaluate((element) => document.body.prepend(element))
  assert.equal(await login.scan('the code of an element that was moved'), link)

  const told = login.page.waitForResponse((response) => response.request().method() === 'DELETE')
  await login.element.evaluate((element) => element.remove())
  assert.equal((await told).status(), 204)
  const late = await login.phone(link, '--confirm')
  assert.match(late.err, /session_ended/)
  await login.getsNothing()
  await login.close()
})

loginTest('page of an unlisted origin gets an error', async ({ browser, server }) => {
  const stranger = await startSite()
  try {
    const login = await openLogin(browser, server, stranger.put(pageWith(server)))
    const { code, message } = await login.gets('error')
    assert.equal(code, 'origin_not_allowed')
    assert.match(message, /origin/)
    await login.sees('The login did not work')
    await keep(login.page, 'login-wrong-origin')
    await login.getsNothing()
    await login.close(/status of 403/)
  } finally {
    stranger.stop()
  }
})

loginTest('element without an app key reports an error until it gets one', async (own) => {
  const login = await open(own, { body: () => '<countersign-login></countersign-login>' })
  const { code } = await login.gets('error')
  assert.equal(code, 'app_key_missing')
  await login.element.evaluate((element, key) => element.setAttribute('app-key', key), own.server.demo.appKey)
  await login.shownLink()
  await login.getsNothing()
  await login.close()
})

loginTest('strict content security policy only needs to allow the service', async (own) => {
  const { server } = own
  const socket = server.url.replace('http', 'ws')
  const policy = `default-src 'none'; script-src ${server.url}; connect-src ${server.url} ${socket}; `
    + "img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
  const login = await open(own, { headers: { 'content-security-policy': policy } })
  const { code, err } = await login.phone(await login.scan('the code of a strict page'), '--confirm', '--payload', 'x')
  assert.equal(code, 0, err)
  const { sessionId } = await login.gets('scanned')
  assert.deepEqual(await login.gets('confirmed'), { sessionId, payload: 'x', encrypted: true })
  await keep(login.page, 'login-strict-policy')
  await login.close()
})
