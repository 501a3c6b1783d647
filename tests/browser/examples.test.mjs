// The examples of docs/quickstart.md: in a browser, a visitor signs up and logs in, with the real server and phone.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { assertAccessible } from './support/axe.mjs'
import { EXAMPLES, startExample } from './support/examples.mjs'
import { keep, openWindow, startBrowser } from './support/page.mjs'
import { ALGORITHMS, openPhone } from './support/phone-fake.mjs'
import { ask, startServer } from './support/server.mjs'
import { HANG } from './support/suite.mjs'
import { chromium, skipped } from './support/tools.mjs'

const own = { examples: new Map(), visitors: 0, accessible: new Set() }

before(async () => {
  if (!chromium()) return
  own.server = await startServer()
  own.browser = await startBrowser()
}, HANG)

after(async () => {
  await own.browser?.close()
  for (const example of own.examples.values()) await example.stop()
  const code = await own.server?.stop()
  assert.ok(code === undefined || code === 0, `the server ended with ${code}`)
}, HANG)

/** Declares a test for each example, which is called with a visitor of the example. */
function examplesTest(name, run) {
  for (const [language, missing] of Object.entries(EXAMPLES)) {
    const title = `${language} example: ${name}`
    test(title, HANG, async () => {
      const lack = chromium() ? missing() : 'no Chromium'
      if (lack) return skipped(title, lack)
      if (!own.examples.has(language)) own.examples.set(language, await startExample(language, own.server))
      await run(await Visitor.open(own.examples.get(language)))
    })
  }
}

/** A visitor with a browser and a phone. */
class Visitor {
  constructor(example, number, { page, close }) {
    Object.assign(this, { example, number, page, close })
  }

  /** Opens the example with a new number, or with a given one. */
  static async open(example, number = `+12025550${100 + own.visitors++}`) {
    const visitor = new Visitor(example, number, await openWindow(own.browser, [example.url, own.server.url]))
    await visitor.goTo('/')
    return visitor
  }

  goTo(path) {
    return this.page.goto(this.example.url + path)
  }

  sees(text) {
    return this.page.getByText(text, { exact: true }).waitFor()
  }

  press(name) {
    return this.page.getByRole('button', { name }).click()
  }

  follow(name) {
    return this.page.getByRole('link', { name }).click()
  }

  /** Follows a link to a new tab, and returns the tab. */
  async opens(link) {
    const [tab] = await Promise.all([this.page.context().waitForEvent('page'), link.click()])
    return tab
  }

  /** Returns the text that the page shows. */
  message() {
    return this.page.getByText(/^CS-\w+$/).innerText()
  }

  /** Sends a text: by default, the one that the page shows. */
  async text(message) {
    message ??= await this.message()
    const words = ['--from', this.number, '--to', own.server.demo.sendTo, '--message', message]
    const { code, err } = await own.server.run('phone', 'text', ...words)
    assert.equal(code, 0, err)
  }

  /** Opens the link below the code with the phone, and confirms. */
  async confirm() {
    const element = this.page.locator('countersign-login')
    await element.getByRole('img').waitFor()
    const link = await element.evaluate(({ link }) => link)
    const { code, err } = await own.server.phone('open', link, '--confirm', '--public-user-id', this.number)
    assert.equal(code, 0, err)
  }

  /** Signs up, and opens the account page. */
  async signUp() {
    await this.goTo('/sign-up')
    await this.text()
    await this.sees(`${this.number} is verified, and you are logged in.`)
    await this.follow('Your account')
    await this.isLoggedIn()
  }

  /** Submits the key that a phone generates with the command on the page. */
  async pair(phone = own.server.phone) {
    await this.page.locator('details:not([open]) summary').click()
    const [program, command, ...words] = (await this.page.locator('code').innerText()).split(' ')
    assert.deepEqual([program, command], ['countersign', 'phone'])
    const { code, out, err } = await phone(...words)
    assert.equal(code, 0, err)
    await this.page.getByLabel('What the app sends').fill(out)
    await this.press('Send')
  }

  /** Asserts that a page is accessible, for one example, because all of them have the same pages. */
  async isAccessible(what) {
    if (own.accessible.has(what)) return
    own.accessible.add(what)
    await assertAccessible(this.page, what)
  }

  async isLoggedIn() {
    await this.page.getByText(`Logged in as ${this.number}`).waitFor()
  }
}

