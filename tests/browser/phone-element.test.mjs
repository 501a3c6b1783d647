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

/** Opens a page whose server starts confirmations. The answers are in `started`. */
async function open(own, { phoneNumber, prepare, ...options } = {}) {
  const { browser, server, site } = own
  const window = await openWindow(browser, [server.url, site.url], options)
  const phone = new PhonePage(window)
  phone.started = []
  await phone.listen()
  await window.page.route('**/sign-up/phone', async (route) => {
    const request = { callbackUrl: 'http://127.0.0.1:9/webhook', clientChannel: true, phoneNumber }
    const path = phoneNumber ? '/make-confirmation' : '/acquire-phone-number'
    phone.started.push(await call(own, 'POST', path, request))
    await route.fulfill({ status: 201, json: phone.started.at(-1) })
  })
  await prepare?.(window.page)
  await window.page.goto(site.put(phonePage({ script: `${server.url}/widget.js` })))
  return phone
}

/** Sends the text that a confirmation asks for. */
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
