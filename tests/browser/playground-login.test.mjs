// Logins on the playground: the element and the simulated phone.

import assert from 'node:assert/strict'

import { assertAccessible } from './support/axe.mjs'
import { readCode } from './support/codes.mjs'
import { fits, keep, openWindow } from './support/page.mjs'
import { ask, run } from './support/server.mjs'
import { overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()

const CODE = 'QR code to log in with your phone'

/** Opens the login tab of the playground in a new window, and waits for a code. */
async function open({ browser, server }, { path = '/#login', ...options } = {}) {
  const window = await openWindow(browser, [server.url], options)
  await window.page.goto(server.url + path)
  await window.page.getByRole('img', { name: CODE }).waitFor()
  return new LoginTab(window)
}

/** The login tab, with methods for a user's actions. */
class LoginTab {
  constructor({ page, bodies, close }) {
    Object.assign(this, { page, bodies, close })
    this.phone = page.getByRole('region', { name: 'Simulated phone' })
    this.events = page.getByRole('list', { name: 'Events of the element' }).getByRole('listitem')
  }

  link() {
    return this.page.locator('countersign-login').evaluate((element) => element.link)
  }

  button(name) {
    return this.page.getByRole('button', { name, exact: true })
  }

  /** Scans the code with the simulated phone, and waits for its confirmation screen. */
  async scan() {
    await this.button('Scan the code').click()
    await this.button('Confirm').waitFor()
  }

  /** Waits for an event, and returns the names of all events so far. */
  async got(last) {
    await this.events.locator('code', { hasText: new RegExp(`^${last}$`) }).last().waitFor()
    return this.events.locator('> code').allInnerTexts()
  }

  /** Waits until the phone shows the result, and returns its text. */
  async verdict(text) {
    await this.phone.getByText(text, { exact: true }).waitFor()
    return this.phone.innerText()
  }
}

loginTest('simulated phone shows who asks, and its payload arrives encrypted', async (own) => {
  const tab = await open(own)
  const { page, phone } = tab
  const link = await tab.link()
  assert.equal(readCode(await page.screenshot(), 'the code of the playground'), link)
  await keep(page, 'playground-login-code')
  await phone.getByLabel('Payload that the app sends').fill('{"token":"π"}')
  await phone.getByLabel('Public user id, if the app knows one').fill('zoe@shop.example')
  await tab.scan()

  const { host } = new URL(own.server.url)
  await page.getByRole('heading', { name: `Log in to ${host}?` }).waitFor()
  const screen = await phone.innerText()
  for (const shown of [own.server.url, 'Chrome on Linux', '127.0.0.1', 'Where it is', 'Where you are']) {
    assert.ok(screen.includes(shown), `${shown} in ${screen}`)
  }
  const sizes = await Promise.all(['Deny', 'Confirm'].map(async (name) => {
    const { width, height } = await tab.button(name).boundingBox()
    const look = await tab.button(name).evaluate((button) => {
      const { backgroundColor, borderColor, borderWidth, color, fontSize, fontWeight, opacity } = getComputedStyle(button)
      return { backgroundColor, borderColor, borderWidth, color, fontSize, fontWeight, opacity }
    })
    return { width, height, ...look }
  }))
  assert.deepEqual(sizes[0], sizes[1], 'both buttons look the same')
  await keep(page, 'playground-login-scanned')

  await tab.button('Confirm').click()
  const said = await tab.verdict('Confirmed')
  assert.match(said, /only the page can read it/)
  assert.deepEqual(await tab.got('confirmed'), ['scanned', 'confirmed'])
  assert.equal(await page.getByLabel('Payload', { exact: true }).innerText(), '{"token":"π"}')
  await page.getByText('Encrypted for this page', { exact: true }).waitFor()
  await page.getByRole('log', { name: 'Progress of the login' }).getByText(/^The payload arrived, encrypted/).waitFor()
  await keep(page, 'playground-login-confirmed')
  await tab.close()
})

loginTest('simulated phone can deny, and then scan the next code', async (own) => {
  const tab = await open(own, { colorScheme: 'dark' })
  await tab.scan()
  await keep(tab.page, 'playground-login-scanned-dark')
  await tab.button('Deny').click()
  await tab.verdict('Denied')
  assert.deepEqual(await tab.got('denied'), ['scanned', 'denied'])
  await keep(tab.page, 'playground-login-denied-dark')

  await tab.button('Back to the start').click()
  await tab.button('Scan the code').click()
  await tab.phone.getByText('There is no code to scan. Start again in the browser.').waitFor()
  await tab.button('Start again').click()
  await tab.page.getByRole('img', { name: CODE }).waitFor()
  await tab.scan()
  await tab.button('Confirm').click()
  await tab.verdict('Confirmed')
  assert.deepEqual(await tab.got('confirmed'), ['scanned', 'denied', 'scanned', 'confirmed'])
  await tab.close()
})

loginTest('link under the code opens the simulated phone, and a second phone blocks the login', async (own) => {
  const tab = await open(own)
  const link = await tab.link()
  await tab.page.getByRole('link', { name: 'Open on this device' }).click()
  await tab.button('Confirm').waitFor()
  assert.equal(tab.page.context().pages().length, 1, 'the link led away')
  await tab.button('Deny').waitFor()

  const { code, err } = await own.server.phone('open', link, '--confirm')
  assert.equal(code, 1)
  assert.match(err, /second_phone/)
  assert.deepEqual(await tab.got('blocked'), ['scanned', 'blocked'])
  await tab.button('Confirm').click()
  assert.match(await tab.verdict('Not confirmed'), /The session was blocked\./)
  await keep(tab.page, 'playground-login-blocked')
  await tab.close(/status of 409/)
})

loginTest('pasted link is opened, and an invalid one is refused', async (own) => {
  const tab = await open(own)
  const field = tab.phone.getByLabel('Or paste a link')
  await field.fill('https://shop.example')
  await tab.button('Open the link').click()
  await tab.phone.getByRole('alert').getByText('The link has no sessionId.').waitFor()
  await keep(tab.page, 'playground-login-bad-link')

  await field.fill(await tab.link())
  await field.press('Enter')
  await tab.button('Confirm').click()
  await tab.verdict('Confirmed')
  assert.deepEqual(await tab.got('confirmed'), ['scanned', 'confirmed'])
  await tab.close(/status of 422/)
})

loginTest('shown command works as the phone', async (own) => {
  const tab = await open(own)
  const link = await tab.link()
  await tab.phone.getByLabel('Payload that the app sends').fill("it's quoted")
  const line = tab.page.getByLabel('Command line')
  await line.getByText("--payload 'it'\\''s quoted'").waitFor()
  const command = await line.innerText()
  assert.ok(command.includes(`'${link}'`), command)
  const { code, out, err } = await run('sh', ['-c', command])
  assert.equal(code, 0, err)
  assert.match(out, /^Confirmed\. The payload was encrypted\.$/m)
  assert.deepEqual(await tab.got('confirmed'), ['scanned', 'confirmed'])
  assert.equal(await tab.page.getByLabel('Payload', { exact: true }).innerText(), "it's quoted")
  await line.getByText("'LINK'").waitFor()

  const markup = await tab.page.getByLabel('Markup').innerText()
  assert.ok(markup.includes(`src="${own.server.url}/widget.js"`))
  assert.ok(markup.includes(`app-key="${own.server.demo.appKey}"`))
  await tab.close()
})

loginTest('page gets neither tokens of phones nor secrets of the app', async (own) => {
  const tab = await open(own)
  const answered = tab.page.waitForResponse((response) => response.url().endsWith('/playground/phones'))
  await tab.scan()
  const opened = await (await answered).json()
  assert.deepEqual(Object.keys(opened).sort(), ['checkCode', 'context', 'origin', 'readers', 'session', 'sessionId', 'token'])
  assert.equal(opened.token.length, 22, 'the token names the simulated phone and is not one of the service')
  await tab.button('Confirm').click()
  await tab.got('confirmed')
  const path = `${own.server.url}/qr-sessions/${opened.sessionId}/confirm`
  const misused = await ask(path, {
    method: 'POST',
    headers: { 'authorization': `Bearer ${opened.token}`, 'content-type': 'application/json' },
    body: '{"payload":""}',
  })
  assert.ok([401, 404].includes(misused.status), misused.text)
  const bodies = await Promise.all(tab.bodies)
  for (const secret of [own.server.demo.apiKey, own.server.demo.inboundSecret]) {
    assert.ok(!bodies.some((body) => body.includes(secret)))
  }
  await tab.close()
})

loginTest('pages of other origins cannot use the simulated phone', async ({ server }) => {
  for (const origin of [undefined, 'null', 'https://evil.example']) {
    for (const path of ['/playground/phones', '/playground/phones/unknown/confirm', '/playground/phones/unknown/deny']) {
      const headers = origin ? { origin } : {}
      const answer = await ask(server.url + path, { method: 'POST', headers, body: '{}' })
      assert.equal(answer.status, 403, `${path} ${origin}`)
      assert.equal(answer.json().code, 'origin_forbidden')
    }
  }
})

loginTest('tabs can be chosen by keyboard and by address, and keep their state', async (own) => {
  const tab = await open(own)
  const { page } = tab
  const chosen = () => page.getByRole('tab', { selected: true }).innerText()
  const panels = () => page.getByRole('tabpanel').count()
  assert.equal(await chosen(), 'Login')
  assert.equal(await panels(), 1)
  await page.getByRole('tab', { name: 'Login' }).focus()
  for (const [key, name, hash] of [
    ['ArrowRight', 'Phone number', ''],
    ['ArrowLeft', 'Login', '#login'],
    ['Home', 'Phone number', ''],
    ['End', 'Login', '#login'],
    ['ArrowLeft', 'Phone number', ''],
  ]) {
    await page.keyboard.press(key)
    assert.equal(await chosen(), name, key)
    assert.equal(await page.evaluate(() => document.activeElement.textContent), name, key)
    assert.equal(new URL(page.url()).hash, hash, key)
    assert.equal(await page.getByRole('tabpanel', { name }).count(), 1, key)
    assert.equal(await panels(), 1, key)
  }

  await page.getByRole('button', { name: 'Start a confirmation' }).click()
  await page.getByText('The confirmation is open and waits for the text.').waitFor()
  const begun = page.url()
  assert.match(begun, /#phone-number\//)
  const link = await tab.link()
  await page.getByRole('tab', { name: 'Login' }).click()
  assert.equal(await tab.link(), link, 'the code is the same')
  await page.getByRole('tab', { name: 'Phone number' }).click()
  assert.equal(page.url(), begun)
  await page.evaluate(() => { location.hash = '#login' })
  await page.getByRole('tabpanel', { name: 'Login' }).waitFor()
  // Other fragments do not choose a tab.
  await page.evaluate(() => { location.hash = '#main' })
  assert.equal(await chosen(), 'Login')
  await tab.close()
})

loginTest('login works with a keyboard', async (own) => {
  const tab = await open(own, { reducedMotion: 'reduce' })
  const { page } = tab
  await tab.phone.getByLabel('Payload that the app sends').focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await tab.button('Confirm').waitFor()
  const focused = () => page.evaluate(() => document.activeElement.textContent)
  assert.match(await focused(), /^Log in to /)
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'Deny')
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'Confirm')
  await page.keyboard.press('Enter')
  await tab.verdict('Confirmed')
  assert.equal(await focused(), 'Confirmed')
  await tab.got('confirmed')
  await tab.close()
})

