// The element for phone numbers, with the real server and its simulated texts.

import assert from 'node:assert/strict'

import { devices } from 'playwright-core'

import { PhonePage, phonePage } from './support/phone-element.mjs'
import { keep, openWindow } from './support/page.mjs'
import { ask } from './support/server.mjs'
import { overTheServer } from './support/suite.mjs'

const phoneTest = overTheServer()

/** Sends a request as the page's server does. */
async function call({ server }, method, path, body) {
  const headers = { 'x-api-key': server.demo.apiKey, 'content-type': 'application/json' }
  const answer = await ask(server.url + path, { method, headers, body: body && JSON.stringify(body) })
  assert.ok(answer.status < 300, answer.text)
  return answer.text && answer.json()
}

/** Starts a confirmation of the number that the page sends, and passes on the service's answer. */
async function confirm(own, phone, route) {
  const { phoneNumber, country } = route.request().postDataJSON()
  const body = JSON.stringify({ callbackUrl: 'http://127.0.0.1:9/webhook', clientChannel: true, phoneNumber, country })
  const headers = { 'x-api-key': own.server.demo.apiKey, 'content-type': 'application/json' }
  const answer = await ask(`${own.server.url}/make-confirmation`, { method: 'POST', headers, body })
  phone.started.push(answer.json())
  await route.fulfill({ status: answer.status, json: answer.json() })
}

/** Opens a page whose server starts confirmations. `started` contains the answers. */
async function open(own, { attributes, phoneNumber, prepare, ...options } = {}) {
  const { browser, server, site } = own
  const window = await openWindow(browser, [server.url, site.url], options)
  const phone = new PhonePage(window)
  phone.started = []
  await phone.listen()
  await window.page.route('**/sign-up/phone', async (route) => {
    if (attributes) return confirm(own, phone, route)
    const request = { callbackUrl: 'http://127.0.0.1:9/webhook', clientChannel: true, phoneNumber }
    const path = phoneNumber ? '/make-confirmation' : '/acquire-phone-number'
    phone.started.push(await call(own, 'POST', path, request))
    await route.fulfill({ status: 201, json: phone.started.at(-1) })
  })
  await prepare?.(window.page)
  await window.page.goto(site.put(phonePage({ attributes, script: `${server.url}/widget.js` })))
  return phone
}

/** Sends the text that a confirmation requires. */
async function text({ server }, { confirmationMessage, sendTo }, from = '+12025550100') {
  const words = ['phone', 'text', '--from', from, '--to', sendTo, '--message', confirmationMessage]
  const { code, err } = await server.run(...words)
  assert.equal(code, 0, err)
}

phoneTest('text that a scanned code opens verifies the number', async (own) => {
  const phone = await open(own)
  const { confirmationId } = await phone.gets('started')
  const [started] = phone.started
  assert.equal(confirmationId, started.confirmationId)
  assert.equal(await phone.readCode('a code of the real server'), started.confirmationUri.qr)
  await text(own, started)
  assert.deepEqual(await phone.gets('verified'), { confirmationId })
  await phone.sees('Your phone number is verified')
  await phone.getsNothing()
  await phone.close()
})

phoneTest('text from another phone says so, and the right one still counts', async (own) => {
  const phone = await open(own, { phoneNumber: '+12025550100' })
  await phone.gets('started')
  await text(own, phone.started[0], '+12025550101')
  assert.deepEqual(await phone.gets('missed'), { reason: 'wrong_sender' })
  await phone.sees('The text came from another number. Send it from the right phone.')
  await keep(phone.page, 'phone-missed')
  await text(own, phone.started[0])
  await phone.gets('verified')
  await phone.close()
})

phoneTest('text is noticed without a socket, and so is the end of a confirmation', async (own) => {
  const prepare = (page) => page.routeWebSocket(/\/qr-socket/, (socket) => socket.close())
  const phone = await open(own, { prepare, ...devices['Pixel 7'] })
  const { confirmationId } = await phone.gets('started')
  await call(own, 'DELETE', `/confirmations/${confirmationId}`)
  await phone.gets('cancelled')
  await phone.page.getByRole('button', { name: 'Try again' }).click()
  await phone.gets('started')
  await text(own, phone.started[1])
  await phone.gets('verified')
  await phone.close()
})

