// The appearance of the login element: on phones, in dark mode, from right to left, with other texts, and for
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
    assert.match(link, /^http:\/\/localhost:\d+\?sessionId=qrs_[0-9a-f]{32}$/, device)
    assert.equal(link, await login.link())
    assert.equal(await button.getAttribute('target'), null, 'the link opens in the same tab')
    assert.equal(await login.code.count(), 0)
    await login.sees('Log in with the app on this phone')
    await fits(page)
    await keep(page, `login-${device.toLowerCase().replace(' ', '-')}`)

    await page.getByRole('button', { name: 'Show a code instead' }).click()
    // A code is for another phone, whose app must not return to this phone. So it is a different login.
    assert.notEqual(await login.scan(`a code on a ${device}`), link)
    await page.getByRole('button', { name: 'Use this phone instead' }).click()
    await button.waitFor()
    const again = await button.getAttribute('href')
    const { code, err } = await login.phone(again, '--confirm', '--payload', 'from the same phone')
    assert.equal(code, 0, err)
    await login.gets('scanned')
    assert.equal((await login.getsConfirmed()).payload, 'from the same phone')
    await login.close()
  }
})

loginTest('texts on a phone take it that the app is there, unless a code was asked for', async (own) => {
  const login = await open(own, {}, devices['Pixel 7'])
  await login.element.getByRole('link').waitFor()
  await login.opensOnly(await login.link())
  await login.gets('scanned')
  await login.sees('Opened. Confirm in the app, then come back here.')
  await keep(login.page, 'login-opened-here')
  await login.page.getByRole('button', { name: 'Try again' }).click()
  await login.page.getByRole('button', { name: 'Show a code instead' }).click()
  await login.opensOnly(await login.shownLink())
  await login.gets('scanned')
  await login.sees('Scanned. Look at your phone.')
  await login.close()
})

