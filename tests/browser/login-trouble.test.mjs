// Logins that time, the network or the socket get in the way of.

import assert from 'node:assert/strict'

import { openLogin } from './support/login.mjs'
import { keep } from './support/page.mjs'
import { pageWith } from './support/site.mjs'
import { overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()

/** When a code is replaced, and when it is over, in ms: a minute is how long it can be scanned. */
const REPLACED = 55_000
const OVER = 60_000

const open = ({ browser, server, site }, options) => (
  openLogin(browser, server, site.put(pageWith(server)), options)
)

/** With a clock of the page that tests can put forward; it goes on by itself in between. */
const onItsOwnClock = { prepare: (page) => page.clock.install() }

/** A wait for the answer to a request of the element. */
const answered = ({ page }, method, pattern = /\/qr-sessions/) => page.waitForResponse((response) => (
  response.request().method() === method && pattern.test(response.url())
))

/** Puts the page's clock to where a fresh code is due, and answers the fresh one's link. */
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

loginTest('a code that nobody scans is replaced, and still counts for the rest of its minute', async (own) => {
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

loginTest('after some codes that nobody scans it waits for somebody, and says so', async (own) => {
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
  await login.sees('The code has expired')
  assert.equal(await login.link(), null)
  await keep(login.page, 'login-expired')

  await login.page.getByRole('button', { name: 'Show a new code' }).click()
  const { code, err } = await login.phone(await login.shownLink(), '--confirm', '--payload', 'at last')
  assert.equal(code, 0, err)
  await login.gets('scanned')
  assert.equal((await login.getsConfirmed()).payload, 'at last')
  await login.close()
})

loginTest('a code that is scanned may run out', async (own) => {
  const login = await open(own, onItsOwnClock)
  await login.opensOnly(await login.shownLink())
  await login.gets('scanned')
  // Three minutes later, in the service's words. Its own clock cannot be put forward.
  await login.page.route(/\/qr-sessions\/qrs_/, (route) => {
    assert.equal(route.request().method(), 'GET')
    return route.fulfill({
      headers: { 'access-control-allow-origin': own.site.url },
      json: { state: 'expired', expiresAt: '2026-01-02T03:07:05.678Z' },
    })
  })
  await login.page.clock.fastForward(3 * 60_000)
  assert.deepEqual(await login.gets('expired'), { scanned: true })
  await login.sees('The code has expired')
  await login.getsNothing()
  await login.close()
})

loginTest('where there is no socket, asking brings the outcome', async (own) => {
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

loginTest('a socket that is cut is missed for a moment only', async (own) => {
  const sockets = []
  const prepare = (page) => page.routeWebSocket(/\/qr-socket/, (socket) => {
    if (sockets.push(socket) === 1) socket.connectToServer()
    else socket.close()
  })
  const login = await open(own, { prepare })
  const link = await login.shownLink()
  await login.opensOnly(link)
  await login.gets('scanned')
  assert.equal(sockets.length, 1, 'the first one held until here')

  const asked = answered(login, 'GET', /\/qr-sessions\/qrs_/)
  await sockets[0].close()
  await asked
  const second = await login.phone(link, '--confirm')
  assert.match(second.err, /second_phone/)
  await login.gets('blocked')
  await login.close()
})

loginTest('what happened while the page was offline is known as soon as it is back', async (own) => {
  const login = await open(own)
  const link = await login.shownLink()
  await login.opensOnly(link)
  await login.gets('scanned')

  const context = login.page.context()
  await context.setOffline(true)
  await login.sees('You are offline. The login continues when you are back online.')
  await keep(login.page, 'login-offline')
  const second = await login.phone(link, '--confirm')
  assert.match(second.err, /second_phone/)
  await login.getsNothing()

  await context.setOffline(false)
  await login.gets('blocked')
  assert.equal(await login.element.getByText('You are offline.').count(), 0)
  await login.close(/ERR_INTERNET_DISCONNECTED/)
})

loginTest('a page that loads while the service is away goes on when it answers', async (own) => {
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
