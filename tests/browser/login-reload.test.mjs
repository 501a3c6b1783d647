// Pages with the login element that are reloaded or left.

import assert from 'node:assert/strict'

import { openLogin } from './support/login.mjs'
import { pageWith } from './support/site.mjs'
import { overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()

const open = ({ browser, server, site }, options) => (
  openLogin(browser, server, site.put(pageWith(server)), options)
)

const idOf = (link) => new URL(link).searchParams.get('sessionId')

/** Waits until the page has stored its login. */
const kept = ({ page }, link) => page.waitForFunction((id) => (
  Object.values(sessionStorage).includes(id)
), idOf(link))

loginTest('reload goes on with the same code, and with a scanned login', async (own) => {
  const login = await open(own)
  const link = await login.shownLink()
  await kept(login, link)
  await login.page.reload()
  assert.equal(await login.shownLink(), link)

  await login.opensOnly(link)
  await login.gets('scanned')
  await kept(login, link)
  await login.page.reload()
  assert.deepEqual(await login.gets('scanned'), { sessionId: idOf(link) })
  await login.sees('Scanned. Look at your phone.')
  await login.getsNothing()
  await login.close()
})

loginTest('payload that is confirmed during a reload is decrypted with the kept key', async (own) => {
  let confirm
  const prepare = (page) => page.route(/\/qr-sessions$/, async (route) => {
    await confirm?.()
    await route.continue()
  })
  const login = await open(own, { prepare })
  const link = await login.shownLink()
  await kept(login, link)
  confirm = async () => {
    confirm = undefined
    const { code, err } = await login.phone(link, '--confirm', '--payload', 'kept')
    assert.equal(code, 0, err)
  }
  await login.page.reload()
  await login.gets('scanned')
  assert.equal((await login.getsConfirmed()).payload, 'kept')
  await login.page.waitForFunction(() => sessionStorage.length === 0)
  await login.close()
})

loginTest('page without storage cancels its login when it is left', async (own) => {
  let authorization
  const prepare = async (page) => {
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, 'indexedDB', { get: () => { throw new DOMException('no', 'SecurityError') } })
    })
    page.on('request', (request) => { authorization = request.headers().authorization ?? authorization })
  }
  const login = await open(own, { prepare })
  const id = idOf(await login.shownLink())
  await login.page.goto(own.site.put('<title>Elsewhere</title><link rel="icon" href="data:,">'))
  // The driver does not report requests of a page that has been left, so the test asks the service.
  let state
  while (state !== 'cancelled') {
    const answer = await fetch(`${own.server.url}/qr-sessions/${id}`, { headers: { authorization } })
    ;({ state } = await answer.json())
  }
  await login.getsNothing()
  await login.close()
})

loginTest('link or script that leaves the page cancels a kept login, unless it leads to the app', async (own) => {
  const elsewhere = own.site.put('<title>Elsewhere</title><link rel="icon" href="data:,">')
  const go = (page, url) => page.evaluate((url) => { location.href = url }, url)
  for (const [leave, cancelled, scanned] of [
    [(page) => go(page, elsewhere), true],
    [(page) => go(page, elsewhere), true, true],
    [(page, link) => go(page, link), false],
    // As with the address bar.
    [(page) => page.goto(elsewhere), false],
  ]) {
    const login = await open(own)
    const link = await login.shownLink()
    await kept(login, link)
    if (scanned) {
      await login.opensOnly(link)
      await login.gets('scanned')
    }
    const left = login.page.waitForEvent('framenavigated')
    await leave(login.page, link)
    await left
    if (cancelled) while ((await login.phone(link)).code === 3);
    else await login.opensOnly(link)
    await login.close(/outside|ERR_|certificate/)
  }
})

loginTest('another tab, and a page that was left, start with a code of their own', async (own) => {
  const login = await open(own)
  const link = await login.shownLink()
  await kept(login, link)
  const url = login.page.url()
  const other = await login.page.context().newPage()
  await other.goto(url)
  await other.waitForFunction(() => document.querySelector('countersign-login').link)
  assert.notEqual(await other.locator('countersign-login').evaluate(({ link }) => link), link)
  await other.close()

  await login.page.goto(own.site.put(pageWith(own.server)))
  assert.notEqual(await login.shownLink(), link)
  await login.close()
})
