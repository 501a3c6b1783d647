// The appearance of the element for phone numbers: on phones, in dark mode, from right to left, in other
// languages, and for screen readers.

import assert from 'node:assert/strict'

import { devices } from 'playwright-core'

import { assertAccessible } from './support/axe.mjs'
import { fits, keep } from './support/page.mjs'
import { linksOf, MESSAGE, openPhone } from './support/phone-element.mjs'
import { overTheFake } from './support/suite.mjs'

const phoneTest = overTheFake()

const NUMBER = '+12025550199'
const COST = 'Your mobile plan may charge for a text to this number (\u2068United States\u2069).'

const open = ({ browser, fake }, page, options) => openPhone(browser, fake, page, options)

phoneTest('computer shows a code for a phone, with a link, the number and the text', async (own) => {
  const phone = await open(own)
  assert.equal(await phone.readCode('a code on a computer'), linksOf(MESSAGE).qr)
  for (const text of [NUMBER, MESSAGE, COST]) await phone.sees(text)
  const link = phone.page.getByRole('link')
  assert.deepEqual(await link.allInnerTexts(), ['Open the text on this device'])
  assert.equal(await link.getAttribute('href'), linksOf(MESSAGE).sms)
  await keep(phone.page, 'phone-desktop')
  await phone.close()
})

phoneTest('phone shows one button that opens the text, and a code on demand', async (own) => {
  for (const [device, form] of [['Pixel 7', 'sms'], ['iPhone 15', 'ios']]) {
    const phone = await open(own, {}, devices[device])
    const { page } = phone
    const button = page.getByRole('link')
    await phone.sees('Send the prepared text from this phone, without changing it')
    assert.deepEqual(await button.allInnerTexts(), ['Open the text'])
    assert.equal(await button.getAttribute('href'), linksOf(MESSAGE)[form], device)
    assert.equal(await phone.code.count(), 0)
    for (const text of [NUMBER, MESSAGE, COST]) await phone.sees(text)
    await fits(page)
    await keep(page, `phone-${device.toLowerCase().replace(' ', '-')}`)

    await page.getByRole('button', { name: 'Show a code instead' }).click()
    assert.equal(await phone.readCode(`a code on a ${device}`), linksOf(MESSAGE).qr)
    await keep(page, `phone-${device.toLowerCase().replace(' ', '-')}-code`)
    await page.getByRole('button', { name: 'Use this phone instead' }).click()
    await phone.code.waitFor({ state: 'detached' })
    await phone.close()
  }
})

phoneTest('tablet shows the code, with the link of its system beside it', async (own) => {
  // With `isMobile`, Playwright reports a tablet as a phone in hints that browsers on tablets do not send.
  const { defaultBrowserType, ...ipad } = { ...devices['iPad Pro 11'], isMobile: false }
  // An iPad identifies itself as a Mac unless the mobile version of a page is requested.
  const safari = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15'
  for (const [options, form] of [
    [ipad, 'ios'], [{ ...ipad, userAgent: safari }, 'ios'], [{ ...devices['Galaxy Tab S4'], isMobile: false }, 'sms'],
  ]) {
    const phone = await open(own, {}, options)
    assert.ok(await phone.page.evaluate(() => navigator.maxTouchPoints > 0))
    assert.equal(await phone.readCode(`a code on a tablet with ${form}`), linksOf(MESSAGE).qr)
    const link = phone.page.getByRole('link')
    assert.deepEqual(await link.allInnerTexts(), ['Open the text on this device'])
    assert.equal(await link.getAttribute('href'), linksOf(MESSAGE)[form])
    await phone.close()
  }
})