examplesTest('user signs up by number, and logs in with the phone', async (visitor) => {
  const { page, number } = visitor
  await visitor.sees('You are not logged in.')
  await visitor.isAccessible('the page of a guest')
  await visitor.follow('Sign up with your phone number')
  await visitor.sees(own.server.demo.sendTo)
  await visitor.text()
  await visitor.sees(`${number} is verified, and you are logged in.`)
  await keep(page, 'example-verified')
  await visitor.isAccessible('the sign-up')

  await visitor.follow('Your account')
  await visitor.isLoggedIn()
  await visitor.pair()
  await visitor.sees('Your phone can log you in now. Log out, and try it.')
  await keep(page, 'example-account')
  await visitor.isAccessible('the account')

  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  await visitor.press('Log out')
  await visitor.sees('You are not logged in.')
  const account = await ask(`${visitor.example.url}/account`, { headers: { cookie } })
  assert.ok(!account.json().user, 'a copied cookie outlives the log-out')
  await visitor.follow('Log in with your phone')
  await visitor.confirm()
  await visitor.isLoggedIn()
  assert.equal(page.url(), `${visitor.example.url}/`)
  await visitor.close()
  const log = visitor.example.log()
  for (const secret of [number, own.server.demo.apiKey]) assert.ok(!log.includes(secret), log)
})

examplesTest('user without an app logs in with a browser as the phone', async (visitor) => {
  const { example, page, number } = visitor
  await visitor.signUp()
  await visitor.press('Set up a phone')
  const setup = page.locator('countersign-setup')
  const link = setup.getByRole('link', { name: 'Open the link on this device' })
  await link.waitFor()
  const { registrationId, url } = await setup.evaluate(({ registration }) => registration)
  let tab = await visitor.opens(link)
  for (const action of ['begin', 'make', 'try']) await tab.locator(`[data-scene]:not(.off) [data-action=${action}]`).click()
  await tab.locator('main[data-shown=digits]').waitFor()
  await visitor.isAccessible('the account with a set-up')
  await keep(page, 'example-set-up')
  await setup.getByRole('textbox').fill(await tab.locator('[data-field=digits]').innerText())
  await setup.getByRole('button', { name: 'Continue' }).click()
  await visitor.sees('Your phone can log you in now. Log out, and try it.')
  await tab.locator('main[data-shown=done]').waitFor()

  // Nobody adds a second phone.
  await visitor.press('Set up a phone')
  await visitor.sees('This account has a phone.')
  await visitor.press('Log out')
  await visitor.follow('Log in with your phone')
  await visitor.sees('Open your phone’s camera')
  tab = await visitor.opens(page.getByRole('link', { name: 'Open on this device' }))
  await tab.locator('main[data-shown=ask]').waitFor()
  await tab.locator('.scroll').evaluate((part) => { part.scrollTop = part.scrollHeight })
  await tab.locator('[data-action=confirm]:enabled').click()
  await visitor.isLoggedIn()
  await visitor.close(/status of 409/)
  const log = example.log()
  for (const secret of [number, registrationId, url]) assert.ok(!log.includes(secret), log)
})

examplesTest('user without an app logs in with a passkey in a second profile', async (visitor) => {
  const { example, page, number } = visitor
  await visitor.signUp()
  await visitor.press('Set up a phone')
  const setup = page.locator('countersign-setup')
  await setup.getByRole('img').waitFor()
  const { registrationId, url } = await setup.evaluate(({ registration }) => registration)
  const phone = await openPhone(own.browser, [new URL(url).origin])
  const tap = (action) => phone.page.locator(`[data-scene]:not(.off) [data-action=${action}]`).click()
  await phone.page.goto(url)
  for (const action of ['begin', 'make', 'try']) await tap(action)
  await phone.page.locator('main[data-shown=digits]').waitFor()
  await setup.getByRole('textbox').fill(await phone.page.locator('[data-field=digits]').innerText())
  await setup.getByRole('button', { name: 'Continue' }).click()
  await visitor.sees('Your phone can log you in now. Log out, and try it.')
  await phone.sees('This phone is set up')

  await visitor.press('Log out')
  await visitor.follow('Log in with your phone')
  const login = page.locator('countersign-login')
  await login.getByRole('img').waitFor()
  await phone.page.goto(await login.evaluate(({ link }) => link))
  await phone.page.locator('main[data-shown=ask]').waitFor()
  await phone.page.locator('.scroll').evaluate((part) => { part.scrollTop = part.scrollHeight })
  await phone.page.locator('[data-action=confirm]:enabled').click()
  await visitor.isLoggedIn()
  await phone.close(ALGORITHMS)
  await visitor.close()
  const log = example.log()
  for (const secret of [number, registrationId, url]) assert.ok(!log.includes(secret), log)
})

