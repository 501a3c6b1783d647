// Logins with expired codes, a broken network, or no socket.

import assert from 'node:assert/strict'

import { openLogin } from './support/login.mjs'
import { keep } from './support/page.mjs'
import { pageWith } from './support/site.mjs'
import { overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()

/** The times at which a code is replaced and expires, in ms: a code can be scanned for a minute. */
const REPLACED = 55_000
const OVER = 60_000

const open = ({ browser, server, site }, options) => (
  openLogin(browser, server, site.put(pageWith(server)), options)
)

/** Installs a clock in the page that tests can advance. It also runs by itself. */
const onItsOwnClock = { prepare: (page) => page.clock.install() }

/** Waits for the response to a request of the element. */
const answered = ({ page }, method, pattern = /\/qr-sessions/) => page.waitForResponse((response) => (
  response.request().method() === method && pattern.test(response.url())
))

/** Advances the page's clock to the time when the code is replaced, and returns the link of the new code. */
async function renewed(login, link) {
  const opened = answered(login, 'POST', /\/qr-sessions$/)
  await login.page.clock.fastForward(REPLACED)
  const { url } = await (await opened).json()
  assert.notEqual(url, link)
  await login.page.waitForFunction((fresh) => (
    document.querySelector('countersign-login').link === fresh
  ), url)
  return url
}

loginTest('replaced code can still be scanned for the rest of its minute', async (own) => {
  const login = await open(own, onItsOwnClock)
  const first = await login.shownLink()
  const second = await renewed(login, first)
  assert.equal(await login.scan('a code that was replaced'), second)

  await login.opensOnly(first)
  await login.gets('scanned')
  await login.sees('Scanned. Look at your phone.')
  assert.equal(await login.link(), null)
  await login.getsNothing()
  await login.close()
})

loginTest('element stops replacing codes after six that nobody scanned', async (own) => {
  const login = await open(own, onItsOwnClock)
  let link = await login.shownLink()
  const links = new Set([link])
  for (let replaced = 0; replaced < 5; replaced += 1) {
    link = await renewed(login, link)
    links.add(link)
  }
  assert.equal(links.size, 6)
  await login.page.clock.fastForward(OVER)
  assert.deepEqual(await login.gets('expired'), { scanned: false })
  await login.sees('Time ran out before anybody scanned the code')
  assert.equal(await login.link(), null)
  await keep(login.page, 'login-expired')

  await login.page.getByRole('button', { name: 'Show a new code' }).click()
  const { code, err } = await login.phone(await login.shownLink(), '--confirm', '--payload', 'at last')
  assert.equal(code, 0, err)
  await login.gets('scanned')
  assert.equal((await login.getsConfirmed()).payload, 'at last')
  await login.close()
})

loginTest('scanned login expires', async (own) => {
  const login = await open(own, onItsOwnClock)
  await login.opensOnly(await login.shownLink())
  await login.gets('scanned')
  // The service's answer three minutes later, simulated because its own clock cannot be changed.
  await login.page.route(/\/qr-sessions\/qrs_/, (route) => {
    assert.equal(route.request().method(), 'GET')
    return route.fulfill({
      headers: { 'access-control-allow-origin': own.site.url },
      json: { state: 'expired', expiresAt: '2026-01-02T03:07:05.678Z' },
    })
  })
  await login.page.clock.fastForward(3 * 60_000)
  assert.deepEqual(await login.gets('expired'), { scanned: true })
  await login.sees('Time ran out before the login was finished')
  await login.getsNothing()
  await login.close()
})

loginTest('polling brings the outcome if there is no socket', async (own) => {
  let tried = 0
  const prepare = (page) => page.routeWebSocket(/\/qr-socket/, (socket) => {
    tried += 1
    return socket.close()
  })
  const login = await open(own, { prepare })
  const { code, err } = await login.phone(await login.shownLink(), '--confirm', '--payload', 'asked for')
  assert.equal(code, 0, err)
  await login.gets('scanned')
  assert.equal((await login.getsConfirmed()).payload, 'asked for')
  assert.ok(tried > 0)
  await login.close()
})

loginTest('cut socket is replaced by polling at once', async (own) => {
  const sockets = []
  const prepare = (page) => page.routeWebSocket(/\/qr-socket/, (socket) => {
    if (sockets.push(socket) === 1) socket.connectToServer()
    else socket.close()
  })
  const login = await open(own, { prepare })
  const link = await login.shownLink()
  await login.opensOnly(link)
  await login.gets('scanned')
  assert.equal(sockets.length, 1, 'the first connection held until here')

  const asked = answered(login, 'GET', /\/qr-sessions\/qrs_/)
  await sockets[0].close()
  await asked
  const second = await login.phone(link, '--confirm')
  assert.match(second.err, /second_phone/)
  await login.gets('blocked')
  await login.close()
})

loginTest('page learns what happened while it was offline', async (own) => {
  const login = await open(own)
  const link = await login.shownLink()
  await login.opensOnly(link)
  await login.gets('scanned')

  const context = login.page.context()
  await context.setOffline(true)
  await login.sees('You are offline. This continues when you are back online.')
  await keep(login.page, 'login-offline')
  const second = await login.phone(link, '--confirm')
  assert.match(second.err, /second_phone/)
  await login.getsNothing()

  await context.setOffline(false)
  await login.gets('blocked')
  assert.equal(await login.element.getByText('You are offline.').count(), 0)
  await login.close(/ERR_INTERNET_DISCONNECTED/)
})

loginTest('page that loads while the service is unreachable continues once it answers', async (own) => {
  let away = true
  const prepare = (page) => page.route(/\/qr-sessions$/, (route) => (
    away ? route.abort('connectionrefused') : route.continue()
  ))
  const login = await open(own, { prepare })
  await login.sees('The service does not answer. Trying again…')
  await keep(login.page, 'login-unreachable')
  away = false
  const { code, err } = await login.phone(await login.shownLink(), '--confirm')
  assert.equal(code, 0, err)
  await login.gets('scanned')
  await login.gets('confirmed')
  await login.close(/ERR_CONNECTION_REFUSED/)
})
