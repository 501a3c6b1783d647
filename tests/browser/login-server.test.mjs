// The login element on a page whose server opens the logins.

import assert from 'node:assert/strict'

import { openLogin } from './support/login.mjs'
import { ask } from './support/server.mjs'
import { pageWith } from './support/site.mjs'
import { overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()

/** Sets who may open logins for the duration of a test. */
async function loginsFrom(server, who) {
  assert.equal((await server.run('app', 'update', 'demo', '--logins-from', who)).code, 0)
}

/** Answers `/login/start` like the page's server: it opens the login with its API key. */
async function startLogins({ server, site }, page) {
  await page.route('**/login/start', async (route) => {
    const { browserToken, ...body } = route.request().postDataJSON()
    const headers = {
      'x-api-key': server.demo.apiKey,
      authorization: `Bearer ${browserToken}`,
      'content-type': 'application/json',
    }
    const request = { method: 'POST', headers, body: JSON.stringify({ ...body, origin: site.url }) }
    const answer = await ask(`${server.url}/qr-sessions`, request)
    await route.fulfill({ status: answer.status === 200 ? 204 : answer.status })
  })
}

loginTest('page asks its own server, and decrypts the payload itself', async (own) => {
  const { browser, server, site } = own
  await loginsFrom(server, 'server')
  try {
    const url = site.put(pageWith(server, { attributes: 'start="/login/start"' }))
    const login = await openLogin(browser, server, url, { prepare: (page) => startLogins(own, page) })
    const link = await login.shownLink()
    const { code, err, said } = await login.phone(link, '--confirm', '--payload', 'from the phone')
    assert.equal(code, 0, err)
    // The page has joined the login, so the phone shows the user's browser and not the server.
    assert.match(said.session.mobileTemplateResponse.userAgent.name, /Chrome/)
    const { sessionId } = await login.gets('scanned')
    assert.ok(link.endsWith(sessionId))
    assert.equal((await login.getsConfirmed()).payload, 'from the phone')
    await login.getsNothing()
    await login.close()
  } finally {
    await loginsFrom(server, 'pages')
  }
})

loginTest('page that opens logins itself learns what to change', async ({ browser, server, site }) => {
  await loginsFrom(server, 'server')
  try {
    const login = await openLogin(browser, server, site.put(pageWith(server)))
    const { code, remedy } = await login.gets('error')
    assert.equal(code, 'login_server_only')
    assert.ok(remedy.endsWith('countersign app update APP --logins-from pages'), remedy)
    await login.sees('The login did not work')
    await login.close(/status of 403/)
  } finally {
    await loginsFrom(server, 'pages')
  }
})

loginTest('route that refuses is named', async ({ browser, server, site }) => {
  const prepare = (page) => page.route('**/login/start', (route) => route.fulfill({ status: 403, json: {} }))
  const url = site.put(pageWith(server, { attributes: 'start="/login/start"' }))
  const login = await openLogin(browser, server, url, { prepare })
  const { code, remedy } = await login.gets('error')
  assert.equal(code, 'start_refused')
  assert.ok(remedy.includes('POST /login/start'), remedy)
  await login.close(/status of 403/)
})
