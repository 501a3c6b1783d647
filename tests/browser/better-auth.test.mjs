// The example of the plugin for Better Auth: in a browser, a visitor signs in with a text and logs in with a phone, with
// the real server and phone.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { assertAccessible } from './support/axe.mjs'
import { missingForBetterAuth, startExample } from './support/examples.mjs'
import { keep, openWindow, startBrowser } from './support/page.mjs'
import { ask, startServer } from './support/server.mjs'
import { HANG } from './support/suite.mjs'
import { chromium, skipped } from './support/tools.mjs'

const own = { visitors: 0 }
const lack = () => chromium() ? missingForBetterAuth() : 'no Chromium'

before(async () => {
  if (lack()) return
  own.server = await startServer()
  own.browser = await startBrowser()
  own.example = await startExample('better-auth', own.server)
}, HANG)

after(async () => {
  await own.browser?.close()
  await own.example?.stop()
  const code = await own.server?.stop()
  assert.ok(code === undefined || code === 0, `the server ended with ${code}`)
}, HANG)

/** Declares a test that is called with a visitor of the example. */
function exampleTest(name, run) {
  const title = `Better Auth: ${name}`
  test(title, HANG, async () => lack() ? skipped(title, lack()) : run(await Visitor.open()))
}

/** A visitor with a browser and a phone. */
class Visitor {
  static async open(number = `+12025550${100 + own.visitors++}`) {
    const { page, close } = await openWindow(own.browser, [own.example.url, own.server.url])
    const visitor = Object.assign(new Visitor(), { number, page, close })
    await visitor.goTo('/')
    return visitor
  }

  goTo(path) {
    return this.page.goto(own.example.url + path)
  }

  sees(text) {
    return this.page.getByText(text, { exact: true }).waitFor()
  }

  press(name) {
    return this.page.getByRole('button', { name }).click()
  }

  /** Returns the text that the page shows. */
  message() {
    return this.page.getByText(/^CS-\w+$/).innerText()
  }

  /** Sends a text: by default, the one that the page shows. */
  async text(message, from = this.number) {
    message ??= await this.message()
    const { code, err } = await own.server.run('phone', 'text', '--from', from, '--to', own.server.demo.sendTo, '--message', message)
    assert.equal(code, 0, err)
  }

  /** Signs in with a text, as far as the question whose number it is. */
  async textFrom(number = this.number) {
    await this.goTo('/sign-in')
    await this.text(undefined, number)
    await this.page.getByText(`The text came from ${number}.`).waitFor()
  }

  async signIn() {
    await this.textFrom()
    await this.press('This is my number')
    await this.isLoggedIn()
  }

  async isLoggedIn(number = this.number) {
    await this.page.getByText(`Logged in. Your number is ${number}.`).waitFor()
  }

  /** Submits the key that a phone generates with the command on the page. */
  async pair() {
    const [program, command, ...words] = (await this.page.locator('code').innerText()).split(' ')
    assert.deepEqual([program, command], ['countersign', 'phone'])
    this.userId = await this.page.locator('#userId').innerText()
    const { code, out, err } = await own.server.phone(...words)
    assert.equal(code, 0, err)
    await this.page.getByLabel('What the app sends').fill(out)
    await this.press('Send')
    await this.sees('Your phone can log you in now. Log out, and try it.')
  }

  /** Opens the link below the code with the phone, and confirms. */
  async confirm(userId = this.userId) {
    const element = this.page.locator('countersign-login')
    await element.getByRole('img').waitFor()
    const link = await element.evaluate(({ link: shown }) => shown)
    const { code, err } = await own.server.phone('open', link, '--confirm', '--public-user-id', userId)
    assert.equal(code, 0, err)
  }
}

