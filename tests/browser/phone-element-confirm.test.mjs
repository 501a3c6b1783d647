// The element for phone numbers, which asks for the number to confirm.

import assert from 'node:assert/strict'

import { assertAccessible } from './support/axe.mjs'
import { keep } from './support/page.mjs'
import { openPhone } from './support/phone-element.mjs'
import { overTheFake } from './support/suite.mjs'

const phoneTest = overTheFake()

const ATTRIBUTES = 'start="/sign-up/phone" mode="confirm"'

const WRONG = 'There is no such phone number. Check the country and the digits.'

/** Opens a page with the field. `sent` contains the requests to the page's server. */
async function open({ browser, fake }, { attributes = ATTRIBUTES, ...page } = {}, { prepare, ...options } = {}) {
  const sent = []
  fake.other.phoneNumber ??= '+4915112345678'
  const phone = await openPhone(browser, fake, { attributes, ...page }, {
    locale: 'en-US',
    ...options,
    prepare: async (page) => {
      page.on('request', (request) => { if (request.url().endsWith('/sign-up/phone')) sent.push(request.postDataJSON()) })
      await prepare?.(page)
    },
  })
  return Object.assign(phone, {
    sent,
    field: phone.page.getByLabel('Your phone number'),
    country: phone.page.getByLabel('Country'),
    wrong: phone.page.getByRole('alert'),
    next: phone.page.getByRole('button', { name: 'Continue' }),
    change: phone.page.getByRole('button', { name: 'Change the number' }),
    focused: () => phone.page.evaluate(() => {
      const { activeElement } = document
      return activeElement.shadowRoot?.activeElement?.id ?? activeElement.localName
    }),
    /** Waits until the countries are loaded. */
    listed: () => phone.page.waitForFunction(() => (
      document.querySelector('countersign-phone').shadowRoot?.querySelectorAll('option').length > 200
    )),
  })
}

/** Refuses the next number, in the way that a page's server passes on the service's answer. */
function refuse(fake, code, status = 422) {
  fake.interfere = ({ path }, send) => {
    if (path !== '/sign-up/phone') return false
    fake.interfere = () => false
    send(status, { code, title: 'Refused', status })
    return true
  }
}

phoneTest('user types a number, and it is confirmed as without the field', async (own) => {
  const phone = await open(own)
  await phone.sees('Type your phone number')
  await phone.listed()
  assert.deepEqual(phone.sent, [])
  assert.equal(await phone.focused(), 'body', 'the field does not take the focus from the page')
  for (const [name, value] of Object.entries({ type: 'tel', autocomplete: 'tel', dir: 'ltr', enterkeyhint: 'send', required: '' })) {
    assert.equal(await phone.field.getAttribute(name), value, name)
  }
  await phone.field.fill('  (202) 555-0100 ')
  await phone.next.click()
  await phone.gets('started')
  assert.deepEqual(phone.sent, [{ phoneNumber: '(202) 555-0100', country: 'US' }])
  await phone.sees('+4915112345678')
  assert.equal(await phone.field.isVisible(), false)
  own.fake.status = 'verified'
  phone.poke()
  await phone.gets('verified')
  await phone.sees('Your phone number is verified')
  await phone.close()
})

phoneTest('number that the service refuses is asked for again, with the reason at the field', async (own) => {
  const { fake } = own
  const phone = await open(own)
  const { page } = phone
  await page.keyboard.press('Tab')
  assert.equal(await phone.focused(), 'country')
  await page.keyboard.press('Tab')
  assert.equal(await phone.focused(), 'tel')
  for (const [code, text, status] of [
    ['phone_number_not_international', WRONG], ['phone_number_not_national', WRONG, 400], ['phone_number_not_possible', WRONG],
    ['country_malformed', WRONG],
    ['number_type_refused', 'Numbers of this kind are not accepted. Type the number of a mobile phone.'],
  ]) {
    refuse(fake, code, status)
    await phone.field.fill('12')
    await page.keyboard.press('Enter')
    await phone.wrong.filter({ hasText: text }).waitFor()
    assert.equal(await phone.field.inputValue(), '12')
    assert.equal(await phone.field.getAttribute('aria-invalid'), 'true')
    const description = await phone.field.evaluate((field) => field.getRootNode().getElementById(field.getAttribute('aria-describedby')).textContent)
    assert.equal(description, text)
    assert.equal(await phone.focused(), 'tel', 'the field has the focus again')
  }
  await assertAccessible(page, 'a refused number')
  await phone.field.fill('+1 202 555 0100')
  await page.keyboard.press('Enter')
  await phone.gets('started')
  assert.equal(await phone.field.getAttribute('aria-invalid'), null)
  await phone.close(/status of 4/)
})

