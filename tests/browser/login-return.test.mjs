// The return on the same phone: after a confirmation, the app reopens the page in a tab of the same browser.

import assert from 'node:assert/strict'

import { devices } from 'playwright-core'

import { openLogin } from './support/login.mjs'
import { keep } from './support/page.mjs'
import { pageWith } from './support/site.mjs'
import { overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()
const { defaultBrowserType, ...PHONE } = devices['Pixel 7']
const ELSEWHERE = 'Confirmed. Go on in the tab that the app has opened.'

/** Chromium's log line about a redemption without the token. */
const REFUSED = /status of (403|409)/

/** Opens a page of an app on a phone, with `rest` at the end of its address. */
async function open({ browser, server, site }, { checkCode = 'off', prepare, rest = '', ...page } = {}) {
  const url = site.put(pageWith(server, page))
  const { code, err } = await server.run(
    'app', 'update', 'demo', '--check-code', checkCode, '--add-return-page', url,
  )
  assert.equal(code, 0, err)
  return openLogin(browser, server, url + rest, { ...PHONE, prepare })
}

/** Waits for the link, and for the record of its login that another tab can find. */
async function shownLink({ page, element }) {
  await element.getByRole('link', { name: 'Open the app' }).waitFor()
  const link = await element.evaluate((element) => element.link)
  const id = new URL(link).searchParams.get('sessionId')
  await page.waitForFunction((id) => Object.values(sessionStorage).includes(id), id)
  return link
}

/** Confirms with an app on the same phone, and returns the command's output. */
async function confirms(login, link, ...words) {
  const { code, said, err } = await login.phone(link, '--confirm', '--payload', 'hello', ...words)
  assert.equal(code, 0, err)
  return said
}

/** Opens a tab next to another one, with a list of the events that its page receives. */
async function openTab(context, url) {
  const tab = await context.newPage()
  await tab.addInitScript(() => {
    globalThis.events = []
    for (const name of ['scanned', 'confirmed', 'denied', 'blocked', 'expired', 'cancelled', 'error']) {
      document.addEventListener(name, ({ detail }) => globalThis.events.push({ name, detail }))
    }
  })
  await tab.goto(url)
  return tab
}

/** Waits until a tab shows a text in its element. */
const sees = (tab, text) => tab.locator('countersign-login').getByText(text, { exact: true }).waitFor()

/** Asserts that a tab has the payload, and no trace of the return in its address. */
async function isLoggedIn(tab, url) {
  await sees(tab, 'Confirmed')
  const events = await tab.evaluate(() => globalThis.events)
  assert.deepEqual(events.map(({ name }) => name), ['scanned', 'confirmed'])
  assert.equal(events[1].detail.payload, 'hello')
  assert.equal(tab.url(), url)
}

/** Opens a return URL in a browser that has no such login. Its page starts as if nothing had happened. */
async function staysOut(context, returnUrl) {
  const tab = await openTab(context, returnUrl)
  await tab.locator('countersign-login').getByRole('link', { name: 'Open the app' }).waitFor()
  assert.deepEqual(await tab.evaluate(() => globalThis.events), [])
  assert.equal(tab.url(), returnUrl.split('#')[0])
  await tab.close()
}

for (const checkCode of ['off', 'on']) {
  loginTest(`tab that the app opens goes on, and the first one says so, with check codes ${checkCode}`, async (own) => {
    const login = await open(own, { checkCode })
    const url = login.page.url()
    const said = await confirms(login, await shownLink(login), '--same-phone')
    assert.ok(said.returnUrl.startsWith(`${url}#countersign=qrs_`))
    assert.equal(said.checkCode, null)
    await login.gets('scanned')
    await login.sees(ELSEWHERE)
    await keep(login.page, `login-return-elsewhere-${checkCode}`)

    await isLoggedIn(await openTab(login.page.context(), said.returnUrl), url)
    await login.sees(ELSEWHERE)
    await login.getsNothing()
    await login.page.getByRole('button', { name: 'Try again' }).click()
    await shownLink(login)
    await login.close(REFUSED)
  })
}

loginTest('app returns without the query, which the page has again before it hears of the confirmation', async (own) => {
  const listens = "document.addEventListener('confirmed', () => { globalThis.search = location.search })"
  const login = await open(own, { head: `<script>${listens}</script>`, rest: '?next=%2Fcart#top' })
  const [url] = login.page.url().split('?')
  const { returnUrl } = await confirms(login, await shownLink(login), '--same-phone')
  assert.ok(returnUrl.startsWith(`${url}#countersign=`))
  await login.sees(ELSEWHERE)
  const tab = await openTab(login.page.context(), returnUrl)
  await isLoggedIn(tab, `${url}?next=%2Fcart#top`)
  assert.equal(await tab.evaluate(() => globalThis.search), '?next=%2Fcart')
  await login.close(REFUSED)
})

loginTest('page that the app does not list logs in without a return, and says once how to list it', async (own) => {
  const { browser, server, site } = own
  const { code, err } = await server.run(
    'app', 'update', 'demo', '--check-code', 'off', '--add-return-page', `${site.url}/other`,
  )
  assert.equal(code, 0, err)
  const named = []
  const login = await openLogin(browser, server, site.put(pageWith(server)), {
    ...PHONE,
    prepare: (page) => page.on('request', (request) => {
      if (!request.url().endsWith('/qr-sessions') || request.method() !== 'POST') return
      named.push(request.postDataJSON().returnUrl)
    }),
  })
  const url = login.page.url()
  const link = await shownLink(login)
  assert.deepEqual(named, [url, undefined])
  const command = `countersign app update APP --add-return-page ${url}`
  assert.deepEqual(login.reports, [
    `<countersign-login> return_url_not_allowed: The app does not return to ${url}. If it may, run: ${command} `
      + `Run: ${command}`,
  ])
  assert.equal((await confirms(login, link, '--same-phone')).returnUrl, null)
  await login.gets('scanned')
  await login.getsConfirmed()
  await login.element.evaluate((element) => element.refresh())
  await shownLink(login)
  assert.deepEqual(named, [url, undefined, undefined])
  assert.equal(login.reports.length, 1)
  await login.close(/status of 422/)
})

loginTest('first tab that slept meanwhile stays calm', async (own) => {
  const login = await open(own)
  const link = await shownLink(login)
  const session = new RegExp(`/qr-sessions/${new URL(link).searchParams.get('sessionId')}`)
  await login.page.route(session, (route) => route.abort())
  await login.page.routeWebSocket(/./, () => {})
  const { returnUrl } = await confirms(login, link, '--same-phone')
  const tab = await openTab(login.page.context(), returnUrl)
  await isLoggedIn(tab, login.page.url())
  await login.page.unroute(session)
  await login.sees(ELSEWHERE)
  await login.close(/status of 40[39]|ERR_FAILED/)
})

loginTest('first tab that is left or closed does not cancel the login', async (own) => {
  for (const leave of [(page) => page.close(), (page) => page.goto('about:blank')]) {
    const login = await open(own)
    const { page } = login
    const url = page.url()
    const { returnUrl } = await confirms(login, await shownLink(login), '--same-phone')
    const context = page.context()
    await login.sees(ELSEWHERE)
    await leave(page)
    await isLoggedIn(await openTab(context, returnUrl), url)
    await login.close(REFUSED)
  }
})

loginTest('app returns to the very tab', async (own) => {
  const login = await open(own)
  const { page } = login
  const url = page.url()
  const { returnUrl } = await confirms(login, await shownLink(login), '--same-phone')
  await login.gets('scanned')
  await login.sees(ELSEWHERE)
  await page.evaluate(() => history.replaceState({ own: 1 }, ''))
  await page.evaluate((url) => { location.replace(url) }, returnUrl)
  assert.equal((await login.getsConfirmed()).payload, 'hello')
  assert.equal(page.url(), url)
  await login.close(REFUSED)
})

loginTest('app returns to a tab that shows another login', async (own) => {
  const login = await open(own)
  const url = login.page.url()
  const other = await openTab(login.page.context(), url)
  await other.waitForFunction(() => sessionStorage.length > 0)
  await login.page.bringToFront()
  const { returnUrl } = await confirms(login, await shownLink(login), '--same-phone')
  await other.evaluate((url) => { location.href = url }, returnUrl)
  await isLoggedIn(other, url)
  await login.close(REFUSED)
})

loginTest('code is for another device, whose app does not return', async (own) => {
  const login = await open(own, { checkCode: 'on' })
  const link = await shownLink(login)
  await login.page.getByRole('button', { name: 'Show a code instead' }).click()
  await login.code.waitFor()
  const code = await login.link()
  assert.notEqual(code, link)
  const said = await confirms(login, code, '--same-phone')
  assert.equal(said.returnUrl, null)
  await login.gets('scanned')
  await login.page.getByRole('textbox').fill(said.checkCode)
  await login.page.getByRole('textbox').press('Enter')
  await login.getsConfirmed()

  const again = await open(own)
  await again.page.getByRole('button', { name: 'Show a code instead' }).click()
  await again.code.waitFor()
  await again.page.getByRole('button', { name: 'Use this phone instead' }).click()
  assert.ok((await confirms(again, await shownLink(again), '--same-phone')).returnUrl)
  await again.sees(ELSEWHERE)
  for (const one of [login, again]) await one.close(REFUSED)
})

loginTest('app that cannot return shows digits, which the page asks for', async (own) => {
  const login = await open(own, { checkCode: 'on' })
  const { checkCode } = await confirms(login, await shownLink(login))
  await login.gets('scanned')
  await login.page.getByRole('textbox').fill(checkCode)
  await login.page.getByRole('textbox').press('Enter')
  await login.getsConfirmed()
  await login.close(REFUSED)
})

loginTest('link of a stranger logs in neither the stranger nor the person', async (own) => {
  for (const checkCode of ['off', 'on']) {
    const stranger = await open(own, { checkCode })
    const { returnUrl } = await confirms(stranger, await shownLink(stranger), '--same-phone')
    await stranger.gets('scanned')
    await stranger.sees(ELSEWHERE)
    const person = await own.browser.newContext(PHONE)
    await staysOut(person, returnUrl)
    await person.close()
    await stranger.getsNothing()
    await stranger.close(REFUSED)
  }
})

loginTest('page names itself without its fragment, unless it could not find its login again', async (own) => {
  const bare = (page) => page.addInitScript(() => {
    Object.defineProperty(globalThis, 'indexedDB', { get: () => { throw new DOMException('no', 'SecurityError') } })
  })
  const { browser, server, site } = own
  const url = site.put(pageWith(server))
  assert.equal((await server.run('app', 'update', 'demo', '--add-return-page', url)).code, 0)
  for (const [address, prepare] of [[url, bare], [`${url}#${'a'.repeat(1_100)}`, null], [url, null]]) {
    const bodies = []
    const login = await openLogin(browser, server, address, {
      ...PHONE,
      prepare: async (page) => {
        await prepare?.(page)
        page.on('request', (request) => {
          if (request.url().endsWith('/qr-sessions') && request.method() === 'POST') bodies.push(request.postDataJSON())
        })
      },
    })
    await login.element.getByRole('link', { name: 'Open the app' }).waitFor()
    assert.equal(bodies[0].returnUrl, prepare ? undefined : url)
    await login.close()
  }
})