exampleTest('a visitor signs up by text, and in again', async (visitor) => {
  const { page, number } = visitor
  await visitor.sees('You are not logged in.')
  await visitor.goTo('/sign-in')
  const message = await visitor.message()
  await assertAccessible(page, 'the sign-in')
  await page.reload()
  assert.equal(await visitor.message(), message, 'a page that the phone has discarded')
  await visitor.text(message)
  await page.getByText(`The text came from ${number}.`).waitFor()
  await keep(page, 'better-auth-sender')
  await visitor.press('This is my number')
  await visitor.isLoggedIn()
  const id = await page.locator('#userId').innerText()
  await keep(page, 'better-auth-account')
  await assertAccessible(page, 'the account')
  assert.ok((await page.context().cookies()).every(({ httpOnly }) => httpOnly))

  await visitor.press('Log out')
  await visitor.sees('You are not logged in.')
  await visitor.signIn()
  assert.equal(await page.locator('#userId').innerText(), id)
  await visitor.close()
  const log = own.example.log()
  for (const secret of [number, message, own.server.demo.apiKey]) assert.ok(!log.includes(secret), log)
})

exampleTest('a user who is logged in verifies another number', async (visitor) => {
  const { page } = visitor
  await visitor.signIn()
  const next = visitor.number.replace('+12025550', '+12025551')
  const change = page.locator('#change')
  await change.getByRole('textbox').fill(next.replace('+1', ''))
  await change.getByRole('button', { name: 'Continue' }).click()
  await visitor.text(undefined, next)
  await visitor.isLoggedIn(next)
  await page.reload()
  await visitor.isLoggedIn(next)

  // The old number is another visitor's from now on, who cannot take the new one.
  const other = await Visitor.open(visitor.number)
  await other.signIn()
  assert.notEqual(await other.page.locator('#userId').innerText(), await page.locator('#userId').innerText())
  const theirs = other.page.locator('#change')
  await theirs.getByRole('textbox').fill(next)
  await theirs.getByRole('button', { name: 'Continue' }).click()
  await other.text(undefined, next)
  await other.sees('Another account has this number.')
  await other.page.reload()
  await other.isLoggedIn()
  await other.close(/status of 400/)
  await visitor.close()
})

exampleTest('a phone logs its user in, and a text no longer does', async (visitor) => {
  const { page } = visitor
  await visitor.signIn()
  await visitor.pair()
  await visitor.press('Log out')
  await visitor.sees('You are not logged in.')
  await visitor.goTo('/login')
  await visitor.confirm()
  await visitor.isLoggedIn()
  assert.equal(page.url(), `${own.example.url}/`)

  const attacker = await Visitor.open(visitor.number)
  await attacker.textFrom()
  await attacker.press('This is my number')
  await attacker.sees('This number has an account. Log in with your phone.')
  await keep(attacker.page, 'better-auth-stronger')
  await attacker.goTo('/')
  await attacker.sees('You are not logged in.')
  await attacker.close(/status of 403/)
  await visitor.close()
})

exampleTest('a phone that belongs to no account is refused', async (visitor) => {
  await visitor.goTo('/login')
  const stranger = await own.server.phone('keys', 'create', '--public-user-id', 'a-stranger')
  assert.equal(stranger.code, 0, stranger.err)
  await visitor.confirm('a-stranger')
  await visitor.sees('No account here belongs to this phone.')
  await visitor.goTo('/')
  await visitor.sees('You are not logged in.')
  await visitor.close(/status of 403/)
})

exampleTest('another browser and another page get nothing', async (visitor) => {
  const { url } = own.example
  const post = (path, headers) => ask(`${url}/api/auth${path}`, {
    method: 'POST', headers: { host: new URL(url).host, 'content-type': 'application/json', ...headers }, body: '{}',
  })
  const started = await post('/sign-in/text/start', { origin: url })
  const [cookie] = started.headers['set-cookie']
  assert.match(cookie, /^better-auth\.countersign_sign_in=.*; HttpOnly.*; SameSite=Lax/)
  await visitor.textFrom()
  const mine = cookie.split(';')[0]
  assert.equal((await post('/sign-in/text/finish', { origin: url, cookie: mine })).status, 202, 'the number is that of another browser')
  assert.equal((await post('/sign-in/text/finish', { origin: 'https://evil.example', cookie: mine })).status, 403)
  assert.equal((await post('/sign-in/text/finish', { cookie: mine })).status, 403)
  assert.equal((await post('/countersign/webhook')).status, 403, 'an unsigned webhook')
  await visitor.press('This is my number')
  await visitor.isLoggedIn()
  await visitor.close()
})
