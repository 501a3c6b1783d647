// Logins in a browser with the real server: their outcomes, and the events that the page receives.

import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'

import { assertAccessible } from './support/axe.mjs'
import { openLogin } from './support/login.mjs'
import { keep } from './support/page.mjs'
import { SimplePhone } from './support/simple-phone.mjs'
import { pageWith, startSite } from './support/site.mjs'
import { overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()

/** Opens a page with the element, on the site that the app lists. */
const open = ({ browser, server, site }, page = {}, options = {}) => (
  openLogin(browser, server, site.put(pageWith(server, page), page.headers), options)
)

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
  const { salt, ...detail } = await login.getsConfirmed()
  assert.match(salt, /^[\w-]{22}$/)
  assert.deepEqual(detail, { sessionId, payload, proof: null }, 'this phone has no association key')
  await login.sees('Confirmed')
  assert.equal(await login.link(), null)
  await keep(login.page, 'login-confirmed')
  await login.getsNothing()
  await login.close()
})

loginTest('page decides whether a confirmed login is shown as one', async (own) => {
  const login = await open(own)
  await login.code.waitFor()
  await login.element.evaluate((element) => {
    element.addEventListener('confirmed', (event) => event.preventDefault())
  })
  const confirm = async () => {
    const { code, err } = await login.phone(await login.shownLink(), '--confirm')
    assert.equal(code, 0, err)
    await login.gets('scanned')
    await login.getsConfirmed()
    await login.sees('Confirmed. One moment…')
  }
  await confirm()
  await login.element.evaluate((element) => element.reject('This account is <b>locked</b>.'))
  await login.sees('This account is <b>locked</b>.')
  await assertAccessible(login.page, 'a rejected login')
  await keep(login.page, 'login-rejected')

  await login.page.getByRole('button', { name: 'Show a new code' }).click()
  await confirm()
  await login.element.evaluate((element) => element.accept())
  await login.sees('Confirmed')
  await login.element.evaluate((element) => element.reject())
  await login.sees('The login did not work')
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
  await login.sees('Stopped to keep you safe: a second phone opened the code, or the login looked risky')
  await keep(login.page, 'login-blocked')
  await login.getsNothing()
  await login.close()
})

loginTest('page gets the proof that the phone signed, with the salt that ties it to the payload', async (own) => {
  const made = await own.server.phone('keys', 'create', '--public-user-id', 'ada', '--json')
  assert.equal(made.code, 0, made.err)
  const { keyId, publicKey } = JSON.parse(made.out)
  const login = await open(own)
  const answer = ['--confirm', '--payload', 'signed ✓', '--public-user-id', 'ada']
  const { code, err } = await login.phone(await login.shownLink(), ...answer)
  assert.equal(code, 0, err)
  await login.gets('scanned')
  const { payload, proof, salt, sessionId } = await login.getsConfirmed()

  const [header, claims, signature] = proof.split('.')
  const parsed = (part) => JSON.parse(Buffer.from(part, 'base64url').toString())
  assert.deepEqual(parsed(header), { alg: 'ES256', typ: 'countersign-login+jwt', kid: keyId })
  const spki = createPublicKey({ key: publicKey, format: 'der', type: 'spki', encoding: 'base64' })
  const key = { key: spki, dsaEncoding: 'ieee-p1363' }
  assert.ok(verify('sha256', `${header}.${claims}`, key, Buffer.from(signature, 'base64url')))
  const { exp, iat, pay, ...rest } = parsed(claims)
  const { demo: { appKey } } = own.server
  assert.deepEqual(rest, { app: appKey, aud: own.site.url, jti: sessionId, act: 'confirm', sub: 'ada' })
  assert.equal(exp - iat, 300)
  const hash = createHash('sha256').update('countersign/pay/1\0')
  hash.update(Buffer.from(salt, 'base64url')).update(payload)
  assert.equal(pay, hash.digest('base64url'))
  assert.equal(payload, 'signed ✓')
  await login.close()
})

loginTest('readable payload is refused if the page gave a key', async (own) => {
  const login = await open(own)
  const phone = new SimplePhone(own.server, await login.shownLink())
  await phone.initiate()
  const { status, text } = await phone.confirm({ payload: 'in the clear' })
  assert.equal(status, 422, text)
  assert.equal(JSON.parse(text).code, 'payload_unsuitable')
  await login.gets('scanned')
  await login.getsNothing()
  await login.close()
})

loginTest('request for a login whose answer is lost is repeated, and opens one login', async (own) => {
  const asked = []
  const prepare = (page) => page.route(/\/qr-sessions$/, async (route) => {
    const request = route.request()
    if (request.method() !== 'POST') return route.continue()
    asked.push([request.headers().authorization, request.postData()])
    if (asked.length > 1) return route.continue()
    await route.fetch()
    return route.abort('connectionreset')
  })
  const login = await open(own, {}, { prepare })
  const link = await login.scan('the code of a repeated creation')
  assert.equal(asked.length, 2)
  assert.deepEqual(asked[0], asked[1])
  const { code, err } = await login.phone(link, '--confirm', '--payload', 'x')
  assert.equal(code, 0, err)
  await login.gets('scanned')
  assert.equal((await login.getsConfirmed()).payload, 'x')
  await login.close(/ERR_CONNECTION_RESET/)
})

loginTest('payload whose answer is lost is fetched again with the same receipt', async (own) => {
  const receipts = []
  const prepare = (page) => page.route(/\/redeem$/, async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    receipts.push(route.request().postDataJSON())
    if (receipts.length > 1) return route.continue()
    await route.fetch()
    return route.abort('connectionreset')
  })
  const login = await open(own, {}, { prepare })
  const { code, err } = await login.phone(await login.shownLink(), '--confirm', '--payload', 'twice')
  assert.equal(code, 0, err)
  await login.gets('scanned')
  assert.equal((await login.getsConfirmed()).payload, 'twice')
  assert.equal(receipts.length, 2)
  assert.deepEqual(receipts[0], receipts[1])
  assert.match(receipts[0].receipt, /^[\w-]{22,43}$/)
  await login.close(/ERR_CONNECTION_RESET/)
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
  await login.gets('scanned')
  assert.equal((await login.getsConfirmed()).payload, 'x')
  await keep(login.page, 'login-strict-policy')
  await login.close()
})
