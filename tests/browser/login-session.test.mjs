// The login element with a login that the page's server opened, to have something approved. The server, which has the
// API key, reads the outcome; the page can only watch and show.

import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'

import { devices } from 'playwright-core'

import { assertAccessible } from './support/axe.mjs'
import { openLogin } from './support/login.mjs'
import { fits, keep } from './support/page.mjs'
import { ask } from './support/server.mjs'
import { overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()

const CONTEXT = 'Pay 20 EUR to Zoë'

/** A page with the element, without an app key. */
const page = (server, attributes = '', children = '') => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>A shop</title>
    <link rel="icon" href="data:,">
    <script type="module" src="${server.url}/widget.js"></script>
  </head>
  <body><main><h1>Pay</h1><countersign-login app-name="Shop 24" ${attributes}>${children}</countersign-login></main></body>
</html>
`

/**
 * Opens a login from the shop's server, and returns what the server passes to its page. The libraries do the same.
 */
async function approval({ server, site }) {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  const key = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  const browserToken = randomBytes(32)
  const opened = await ask(`${server.url}/qr-sessions`, {
    method: 'POST',
    headers: {
      'x-api-key': server.demo.apiKey,
      'authorization': `Bearer ${browserToken.toString('base64url')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ browserPublicKey: key.toString('base64url'), origin: site.url, context: CONTEXT }),
  })
  assert.equal(opened.status, 200, opened.text)
  const token = createHash('sha256').update('countersign/login-page-token/1\0').update(browserToken).digest('base64url')
  return { ...opened.json(), token }
}

/** Sends a request as the shop's server does. */
const asServer = ({ server }, { sessionId }, method = 'GET') => (
  ask(`${server.url}/qr-sessions/${sessionId}`, { method, headers: { 'x-api-key': server.demo.apiKey } })
)

const checkCodes = async ({ server }, on) => {
  const { code, err } = await server.run('app', 'update', 'demo', '--check-code', on ? 'on' : 'off')
  assert.equal(code, 0, err)
}

/** Confirms with a phone that has a key. An approval requires the proof. */
async function confirm(own, login) {
  const user = ['--public-user-id', 'zoe']
  const made = await own.server.phone('keys', 'create', '--if-absent', ...user)
  assert.equal(made.code, 0, made.err)
  const { code, said, err } = await login.phone(await login.shownLink(), '--confirm', '--payload', 'approved', ...user)
  assert.equal(code, 0, err)
  return said
}

const open = ({ browser, server, site }, options) => openLogin(browser, server, site.put(page(server)), options)

const set = (login, session) => login.element.evaluate((element, session) => { element.session = session }, session)

loginTest('page shows an approval and learns its outcome, also after a reload, and the server reads it', async (own) => {
  await checkCodes(own, false)
  const session = await approval(own)
  const login = await open(own)
  await set(login, session)
  const link = await login.scan('an approval')
  assert.equal(link, session.url)
  await login.sees('Open \u2068Shop 24\u2069 on your phone')
  assert.deepEqual(await login.element.getByRole('button').allInnerTexts(), [], 'nothing listens for renew')
  await assertAccessible(login.page, 'an approval')
  await fits(login.page)
  await keep(login.page, 'approval')
  await confirm(own, login)
  const { sessionId } = session
  assert.deepEqual(await login.gets('scanned'), { sessionId })
  assert.deepEqual(await login.getsConfirmed(), { sessionId, payload: null, proof: null, salt: null })
  await login.sees('Confirmed')
  await keep(login.page, 'approval-confirmed')

  await login.page.reload()
  await set(login, session)
  assert.deepEqual(await login.gets('scanned'), { sessionId })
  await login.getsConfirmed()
  const { state, proof } = (await asServer(own, session)).json()
  assert.equal(state, 'confirmed', 'the page has redeemed nothing')
  assert.equal(JSON.parse(Buffer.from(proof.split('.')[1], 'base64url')).ctx, createHash('sha256').update(`countersign/ctx/1\0${CONTEXT}`).digest('base64url'))
  await login.close()
})

