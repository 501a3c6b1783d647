// The look of the login element: on phones, in dark mode, from right to left, with other texts, and for
// screen readers.

import assert from 'node:assert/strict'

import { devices } from 'playwright-core'

import { assertAccessible } from './support/axe.mjs'
import { readCode } from './support/codes.mjs'
import { openLogin } from './support/login.mjs'
import { fits, keep } from './support/page.mjs'
import { pageWith } from './support/site.mjs'
import { overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()

const open = ({ browser, server, site }, page = {}, options = {}) => (
  openLogin(browser, server, site.put(pageWith(server, page)), options)
)

loginTest('phone shows a button that opens the app, and a code on demand', async (own) => {
  for (const device of ['Pixel 7', 'iPhone 15']) {
    const login = await open(own, {}, devices[device])
    const { page } = login
    const button = page.getByRole('link', { name: 'Open the app' })
    await button.waitFor()
    const link = await button.getAttribute('href')
    assert.match(link, /^https:\/\/localhost:\d+\/?\?sessionId=qrs_[0-9a-f]{32}#k=[\w-]{43}$/, device)
    assert.equal(link, await login.link())
    assert.equal(await button.getAttribute('target'), null, 'the link opens in the same tab')
    assert.equal(await login.code.count(), 0)
    await login.sees('Log in with the app on this phone')
    await fits(page)
    await assertAccessible(page, `the button on a ${device}`)
    await keep(page, `login-${device.toLowerCase().replace(' ', '-')}`)

    await page.getByRole('button', { name: 'Show a code instead' }).click()
    assert.equal(await login.scan(`a code on a ${device}`), link)
    await page.getByRole('button', { name: 'Use this phone instead' }).click()
    await button.waitFor()
    const { code, err } = await login.phone(link, '--confirm', '--payload', 'from the same phone')
    assert.equal(code, 0, err)
    await login.gets('scanned')
    assert.equal((await login.gets('confirmed')).payload, 'from the same phone')
    await login.close()
  }
})

loginTest('element fits into a small window', async (own) => {
  for (const width of [320, 280]) {
    const login = await open(own, {}, { viewport: { width, height: 640 } })
    await login.scan(`a code in a window of ${width}`)
    await fits(login.page)
    await keep(login.page, `login-${width}`)
    await login.close()
  }
})

loginTest('code is readable in dark mode', async (own) => {
  const login = await open(own, {}, { colorScheme: 'dark' })
  await login.scan('a code in the dark')
  const paper = await login.page.locator('countersign-login [part=panel]').evaluate((panel) => (
    getComputedStyle(panel).backgroundColor
  ))
  assert.ok(Number(/\d+/.exec(paper)[0]) < 128, paper)
  await keep(login.page, 'login-dark')
  await login.close()
})

loginTest('code is readable with forced colours', async (own) => {
  for (const colorScheme of ['light', 'dark']) {
    const login = await open(own, {}, { forcedColors: 'active', colorScheme })
    await login.scan(`a code in forced colours, ${colorScheme}`)
    await keep(login.page, `login-forced-${colorScheme}`)
    await login.close()
  }
})

loginTest('code is readable in a right-to-left page', async (own) => {
  const login = await open(own, { html: 'lang="ar" dir="rtl"' })
  await login.scan('a code from right to left')
  const direction = await login.element.evaluate((element) => (
    getComputedStyle(element.shadowRoot.querySelector('[part=panel]')).direction
  ))
  assert.equal(direction, 'rtl')
  await keep(login.page, 'login-rtl')
  await login.close()
})

loginTest('page can replace texts of the element', async (own) => {
  const login = await open(own)
  await login.code.waitFor()
  await login.element.evaluate((element) => {
    element.texts = {
      scan: 'Scannen Sie den Code mit Ihrem Telefon',
      code: 'QR-Code für die Anmeldung',
      scanned: 'Gescannt. Schauen Sie auf Ihr Telefon.',
    }
  })
  await login.sees('Scannen Sie den Code mit Ihrem Telefon')
  const code = login.page.getByRole('img', { name: 'QR-Code für die Anmeldung' })
  await code.waitFor()
  assert.equal(await login.page.getByRole('button', { name: 'New code' }).count(), 1, 'the other texts stay')
  await keep(login.page, 'login-texts')
  await login.opensOnly(readCode(await login.page.screenshot(), 'a code in other words'))
  await login.gets('scanned')
  await login.sees('Gescannt. Schauen Sie auf Ihr Telefon.')
  await login.close()
})

loginTest('reduced motion stops the animation', async (own) => {
  for (const [reducedMotion, animation] of [['reduce', 'none'], ['no-preference', 'turn']]) {
    let answer
    const held = new Promise((resolve) => { answer = resolve })
    const login = await open(own, {}, {
      reducedMotion,
      prepare: (page) => page.route(/\/qr-sessions$/, async (route) => {
        await held
        await route.continue()
      }),
    })
    await login.sees('Creating a code…')
    const turning = login.page.locator('countersign-login [part=icon]')
    assert.equal(await turning.evaluate((icon) => getComputedStyle(icon).animationName), animation)
    await keep(login.page, `login-opening-${reducedMotion}`)
    answer()
    await login.code.waitFor()
    await login.close()
  }
})

loginTest('element works with a keyboard and keeps the focus', async (own) => {
  const login = await open(own)
  const { page } = login
  await login.code.waitFor()
  const focused = () => page.evaluate(() => (
    document.activeElement.shadowRoot?.activeElement?.textContent ?? document.activeElement.localName
  ))
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'Open on this device')
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'New code')
  const before = await login.link()
  const opened = page.waitForResponse((response) => /\/qr-sessions$/.test(response.url()) && response.request().method() === 'POST')
  await page.keyboard.press('Enter')
  const { url } = await (await opened).json()
  assert.notEqual(url, before)
  await login.code.waitFor()
  // The button was removed for a moment, but the focus stayed in the element.
  assert.notEqual(await focused(), 'body')
  await login.close()
})