examplesTest('page that was reloaded waits for the text that was already sent', async (visitor) => {
  await visitor.goTo('/sign-up')
  const message = await visitor.message()
  await visitor.page.reload()
  assert.equal(await visitor.message(), message)
  await visitor.text(message)
  await visitor.sees(`${visitor.number} is verified, and you are logged in.`)
  await visitor.goTo('/sign-up')
  assert.notEqual(await visitor.message(), message)
  await visitor.close()
})

examplesTest('text alone opens no account that has a phone', async (visitor) => {
  await visitor.signUp()
  await visitor.pair()
  await visitor.sees('Your phone can log you in now. Log out, and try it.')

  const stranger = await Visitor.open(visitor.example, visitor.number)
  await stranger.goTo('/sign-up')
  const message = await stranger.message()
  await visitor.text(message)
  await stranger.sees('This number has an account. Log in with your phone.')
  await keep(stranger.page, 'example-known-number')
  await stranger.isAccessible('the sign-up with a known number')
  await stranger.goTo('/')
  await stranger.sees('You are not logged in.')
  await stranger.follow('Sign up with your phone number')
  assert.notEqual(await stranger.message(), message)
  await stranger.close(/status of 409/)
  await visitor.close()
})

examplesTest('account gets no second phone', async (visitor) => {
  const elsewhere = await Visitor.open(visitor.example, visitor.number)
  await visitor.signUp()
  await elsewhere.signUp()
  await visitor.pair()
  await visitor.sees('Your phone can log you in now. Log out, and try it.')
  const other = join(own.server.data, '../other-phone')
  await elsewhere.pair((...words) => own.server.run('phone', '--phone', other, ...words))
  await elsewhere.sees('This account has a phone.')
  await elsewhere.close(/status of 409/)
  const answered = visitor.page.waitForResponse((response) => response.url().endsWith('/phone-keys'))
  await visitor.press('Send')
  assert.equal((await answered).status(), 200, 'the same key again')
  await visitor.close()
})

examplesTest('phone that belongs to no account logs nobody in', async (visitor) => {
  await visitor.goTo('/login')
  const stranger = await own.server.phone('keys', 'create', '--public-user-id', `${visitor.number}9`)
  assert.equal(stranger.code, 0, stranger.err)
  visitor.number += '9'
  await visitor.confirm()
  await visitor.sees('No account here belongs to this phone.')
  await visitor.goTo('/')
  await visitor.sees('You are not logged in.')
  await visitor.close(/status of 403/)
})

examplesTest('other pages and other browsers get nothing', async (visitor) => {
  const { example: { url }, page } = visitor
  const post = (path, headers) => ask(url + path, { method: 'POST', headers: { host: new URL(url).host, ...headers } })
  for (const path of ['/sign-up/phone', '/sign-up/finish', '/phone-keys', '/phones', '/phones/finish', '/login', '/log-out']) {
    for (const headers of [{}, { origin: 'https://shop.example' }]) {
      assert.equal((await post(path, headers)).status, 403, path)
    }
  }
  assert.equal((await post('/webhook')).status, 403, 'an unsigned webhook')
  for (const path of ['/phone-keys', '/phones', '/phones/finish']) {
    assert.equal((await post(path, { origin: url })).status, 401, 'nobody is logged in')
  }
  assert.equal((await post('/sign-up/finish', { origin: url })).status, 202, 'nobody has signed up')

  const started = await post('/sign-up/phone', { origin: url })
  const [cookie] = started.headers['set-cookie']
  assert.match(cookie, /^session=.*; HttpOnly.*; SameSite=Lax/)
  // A forger of webhooks may know the id, because it is not secret.
  const { confirmationId } = started.json()
  const forged = await ask(`${url}/webhook`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': 'evt_1',
      'webhook-timestamp': `${Math.floor(Date.now() / 1000)}`,
      'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
    },
    body: JSON.stringify({ confirmationId, phoneNumber: '+12025550177', validationStatus: 'valid' }),
  })
  assert.equal(forged.status, 403, 'a forged webhook')
  await visitor.goTo('/sign-up')
  await visitor.text()
  await visitor.sees(`${visitor.number} is verified, and you are logged in.`)
  const other = { origin: url, cookie: cookie.split(';')[0] }
  assert.equal((await post('/sign-up/finish', other)).status, 202, 'the number is that of another browser')
  assert.ok((await page.context().cookies()).every(({ httpOnly }) => httpOnly))
  await visitor.close()
})