loginTest('page\'s reason has the direction of its own words', async (own) => {
  const login = await open(own, { html: 'lang="ar" dir="rtl"' })
  assert.equal((await login.phone(await login.shownLink(), '--confirm')).code, 0)
  await login.gets('scanned')
  await login.getsConfirmed()
  await login.element.evaluate((element) => element.reject('This account is locked.'))
  await login.sees('This account is locked.')
  const message = login.element.locator('[part=message]')
  assert.equal(await message.evaluate((one) => getComputedStyle(one).direction), 'ltr')
  await login.close()
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

/** In each language: above the code, the name of the code, and below it. */
const WORDS = {
  ar: ['امسح هذا الرمز بهاتفك', 'رمز QR لتسجيل الدخول بالهاتف', 'رمز جديد'],
  de: ['Scannen Sie diesen Code mit Ihrem Smartphone', 'QR-Code zum Anmelden mit dem Smartphone', 'Neuer Code'],
  en: ['Scan this code with your phone', 'QR code to log in with your phone', 'New code'],
  es: ['Escanea este código con tu teléfono', 'Código QR para iniciar sesión con el teléfono', 'Código nuevo'],
  fr: ['Scannez ce code avec votre téléphone', 'Code QR pour se connecter avec le téléphone', 'Nouveau code'],
  it: ['Scansiona questo codice con il telefono', 'Codice QR per accedere con il telefono', 'Nuovo codice'],
  ja: ['スマートフォンでこのコードを読み取ってください', 'スマートフォンでログインするためのQRコード', '新しいコード'],
  pt: ['Leia este código com seu celular', 'Código QR para entrar com o celular', 'Novo código'],
}

loginTest('texts are in the language of the page', async (own) => {
  const login = await open(own, { html: 'lang="ar"' })
  for (const [lang, [scan, code, renew]] of Object.entries(WORDS)) {
    await login.page.evaluate((lang) => { document.documentElement.lang = lang }, lang)
    await login.sees(scan)
    await login.page.getByRole('img', { name: code, exact: true }).waitFor()
    await login.page.getByRole('button', { name: renew, exact: true }).waitFor()
    const panel = await login.element.evaluate((element) => {
      const shown = element.shadowRoot.querySelector('[part=panel]')
      return { lang: shown.lang, direction: getComputedStyle(shown).direction }
    })
    assert.deepEqual(panel, { lang, direction: lang === 'ar' ? 'rtl' : 'ltr' })
    await keep(login.page, `login-lang-${lang}`)
  }
  await login.close()
})

loginTest('language of the element wins, and changes without a new code', async (own) => {
  const login = await open(own, { html: 'lang="nl"' })
  const link = await login.shownLink()
  await login.sees(WORDS.en[0])
  const set = (where, lang) => login.page.evaluate(([selector, value]) => {
    document.querySelector(selector).lang = value
  }, [where, lang])
  await set('html', 'fr-CA')
  await login.sees(WORDS.fr[0])
  await set('countersign-login', 'ja')
  await login.sees(WORDS.ja[0])
  await set('html', 'de')
  await login.element.evaluate((element) => element.removeAttribute('lang'))
  await login.sees(WORDS.de[0])
  assert.equal(await login.link(), link)
  await login.close()
})

loginTest('texts of the page take its language and direction', async (own) => {
  const login = await open(own, { html: 'lang="he" dir="rtl"' })
  await login.sees(WORDS.en[0])
  const shown = () => login.element.evaluate((element) => {
    const panel = element.shadowRoot.querySelector('[part=panel]')
    return [panel.lang, getComputedStyle(panel).direction]
  })
  assert.deepEqual(await shown(), ['en', 'ltr'])
  await login.element.evaluate((element) => { element.texts = { scan: 'סרקו את הקוד בטלפון' } })
  await login.sees('סרקו את הקוד בטלפון')
  assert.deepEqual(await shown(), ['', 'rtl'])
  await login.scan('a code from right to left')
  await keep(login.page, 'login-rtl')
  await login.close()
})

loginTest('texts name the app as the page does', async (own) => {
  const login = await open(own)
  await login.code.waitFor()
  for (const [name, scan] of [
    [null, 'Scan this code with your phone'],
    ['  ', 'Scan this code with your phone'],
    ['<b>Shop</b>', 'Scan this code with the \u2068<b>Shop</b>\u2069 app'],
  ]) {
    if (name !== null) await login.element.evaluate((element, name) => element.setAttribute('app-name', name), name)
    const [message] = await login.page.getByRole('status').allInnerTexts()
    assert.equal(message, scan)
  }
  await login.close()
  const arabic = await open(own, { html: 'lang="ar"', attributes: 'app-name="Shop 24"' })
  await arabic.scan('a code with the name of an app')
  await keep(arabic.page, 'login-app-name-rtl')
  await arabic.close()
})

loginTest('page can replace texts of the element', async (own) => {
  const login = await open(own, { html: 'lang="de"' })
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
  assert.equal(await login.page.getByRole('button', { name: 'Neuer Code' }).count(), 1, 'the other texts stay')
  await keep(login.page, 'login-texts')
  await login.opensOnly(readCode(await login.page.screenshot(), 'a code in other words'))
  await login.gets('scanned')
  await login.sees('Gescannt. Schauen Sie auf Ihr Telefon.')
  await login.close()
})

loginTest('reduced motion stops the animation', async (own) => {
  let answer
  const held = new Promise((resolve) => { answer = resolve })
  const login = await open(own, {}, {
    prepare: (page) => page.route(/\/qr-sessions$/, async (route) => {
      await held
      await route.continue()
    }),
  })
  await login.sees('Creating a code…')
  const turning = login.page.locator('countersign-login [part=icon]')
  for (const [reducedMotion, animation] of [['reduce', 'none'], ['no-preference', 'turn']]) {
    await login.page.emulateMedia({ reducedMotion })
    assert.equal(await turning.evaluate((icon) => getComputedStyle(icon).animationName), animation)
    await keep(login.page, `login-opening-${reducedMotion}`)
  }
  answer()
  await login.code.waitFor()
  await login.close()
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

// In light mode, the states are checked one by one elsewhere.
loginTest('accessibility checker finds nothing in the dark', async (own) => {
  const login = await open(own, {}, { colorScheme: 'dark' })
  const { page } = login
  const link = await login.shownLink()
  await assertAccessible(page, 'the code in the dark')
  await login.opensOnly(link)
  await login.gets('scanned')
  await login.sees('Scanned. Look at your phone.')
  await assertAccessible(page, 'scanned in the dark')
  await keep(page, 'login-scanned-dark')
  await page.getByRole('button', { name: 'Show a new code' }).click()
  for (const [decision, outcome] of [['--deny', 'denied'], ['--confirm', 'confirmed']]) {
    const { code, err } = await login.phone(await login.shownLink(), decision)
    assert.equal(code, 0, err)
    await login.gets('scanned')
    await login.gets(outcome)
    await assertAccessible(page, `${outcome} in the dark`)
    if (outcome === 'denied') await page.getByRole('button', { name: 'Try again' }).click()
  }
  await login.close()
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