loginTest('approval in an attribute goes on when its page is left, and a new one replaces it when the user asks', async (own) => {
  const session = await approval(own)
  const { browser, server, site } = own
  const login = await openLogin(browser, server, site.put(page(server, `session='${JSON.stringify(session)}'`)))
  assert.equal(await login.shownLink(), session.url)
  await login.page.goto(site.put(page(server)))
  assert.equal((await asServer(own, session)).json().state, 'created')
  await set(login, session)
  assert.equal(await login.shownLink(), session.url)
  await login.element.evaluate((element) => element.addEventListener('renew', () => {}))
  await asServer(own, session, 'DELETE')
  await login.gets('cancelled')
  await login.sees('The request was cancelled')
  await keep(login.page, 'approval-cancelled')
  await login.page.getByRole('button', { name: 'Try again' }).click()
  await login.gets('renew')
  const other = await approval(own)
  await set(login, other)
  await login.page.waitForFunction(() => document.querySelector('countersign-login').link)
  assert.equal(await login.link(), other.url)
  await set(login, null)
  await login.page.waitForFunction(() => document.querySelector('countersign-login').link === null)
  assert.equal((await asServer(own, other)).json().state, 'created', 'taking the session away cancels nothing')
  await login.close()
})

loginTest('approval with digits is confirmed once they are right', async (own) => {
  await checkCodes(own, true)
  const session = await approval(own)
  const login = await open(own)
  await set(login, session)
  const said = await confirm(own, login)
  await login.gets('scanned')
  const field = login.page.getByRole('textbox')
  await field.waitFor()
  await field.fill(said.checkCode === '10' ? '21' : '10')
  await field.press('Enter')
  await login.sees('These are not the digits on your phone. Two tries left.')
  await keep(login.page, 'approval-wrong-digits')
  await assertAccessible(login.page, 'an approval with wrong digits')
  await field.fill(said.checkCode)
  await field.press('Enter')
  await login.getsConfirmed()
  assert.equal((await asServer(own, session)).json().state, 'consumed')
  await login.close(/status of 403/)
  await checkCodes(own, false)
})

loginTest('phone shows the button, and a code on demand for the same approval', async (own) => {
  const session = await approval(own)
  const login = await open(own, devices['Pixel 7'])
  await set(login, session)
  await login.sees('Approve this with the \u2068Shop 24\u2069 app on this phone')
  await keep(login.page, 'approval-phone')
  await login.page.getByRole('button', { name: 'Show a code instead' }).click()
  assert.equal(await login.scan('an approval on a phone'), session.url)
  await assertAccessible(login.page, 'an approval on a phone')
  await login.phone(session.url, '--deny')
  await login.gets('scanned')
  await login.gets('denied')
  await login.sees('Denied on the phone')
  await login.close()
})

loginTest('page without an app key that sets its session late is no error', async (own) => {
  const login = await open(own, { prepare: (page) => page.clock.install() })
  await login.element.evaluate((element) => element.addEventListener('renew', () => {}))
  await login.page.clock.fastForward(30_000)
  await login.getsNothing()
  const session = await approval(own)
  await set(login, session)
  assert.equal(await login.shownLink(), session.url)
  await login.close()
})

loginTest('unreadable session is an error that names the member, and the attribute stays out of the console', async (own) => {
  const { token, ...rest } = await approval(own)
  const login = await open(own)
  await set(login, rest)
  const { code, message } = await login.gets('error')
  assert.deepEqual([code, message], ['bad_session', 'The session\'s token is missing or wrong.'])
  await login.sees('The approval did not work')
  await login.close()
})

loginTest('return of an app for another login of the page does not start an approval again', async (own) => {
  const session = await approval(own)
  const login = await open(own)
  await set(login, session)
  await login.opensOnly(await login.shownLink())
  await login.gets('scanned')
  const polled = () => login.page.waitForResponse((response) => response.url().endsWith(session.sessionId))
  await login.page.evaluate(() => { location.hash = `countersign=qrs_${'0'.repeat(32)}.${'A'.repeat(43)}` })
  for (let count = 0; count < 2; count += 1) await polled()
  await login.sees('Scanned. Look at your phone.')
  await login.getsNothing()
  await login.close()
})