phoneTest('code is readable in small windows, in the dark, with forced colours, and with a long text', async (own) => {
  const long = `${'Please send this to sign in. '.repeat(5).slice(0, 140)}CS-7Q2M0XK4V9T1BHNE`
  const window = { width: 1280, height: 900 }
  for (const message of [MESSAGE, long]) {
    own.fake.other = { confirmationMessage: message }
    const phone = await open(own)
    const { page } = phone
    for (const [name, size, media] of message === long ? [['long', window, {}]] : [
      ['280', { width: 280, height: 640 }, {}],
      ['320', { width: 320, height: 640 }, {}],
      ['dark', window, { colorScheme: 'dark' }],
      ['forced-dark', window, { forcedColors: 'active' }],
      ['forced', window, { colorScheme: 'light' }],
    ]) {
      await page.setViewportSize(size)
      await page.emulateMedia(media)
      assert.equal(await phone.readCode(name), linksOf(message).qr)
      await fits(page)
      await keep(page, `phone-${name}`)
    }
    await phone.close()
  }
})

phoneTest('texts are in the language of the page, and loaded only then', async (own) => {
  const { fake } = own
  for (const [lang, scan, cost] of [
    ['en-GB', 'Scan this code with your phone, and send the text that it opens', 'United States'],
    ['de-AT', 'Scannen Sie diesen Code, und senden Sie die SMS, die sich dann öffnet', 'Vereinigte Staaten'],
    ['pt-BR', 'Leia este código com seu celular e envie o SMS que se abre', 'Estados Unidos'],
    ['nl', 'Scan this code with your phone, and send the text that it opens', 'United States'],
  ]) {
    fake.seen = []
    const phone = await open(own, { html: `lang="${lang}"` })
    await phone.sees(scan)
    await phone.element.getByText(cost).waitFor()
    const loaded = fake.seen.map(({ path }) => path).filter((path) => path.startsWith('/widget/'))
    assert.deepEqual(loaded, /^(en|nl)/.test(lang) ? [] : [`/widget/${lang.slice(0, 2)}.js`])
    await fits(phone.page)
    await keep(phone.page, `phone-${lang}`)
    await phone.close()
  }
})

phoneTest('element shows no words until its language is there, but starts and shows the code', async (own) => {
  const { fake } = own
  let answer
  const held = new Promise((resolve) => { answer = resolve })
  fake.interfere = ({ path }, send) => path === '/widget/fr.js' && held.then(() => {
    fake.interfere = () => false
    send(404, '')
  }) && true
  const phone = await open(own, { html: 'lang="fr"' })
  await phone.gets('started')
  await phone.code.waitFor()
  assert.equal(await phone.element.getByText('Scan this code').isVisible(), false)
  assert.equal(await phone.page.getByRole('link').count(), 0)
  const height = () => phone.element.evaluate((element) => element.getBoundingClientRect().height)
  const before = await height()
  answer()
  await phone.sees('Scan this code with your phone, and send the text that it opens')
  assert.equal(await height(), before)
  assert.equal(await phone.element.locator('[part=panel]').getAttribute('lang'), 'en')
  await phone.close(/404/)
})

phoneTest('number and text stay in order from right to left', async (own) => {
  for (const [name, options] of [['desktop', {}], ['phone', devices['Pixel 7']]]) {
    const phone = await open(own, { html: 'lang="ar" dir="rtl"' }, options)
    await phone.sees(NUMBER)
    const parts = await phone.element.locator('bdi').evaluateAll((all) => all.map(({ dir, textContent }) => [dir, textContent]))
    assert.deepEqual(parts, [['ltr', NUMBER], ['auto', MESSAGE]])
    assert.equal(await phone.element.locator('[part=panel]').evaluate((panel) => getComputedStyle(panel).direction), 'rtl')
    await fits(phone.page)
    await keep(phone.page, `phone-rtl-${name}`)
    await phone.close()
  }
})

phoneTest('page\'s reason has the direction of its own words', async (own) => {
  const phone = await open(own, { html: 'lang="ar" dir="rtl"' })
  await phone.gets('started')
  const message = phone.element.locator('[part=message]')
  await phone.element.evaluate((element) => element.reject('This number is taken.'))
  assert.equal(await message.evaluate((one) => getComputedStyle(one).direction), 'ltr')
  await phone.page.getByRole('button').click()
  await phone.gets('started')
  assert.equal(await message.evaluate((one) => getComputedStyle(one).direction), 'rtl')
  await phone.close()
})