phoneTest('field without digits is sent to no server, and digits of any script are', async (own) => {
  const phone = await open(own)
  for (const text of ['', '  ', 'abc', '+']) {
    await phone.field.fill(text)
    await phone.next.click()
    await phone.wrong.filter({ hasText: 'Type your phone number' }).waitFor()
    assert.equal(await phone.focused(), 'tel')
  }
  assert.deepEqual(phone.sent, [])
  for (const number of ['٠١٥١ ١٢٣٤٥٦٧٨', '०१५१ १२३४५६७८', '０１５１ １２３４５６７８']) {
    await phone.field.fill(number)
    await phone.next.click()
    await phone.gets('started')
    assert.equal(phone.sent.at(-1).phoneNumber, number)
    await phone.change.click()
    assert.equal(await phone.focused(), 'tel')
    assert.equal(await phone.wrong.innerText(), '')
  }
  await phone.close()
})

phoneTest('country is the attribute\'s, that of the page\'s language, or that of the browser\'s', async (own) => {
  for (const [attributes, html, locale, expected] of [
    ['country="at"', 'lang="de-DE"', 'en-US', ['AT', 'Österreich (\u200e+43)']],
    ['', 'lang="de-CH"', 'en-US', ['CH', 'Schweiz (\u200e+41)']],
    ['', 'lang="fr"', 'en-GB', ['GB', 'Royaume-Uni (\u200e+44)']],
    ['', 'lang="ja"', 'es-419', ['JP', '日本 (\u200e+81)']],
    ['country="AQ"', 'lang="en"', 'en-US', ['', '–']],
  ]) {
    const phone = await open(own, { attributes: `${ATTRIBUTES} ${attributes}`, html }, { locale })
    await phone.listed()
    const select = phone.element.locator('select')
    assert.deepEqual(await select.evaluate(({ value, selectedOptions: [option] }) => [value, option.text]), expected)
    await phone.close()
  }
  const phone = await open(own)
  await phone.listed()
  await phone.country.selectOption({ label: 'Germany (\u200e+49)' })
  await phone.field.fill('0151 12345678')
  await phone.next.click()
  await phone.gets('started')
  assert.deepEqual(phone.sent, [{ phoneNumber: '0151 12345678', country: 'DE' }])
  await phone.change.click()
  await phone.page.evaluate(() => { document.documentElement.lang = 'fr' })
  await phone.element.getByText('Continuer').waitFor()
  assert.equal(await phone.element.locator('select').evaluate(({ selectedOptions: [option] }) => option.text), 'Allemagne (\u200e+49)')
  await phone.element.evaluate((element) => { element.country = 'FR' })
  assert.equal(await phone.element.locator('select').inputValue(), 'DE', 'the user has chosen')
  await phone.close()
})

phoneTest('number with its calling code chooses the country', async (own) => {
  const phone = await open(own)
  await phone.listed()
  for (const [number, country] of [['+4', 'US'], ['+49 151', 'DE'], ['+1 416 555 0100', 'US'], ['020 7946 0000', 'US'], ['\u202a+44 20 7946 0000\u202c', 'GB']]) {
    await phone.field.fill(number)
    assert.equal(await phone.country.inputValue(), country, number)
  }
  await phone.country.selectOption('CA')
  await phone.field.fill('+1 416 555 0100')
  assert.equal(await phone.country.inputValue(), 'CA')
  await phone.close()
})

phoneTest('page without the list of countries takes numbers in international form', async (own) => {
  own.fake.interfere = ({ path }, send) => path === '/widget/countries.js' && (send(404, ''), true)
  const phone = await open(own)
  await phone.field.fill('+49 151 12345678')
  await phone.next.click()
  await phone.gets('started')
  await phone.close(/404/)
  const named = await open(own, { attributes: `${ATTRIBUTES} country="DE"` })
  await named.field.fill('0151 12345678')
  await named.next.click()
  await named.gets('started')
  assert.deepEqual([...phone.sent, ...named.sent], [{ phoneNumber: '+49 151 12345678' }, { phoneNumber: '0151 12345678', country: 'DE' }])
  await named.close(/404/)
})

phoneTest('user changes the number while the text is awaited, and starts again after an end', async (own) => {
  const { fake } = own
  const phone = await open(own)
  await phone.field.fill('202 555 0100')
  await phone.next.click()
  await phone.gets('started')
  await phone.change.click()
  await phone.sees('Type your phone number')
  assert.equal(await phone.field.inputValue(), '202 555 0100')
  await phone.field.fill('202 555 0101')
  await phone.next.click()
  await phone.gets('started')
  fake.status = 'expired'
  phone.poke()
  await phone.gets('expired')
  await phone.page.getByRole('button', { name: 'New code' }).click()
  assert.equal(await phone.focused(), 'tel')
  await phone.page.keyboard.press('Enter')
  await phone.gets('started')
  assert.deepEqual(phone.sent.map(({ phoneNumber }) => phoneNumber), ['202 555 0100', '202 555 0101', '202 555 0101'])
  await phone.element.evaluate((element) => element.refresh())
  await phone.sees('Type your phone number')
  await phone.close()
})

