// Logins in a browser, over the real server: how they end, and what the page is told.

import assert from 'node:assert/strict'

import { openLogin } from './support/login.mjs'
import { keep } from './support/page.mjs'
import { ask } from './support/server.mjs'
import { pageWith, startSite } from './support/site.mjs'
import { overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()

/** A page of the listed site, with the element. */
const open = ({ browser, server, site }, page = {}, options = {}) => (
  openLogin(browser, server, site.put(pageWith(server, page), page.headers), options)
)

/** A phone that reads no more of a link than `sessionId`, as apps did before there were keys. */
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

loginTest('a phone scans the code and confirms, and the page gets the payload, encrypted for it', async (own) => {
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

loginTest('a phone denies', async (own) => {
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

loginTest('a second phone stops the login', async (own) => {
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

loginTest('what a phone sends that knows of no key is handed over, and said to be readable', async (own) => {
  const login = await open(own)
  await simplePhone(own.server, await login.shownLink(), 'in the clear')
  const { sessionId } = await login.gets('scanned')
  const detail = { sessionId, payload: 'in the clear', encrypted: false }
  assert.deepEqual(await login.gets('confirmed'), detail)
  await login.close()
})

loginTest('a page that wants encryption takes nothing else', async (own) => {
  const login = await open(own, { attributes: 'require-encryption' })
  await simplePhone(own.server, await login.shownLink(), 'in the clear')
  await login.gets('scanned')
  const { code, message } = await login.gets('error')
  assert.equal(code, 'not_encrypted')
  assert.ok(!message.includes('in the clear'))
  await login.sees('The login did not work')
  await login.close()
})

loginTest('events leave the shadow roots of a page', async (own) => {
  const inShadow = (element) => `<shop-door><template shadowrootmode="open">${element}</template></shop-door>`
  const login = await open(own, { body: inShadow })
  const { code, err } = await login.phone(await login.scan('a code in a shadow root'), '--confirm')
  assert.equal(code, 0, err)
  await login.gets('scanned')
  await login.gets('confirmed')
  await login.close()
})

loginTest('a page gives up, and no phone can confirm any more', async (own) => {
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

  // There is nothing left to give up.
  await login.element.evaluate((element) => element.cancel())
  await login.getsNothing()
  await login.close()
})

loginTest('a page gives up after the scan', async (own) => {
  const login = await open(own)
  await login.opensOnly(await login.shownLink())
  await login.gets('scanned')
  await login.element.evaluate((element) => element.cancel())
  await login.gets('cancelled')
  await login.getsNothing()
  await login.close()
})

loginTest('an element that is removed gives up without a word, and one that is moved goes on', async (own) => {
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

loginTest('a page that the app does not list gets an error', async ({ browser, server }) => {
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

loginTest('an element that lacks its key says so', async (own) => {
  const login = await open(own, { body: () => '<countersign-login></countersign-login>' })
  const { code } = await login.gets('error')
  assert.equal(code, 'app_key_missing')
  await login.element.evaluate((element, key) => element.setAttribute('app-key', key), own.server.demo.appKey)
  await login.shownLink()
  await login.getsNothing()
  await login.close()
})

loginTest('a page with a strict policy needs to name the service alone', async (own) => {
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