loginTest('small window stacks both sides, and scrolls in one direction only', async (own) => {
  for (const width of [320, 375]) {
    const tab = await open(own, { viewport: { width, height: 720 } })
    await fits(tab.page)
    await keep(tab.page, `playground-login-${width}`)
    await tab.scan()
    await fits(tab.page)
    await keep(tab.page, `playground-login-scanned-${width}`)
    await tab.button('Confirm').click()
    await tab.got('confirmed')
    await tab.verdict('Confirmed')
    await fits(tab.page)
    await keep(tab.page, `playground-login-confirmed-${width}`)
    await tab.close()
  }
})

loginTest('accessibility checker finds nothing on either tab, light or dark', async (own) => {
  for (const colorScheme of ['light', 'dark']) {
    const tab = await open(own, { colorScheme })
    await assertAccessible(tab.page, `the code, ${colorScheme}`)
    await tab.scan()
    await tab.got('scanned')
    await assertAccessible(tab.page, `the confirmation screen, ${colorScheme}`)
    await tab.button('Confirm').click()
    await tab.got('confirmed')
    await tab.verdict('Confirmed')
    await assertAccessible(tab.page, `the payload, ${colorScheme}`)
    await tab.page.getByRole('tab', { name: 'Phone number' }).click()
    await assertAccessible(tab.page, `the phone number, ${colorScheme}`)
    await tab.close()
  }
})