phoneTest('what the page\'s server refuses for other reasons is an error as without the field', async (own) => {
  const phone = await open(own)
  await phone.field.fill('202 555 0100')
  for (const [status, code] of [[403, 'forbidden'], [422, 'metadata_malformed'], [409, 'phone_number_taken']]) {
    refuse(own.fake, code, status)
    await phone.next.click()
    assert.equal((await phone.gets('error')).code, 'start_refused')
    await phone.page.getByRole('button', { name: 'Try again' }).click()
    assert.equal(await phone.focused(), 'tel')
    await phone.next.click()
    await phone.gets('started')
    await phone.change.click()
  }
  await phone.close(/status of 4/)
  refuse(own.fake, 'phone_number_not_possible')
  const without = await open(own, { attributes: 'start="/sign-up/phone"' })
  assert.equal((await without.gets('error')).code, 'start_refused', 'nobody typed a number')
  await without.close(/status of 4/)
})

phoneTest('function of the page gets the number, and may refuse it', async (own) => {
  const phone = await open(own, { attributes: 'mode="confirm"' })
  await phone.element.evaluate((element) => {
    element.start = (body) => {
      globalThis.body = body
      if (body.phoneNumber === '1') return Response.json({ code: 'phone_number_not_possible' }, { status: 422 })
      return fetch('/sign-up/phone', { method: 'POST', body: JSON.stringify(body) })
    }
  })
  await phone.field.fill('1')
  await phone.next.click()
  await phone.wrong.filter({ hasText: WRONG }).waitFor()
  await phone.field.fill('202 555 0100')
  await phone.next.click()
  await phone.gets('started')
  assert.deepEqual(await phone.page.evaluate(() => globalThis.body), { phoneNumber: '202 555 0100', country: 'US' })
  await phone.close()
})

phoneTest('page that was loaded again goes on with the number, until there is an end', async (own) => {
  const { fake } = own
  const phone = await open(own)
  const { page } = phone
  await phone.field.fill('202 555 0100')
  await phone.next.click()
  await phone.gets('started')
  await page.reload()
  await phone.gets('started')
  assert.deepEqual(phone.sent[1], phone.sent[0])
  fake.status = 'cancelled'
  phone.poke()
  await phone.gets('cancelled')
  await page.reload()
  await phone.sees('Type your phone number')
  assert.equal(await phone.field.inputValue(), '')

  await page.clock.install()
  await phone.field.fill('202 555 0100')
  await phone.next.click()
  await phone.gets('started')
  assert.match(await page.evaluate(() => JSON.stringify({ ...sessionStorage })), /202 555 0100/)
  await page.clock.setFixedTime(Date.now() + 301_000)
  await page.reload()
  await phone.sees('Type your phone number')
  assert.equal(phone.sent.length, 3)
  await phone.close()

  const other = await open(own, {}, { prepare: (page) => page.addInitScript(() => {
    Object.defineProperty(globalThis, 'sessionStorage', { get: () => { throw new DOMException('denied', 'SecurityError') } })
  }) })
  await other.field.fill('202 555 0100')
  await other.next.click()
  await other.gets('started')
  await other.page.reload()
  await other.sees('Type your phone number')
  await other.close()
})

phoneTest('mode can be set and removed, and a confirmation of the page needs no field', async (own) => {
  const { fake } = own
  const phone = await open(own, { attributes: 'start="/sign-up/phone"' })
  await phone.gets('started')
  assert.equal(await phone.field.count(), 0)
  await phone.element.evaluate((element) => { element.mode = 'confirm' })
  await phone.sees('Type your phone number')
  await phone.element.evaluate((element, session) => { element.session = session }, fake.started())
  await phone.gets('started')
  await phone.sees('+4915112345678')
  await phone.change.click()
  assert.equal(await phone.field.inputValue(), '+4915112345678')
  await phone.element.evaluate((element) => { element.mode = null })
  await phone.gets('started')
  assert.equal(await phone.field.count(), 0)
  assert.equal(await phone.change.count(), 0)
  await phone.close()
  for (const attributes of ['start="/sign-up/phone" mode="acquire"', `${ATTRIBUTES} country="Germany"`]) {
    const warnings = []
    const odd = await open(own, { attributes }, {
      prepare: (page) => page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text())),
    })
    if (attributes.includes('country')) await odd.listed()
    else await odd.gets('started')
    await odd.element.evaluate((element) => element.refresh())
    assert.equal(warnings.filter((text) => text.includes('cannot be read')).length, 1, attributes)
    await odd.close(/cannot be read/)
  }
})

// Other tests check it in light mode, from right to left, and on a phone.
phoneTest('field is accessible in the dark and with forced colours', async (own) => {
  for (const [name, options] of [['dark', { colorScheme: 'dark' }], ['forced', { forcedColors: 'active' }]]) {
    const phone = await open(own, {}, options)
    await phone.listed()
    await assertAccessible(phone.page, `the field, ${name}`)
    await keep(phone.page, `phone-confirm-${name}`)
    const { direction, fontSize } = await phone.element.locator('input').evaluate((field) => {
      document.documentElement.dir = 'rtl'
      const { direction, fontSize } = getComputedStyle(field)
      return { direction, fontSize }
    })
    assert.equal(direction, 'ltr')
    assert.ok(parseFloat(fontSize) >= 16, fontSize)
    await phone.close()
  }
})
