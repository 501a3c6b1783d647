// Help for users who cannot continue: the steps to the scanner, the time left, the page's alternatives, and the next
// step after a rejection.

import assert from 'node:assert/strict'

import { devices } from 'playwright-core'

import { assertAccessible } from './support/axe.mjs'
import { openLogin } from './support/login.mjs'
import { keep } from './support/page.mjs'
import { openPhone } from './support/phone-element.mjs'
import { pageWith } from './support/site.mjs'
import { overTheFake, overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()
const phoneTest = overTheFake()

const steps = ({ element }) => element.getByRole('listitem').allInnerTexts()

const { defaultBrowserType, ...PHONE } = devices['Pixel 7']

const TAKEN = 'This number already has an account.'
const LOGIN = { text: 'Log in', href: '/login' }

/** Shows that a page rejected the user, and returns the remaining links and buttons. */
async function reject(one, next) {
  await one.element.evaluate((element, [text, next]) => element.reject(text, next), [TAKEN, next])
  await one.sees(TAKEN)
  return one.element.locator('a:visible, button:visible').allInnerTexts()
}

loginTest('three steps lead to the scanner, with the app\'s name, while there is a code', async ({ browser, server, site }) => {
  const login = await openLogin(browser, server, site.put(pageWith(server)))
  await login.shownLink()
  assert.deepEqual(await steps(login), ['Open the app on your phone', 'Start its scanner for codes', 'Point your phone at this code'])
  await login.element.evaluate((element) => { element.appName = 'Shop 24' })
  assert.equal((await steps(login))[0], 'Open \u2068Shop 24\u2069 on your phone')
  await login.opensOnly(await login.link())
  await login.gets('scanned')
  assert.deepEqual(await steps(login), [])
  await login.close()
})

loginTest('with scan-with="camera", the texts name the camera and no app, without a restart', async ({ browser, server, site }) => {
  const warnings = []
  const login = await openLogin(browser, server, site.put(pageWith(server)), {
    prepare: (page) => page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text())),
  })
  const link = await login.shownLink()
  const camera = ['Open your phone’s camera', 'Point it at this code', 'Open the link that appears']
  await login.element.evaluate((element) => Object.assign(element, { appName: 'Shop 24', scanWith: 'camera' }))
  assert.deepEqual(await steps(login), camera)
  await login.sees('Scan this code with your phone')
  assert.equal(await login.shownLink(), link)
  // A value that is neither counts as the default, and is reported once.
  for (const value of ['kamera', 'app', 'kamera']) {
    await login.element.evaluate((element, value) => element.setAttribute('scan-with', value), value)
    assert.equal((await steps(login))[0], 'Open \u2068Shop 24\u2069 on your phone')
  }
  assert.equal(warnings.filter((text) => text.includes('scan-with="kamera" cannot be read')).length, 1)
  await login.close(/cannot be read/)
})

loginTest('on a phone with scan-with="camera", the button opens the link and no app', async ({ browser, server, site }) => {
  const login = await openLogin(browser, server, site.put(pageWith(server, { attributes: 'scan-with="camera"' })), PHONE)
  await login.sees('Log in with this phone')
  await login.element.getByRole('link', { name: 'Continue' }).waitFor()
  await login.opensOnly(await login.link())
  await login.sees('Opened. Confirm there, then come back here.')
  await login.close()
})

loginTest('time left counts down, with no other change', async ({ browser, server, site }) => {
  const login = await openLogin(browser, server, site.put(pageWith(server)), { prepare: (page) => page.clock.install() })
  await login.shownLink()
  const timer = login.element.getByRole('timer')
  assert.match(await timer.innerText(), /^Time left: \u2068?5:3\d\u2069?$/)
  await login.element.evaluate((element) => {
    globalThis.changes = []
    new MutationObserver((records) => {
      for (const { type, target } of records) globalThis.changes.push(`${type} ${target.parentElement?.getAttribute('part')}`)
    }).observe(element.shadowRoot, { attributes: true, characterData: true, childList: true, subtree: true })
  })
  const before = await timer.innerText()
  await login.page.clock.fastForward(4_000)
  assert.notEqual(await timer.innerText(), before)
  assert.deepEqual([...new Set(await login.page.evaluate(() => globalThis.changes))], ['characterData left'])
  // After the scan, it is the time left for the decision.
  await login.opensOnly(await login.link())
  await login.page.clock.fastForward(3_000)
  await login.gets('scanned')
  assert.match(await timer.innerText(), /2:5\d|3:00/)
  await login.close()
})

loginTest('page\'s other way stays below the element until the login is confirmed', async ({ browser, server, site }) => {
  const body = (element) => element.replace('><', '><a slot="another-way" href="/password">Log in with a password</a><')
  const login = await openLogin(browser, server, site.put(pageWith(server, { body })))
  const way = login.page.getByRole('link', { name: 'Log in with a password' })
  const link = await login.shownLink()
  await way.waitFor()
  await keep(login.page, 'login-another-way')
  await assertAccessible(login.page, 'a login with another way')
  const height = () => login.element.evaluate((element) => element.getBoundingClientRect().height)
  const before = await height()
  const { code, err } = await login.phone(link, '--confirm', '--payload', 'hello')
  assert.equal(code, 0, err)
  await login.gets('scanned')
  await login.getsConfirmed()
  await way.waitFor({ state: 'hidden' })
  assert.equal(await height(), before)
  assert.deepEqual(await reject(login, LOGIN), ['Log in with a password', 'Log in', 'Show a new code'])
  await way.waitFor()
  await assertAccessible(login.page, 'a rejected login with a link')
  await keep(login.page, 'login-rejected-next')
  await login.close()
})

phoneTest('page says what to do about a number that has an account, and the link goes again', async ({ browser, fake }) => {
  const phone = await openPhone(browser, fake)
  await phone.gets('started')
  await phone.page.keyboard.press('Tab')
  assert.deepEqual(await reject(phone, LOGIN), ['Log in', 'Try again'])
  assert.equal(await phone.page.getByRole('link').getAttribute('href'), '/login')
  await assertAccessible(phone.page, 'a rejected number with a link')
  await keep(phone.page, 'phone-rejected-next')
  // The focus was on a button that is gone. The next step is the one that the page offers.
  await phone.page.keyboard.press('Tab')
  assert.equal(await phone.element.evaluate(({ shadowRoot }) => shadowRoot.activeElement.textContent), 'Log in')
  await phone.page.getByRole('button', { name: 'Try again' }).click()
  await phone.gets('started')
  assert.equal(await phone.page.getByRole('link', { name: 'Log in' }).count(), 0)
  await phone.close()
})

phoneTest('link leads to a page and runs no script', async ({ browser, fake }) => {
  const phone = await openPhone(browser, fake)
  await phone.gets('started')
  for (const next of [{ text: 'Log in', href: 'javascript:alert(1)' }, { text: 'Log in', href: 'data:text/html,hello' }, { text: 'Log in' }, { href: '/login' }, null, 'Log in']) {
    await phone.element.evaluate((element) => element.accept())
    assert.deepEqual(await reject(phone, next), ['Try again'], JSON.stringify(next))
  }
  await phone.close()
})

phoneTest('texts name the app that the text goes to', async ({ browser, fake }) => {
  const phone = await openPhone(browser, fake, { attributes: 'start="/sign-up/phone" app-name="Shop 24"' })
  await phone.sees('Scan this code with your phone, and send \u2068Shop 24\u2069 the text that it opens')
  await phone.element.evaluate((element) => { element.appName = null })
  await phone.sees('Scan this code with your phone, and send the text that it opens')
  await phone.close()
})