loginTest('phone warns after repeated denials', async (own) => {
  const tab = await open(own)
  // Three denials in ten minutes cause the warning. Earlier tests may have added some.
  for (let denials = 0; denials < 3; denials += 1) {
    await tab.scan()
    await tab.button('Deny').click()
    await tab.verdict('Denied')
    await tab.button('Back to the start').click()
    await tab.button('Start again').click()
    await tab.page.getByRole('img', { name: CODE }).waitFor()
  }
  await tab.scan()
  await tab.phone.getByText('Look closely', { exact: true }).waitFor()
  assert.ok(await tab.phone.locator('.risk li').count() > 0)
  await assertAccessible(tab.page, 'a warning')
  await keep(tab.page, 'playground-login-warning')
  await tab.close()
})

loginTest('link opened in a browser is explained and does not affect the login', async (own) => {
  const tab = await open(own)
  const link = await tab.link()
  const page = await tab.page.context().newPage()
  const { port } = new URL(own.server.url)
  await page.goto(`http://localhost:${port}/${new URL(link).search}`)
  await page.getByRole('heading', { name: 'Open this link on your phone' }).waitFor()
  await assertAccessible(page, 'the page of links')
  await keep(page, 'landing')
  await tab.scan()
  await tab.button('Confirm').click()
  await tab.verdict('Confirmed')
  await tab.got('confirmed')
  await tab.close()
})