phoneTest('number and text can be copied, which is announced', async (own) => {
  const phone = await open(own, {}, { permissions: ['clipboard-read', 'clipboard-write'] })
  const { page } = phone
  for (const [name, value] of [['Copy the number', NUMBER], ['Copy the text', MESSAGE]]) {
    await page.getByRole('button', { name }).click()
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' })
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), value)
  }
  // A screen reader only announces changes, so the word must differ.
  const copied = phone.element.locator('[part=copied]')
  for (const name of ['Copy the text', 'Copy the text', 'Copy the number']) {
    const before = await copied.textContent()
    await page.getByRole('button', { name }).click()
    await page.waitForFunction(([element, before]) => element.textContent !== before, [await copied.elementHandle(), before])
    assert.equal((await copied.textContent()).trim(), 'Copied')
  }
  await keep(page, 'phone-copied')
  await phone.close()
})

phoneTest('test says so, and WhatsApp has a link of its own', async (own) => {
  const whatsapp = 'https://wa.me/12025550177?text=CS-7Q2M0XK4V9T1BHNE'
  own.fake.other = { test: true, confirmationUri: { ...linksOf(MESSAGE), whatsapp } }
  const phone = await open(own, {}, devices['Pixel 7'])
  await phone.sees('This is a test: no text from a phone completes it.')
  assert.equal(await phone.element.getByText('mobile plan').count(), 0)
  assert.equal(await phone.page.getByRole('link', { name: 'Send it on WhatsApp' }).getAttribute('href'), whatsapp)
  await keep(phone.page, 'phone-whatsapp')
  await phone.close()
  own.fake.other = { sendToCountry: undefined }
  const other = await open(own)
  await other.sees('Your mobile plan may charge for a text to this number.')
  await other.close()
})

phoneTest('element works with a keyboard and keeps the focus', async (own) => {
  const phone = await open(own)
  const { page } = phone
  await phone.gets('started')
  const focused = () => page.evaluate(() => {
    const inside = document.activeElement.shadowRoot?.activeElement
    return inside?.ariaLabel ?? inside?.textContent ?? document.activeElement.localName
  })
  const order = []
  for (let count = 0; count < 3; count += 1) {
    await page.keyboard.press('Tab')
    order.push(await focused())
  }
  assert.deepEqual(order, ['Copy the number', 'Copy the text', 'Open the text on this device'])
  own.fake.status = 'expired'
  phone.poke()
  await phone.gets('expired')
  assert.equal(await focused(), 'Time ran out before your text arrived')
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'New code')
  await page.keyboard.press('Enter')
  await phone.gets('started')
  await phone.close()
})

// In light mode, the states are checked one by one elsewhere.
phoneTest('accessibility checker finds nothing in the dark', async (own) => {
  const phone = await open(own, {}, { colorScheme: 'dark' })
  await phone.gets('started')
  await phone.code.waitFor()
  await assertAccessible(phone.page, 'the code in the dark')
  for (const status of ['expired', 'verified']) {
    own.fake.status = status
    phone.poke()
    await phone.gets(status)
    await assertAccessible(phone.page, `${status} in the dark`)
    if (status === 'verified') break
    await phone.page.getByRole('button', { name: 'New code' }).click()
    await phone.gets('started')
  }
  await phone.close()
})

phoneTest('changes are announced to screen readers, but not each second', async (own) => {
  const phone = await open(own)
  await phone.gets('started')
  const status = phone.page.getByRole('status')
  const scan = 'Scan this code with your phone, and send the text that it opens'
  assert.deepEqual((await status.allInnerTexts()).filter(Boolean), [scan])
  await phone.element.getByRole('timer').getByText(/[45]:\d\d/).waitFor()
  own.fake.miss = 'number_hidden'
  phone.poke()
  await phone.gets('missed')
  const hidden = 'The text came without your number. Send it as an SMS, or share your number first.'
  assert.deepEqual((await status.allInnerTexts()).filter(Boolean), [hidden])
  own.fake.status = 'verified'
  phone.poke()
  await phone.gets('verified')
  assert.deepEqual((await status.allInnerTexts()).filter(Boolean), ['Your phone number is verified'])
  await phone.close()
})