loginTest('accessibility checker finds nothing, light or dark', async (own) => {
  for (const colorScheme of ['light', 'dark']) {
    for (const [decision, outcome] of [['--confirm', 'confirmed'], ['--deny', 'denied']]) {
      const login = await open(own, {}, { colorScheme })
      const link = await login.shownLink()
      await assertAccessible(login.page, `the code, ${colorScheme}`)
      if (decision === '--deny') {
        const { code, err } = await login.phone(link, decision)
        assert.equal(code, 0, err)
        await login.gets('scanned')
        await login.gets(outcome)
      } else {
        await login.opensOnly(link)
        await login.gets('scanned')
        await login.sees('Scanned. Look at your phone.')
        await assertAccessible(login.page, `scanned, ${colorScheme}`)
        await keep(login.page, `login-scanned-${colorScheme}`)
        await login.page.getByRole('button', { name: 'Show a new code' }).click()
        const { code, err } = await login.phone(await login.shownLink(), decision)
        assert.equal(code, 0, err)
        await login.gets('scanned')
        await login.gets(outcome)
      }
      await assertAccessible(login.page, `${outcome}, ${colorScheme}`)
      await login.close()
    }
  }
})

loginTest('changes are announced to screen readers', async (own) => {
  const login = await open(own)
  const status = login.page.getByRole('status')
  const link = await login.shownLink()
  assert.deepEqual(await status.allInnerTexts(), ['Scan this code with your phone', ''])
  const { code, err } = await login.phone(link, '--deny')
  assert.equal(code, 0, err)
  await login.gets('scanned')
  await login.gets('denied')
  assert.deepEqual(await status.allInnerTexts(), ['The login was denied on the phone', ''])
  await login.close()
})