loginTest('login works under any name of the server, including its socket', async (own) => {
  const { port } = new URL(own.server.url)
  const url = `http://localhost:${port}`
  const { code, err } = await own.server.run(
    'app', 'update', 'demo', ...[url, own.server.url, own.site.url].flatMap((origin) => ['--origin', origin]),
  )
  assert.equal(code, 0, err)
  const window = await openWindow(own.browser, [url, own.server.url])
  const poked = new Promise((resolve) => {
    window.page.on('websocket', (socket) => socket.on('framereceived', resolve))
  })
  await window.page.goto(`${url}/#login`)
  const tab = new LoginTab(window)
  await window.page.getByRole('img', { name: CODE }).waitFor()
  const { payload } = await poked
  assert.equal(payload, '{"changed":true}')
  await tab.scan()
  await tab.button('Confirm').click()
  await tab.verdict('Confirmed')
  assert.deepEqual(await tab.got('confirmed'), ['scanned', 'confirmed'])
  await tab.close()
})

// This test is the last one, because the app requires check codes from then on.
loginTest('simulated phone shows the check code before and after the confirmation', async (own) => {
  const { code, err } = await own.server.run('app', 'update', 'demo', '--check-code', 'on')
  assert.equal(code, 0, err)
  const tab = await open(own)
  await tab.scan()
  const digits = await tab.phone.locator('.digits strong:visible').innerText()
  assert.match(digits, /^\d\d$/)
  await keep(tab.page, 'playground-check-code')
  await assertAccessible(tab.page, 'the check code on the simulated phone')
  await tab.button('Confirm').click()
  await tab.verdict('Confirmed')
  assert.equal(await tab.phone.locator('.digits strong:visible').innerText(), digits)
  const field = tab.page.locator('countersign-login').getByRole('textbox')
  await field.fill(digits)
  await field.press('Enter')
  await tab.got('confirmed')
  await tab.close()
})