phoneTest('confirmation that the service does not know is an error', async (own) => {
  const phone = await open(own, {
    prepare: (page) => page.route(/\/confirmation-status\//, (route) => (
      route.continue({ url: route.request().url().replace(/\w{4}$/, '0000') })
    )),
  })
  await phone.gets('started')
  assert.equal((await phone.gets('error')).code, 'confirmation_not_found')
  await phone.sees('Your number could not be checked')
  await phone.close(/404/)
})

phoneTest('number is read as people type and paste it', async (own) => {
  const phone = await open(own, { attributes: 'start="/sign-up/phone" mode="confirm" country="DE"' })
  await phone.element.locator('option').nth(200).waitFor({ state: 'attached' })
  const [country, field] = [phone.page.getByLabel('Country'), phone.page.getByLabel('Your phone number')]
  const mobile = '+4915112345678'
  for (const [typed, expected, region = 'DE'] of [
    ['0151 12345678', mobile], ['0151/123 456-78', mobile], ['+49 (0)151 12345678', mobile], ['0049 151 12345678', mobile], ['49 151 12345678', mobile],
    ['tel:+4915112345678', mobile], ['\u202a+49 151 12345678\u202c', mobile], ['٠١٥١ ١٢٣٤٥٦٧٨', mobile], ['०१५१ १२३४५६७८', mobile],
    ['＋４９　１５１　１２３４５６７８', mobile], [' 0151\u00a012345678 ', mobile], ['+1 (202) 555-0100', '+12025550100'], ['(202) 555-0100', '+12025550100', 'US'],
    ['06 12 34 56 78', '+33612345678', 'FR'], ['09012345678', '+819012345678', 'JP'], ['11 96123-4567', '+5511961234567', 'BR'],
  ]) {
    await country.selectOption(region)
    await field.fill(typed)
    await phone.page.keyboard.press('Enter')
    const event = await phone.event()
    assert.equal(event.name, 'started', typed)
    assert.equal(phone.started.at(-1).phoneNumber, expected, typed)
    await phone.sees(expected)
    await phone.page.getByRole('button', { name: 'Change the number' }).click()
  }
  await phone.close()
})

phoneTest('number that does not exist is named at its field, and the corrected one is verified', async (own) => {
  const { code, err } = await own.server.run('app', 'update', 'demo', '--refuse-number-type', 'toll-free')
  assert.equal(code, 0, err)
  const phone = await open(own, { attributes: 'start="/sign-up/phone" mode="confirm" country="US"' })
  await phone.element.locator('option').nth(200).waitFor({ state: 'attached' })
  const field = phone.page.getByLabel('Your phone number')
  for (const [typed, refusal] of [
    ['12', 'phone_number_not_national'], ['+1', 'phone_number_not_possible'], ['12 or 13', 'phone_number_not_national'], ['+999 123456', 'phone_number_not_possible'],
    ['800 253 0000', 'number_type_refused'],
  ]) {
    await field.fill(typed)
    const answered = phone.page.waitForResponse(/sign-up/)
    await phone.page.keyboard.press('Enter')
    await answered
    assert.equal(phone.started.at(-1).code, refusal, typed)
    const text = refusal === 'number_type_refused' ? /Type the number of a mobile phone/ : /There is no such phone number/
    await phone.page.getByRole('alert').filter({ hasText: text }).waitFor()
  }
  await keep(phone.page, 'phone-confirm-refused')
  await field.fill('(202) 555-0100')
  await phone.page.keyboard.press('Enter')
  await phone.gets('started')
  await text(own, phone.started.at(-1), '+12025550101')
  assert.deepEqual(await phone.gets('missed'), { reason: 'wrong_sender' })
  await text(own, phone.started.at(-1), '+12025550100')
  await phone.gets('verified')
  await phone.close(/status of 422/)
})
