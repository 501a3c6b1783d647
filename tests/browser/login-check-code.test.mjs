// Check codes in a browser with the real server: the user types the two digits that the phone shows.

import assert from 'node:assert/strict'

import { assertAccessible } from './support/axe.mjs'
import { openLogin } from './support/login.mjs'
import { keep } from './support/page.mjs'
import { pageWith } from './support/site.mjs'
import { overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()
const ASKS = 'Confirmed. Type the two digits that your phone shows.'
const TWO_LEFT = 'These are not the digits on your phone. Two tries left.'
const ONE_LEFT = 'These are not the digits on your phone. One try left.'

/** Opens a page of an app that requires check codes. */
async function open({ browser, server, site }, page = {}, options = {}) {
  const { code, err } = await server.run('app', 'update', 'demo', '--check-code', 'on')
  assert.equal(code, 0, err)
  return openLogin(browser, server, site.put(pageWith(server, page)), options)
}

/** Confirms the shown login, waits for the field, and returns it with the digits on the phone. */
async function confirmed(login, payload = 'hello') {
  const { code, said, err } = await login.phone(await login.shownLink(), '--confirm', '--payload', payload)
  assert.equal(code, 0, err)
  assert.match(said.checkCode, /^\d\d$/)
  await login.gets('scanned')
  const field = login.page.getByRole('textbox')
  await field.waitFor()
  return { digits: said.checkCode, field }
}

/** Types digits, and waits until the service has answered and the element has drawn the answer. */
async function send(login, field, code) {
  const answered = login.page.waitForResponse((response) => response.url().endsWith('/redeem'))
  await field.fill(code)
  await field.press('Enter')
  await answered
}

/** Chromium's log line about wrong digits. */
const REFUSED = /status of (403|409)/

/** Returns codes other than this one. */
const wrong = (digits) => ['10', '21', '32', '43'].filter((code) => code !== digits).slice(0, 3)

loginTest('page gets the payload once the user has typed the digits', async (own) => {
  const login = await open(own)
  const { digits, field } = await confirmed(login, 'for this page')
  await login.sees(ASKS)
  await keep(login.page, 'login-check-code')
  await assertAccessible(login.page, 'the field for the check code')
  await field.fill(digits)
  await login.page.getByRole('button', { name: 'Continue', exact: true }).click()
  assert.equal((await login.getsConfirmed()).payload, 'for this page')
  await login.sees('Confirmed')
  assert.equal(await field.count(), 0)
  await login.getsNothing()
  await login.close()
})

loginTest('field is labelled, wants digits, and keeps none for the next time', async (own) => {
  const login = await open(own)
  const { field } = await confirmed(login)
  await login.page.getByRole('textbox', { name: ASKS, exact: true }).waitFor()
  const facts = await field.evaluate(({ autocomplete, dir, inputMode, name, type }) => (
    { autocomplete, dir, inputMode, name, type }
  ))
  assert.deepEqual(facts, { autocomplete: 'off', dir: 'ltr', inputMode: 'numeric', name: '', type: 'text' })
  for (const [typed, kept] of [['4x2', '42'], ['４２', '42'], ['٤٢', '42'], ['12345', '12'], ['ab', '']]) {
    await field.fill('')
    await field.pressSequentially(typed)
    assert.equal(await field.inputValue(), kept, typed)
  }
  await login.close()
})

loginTest('wrong digits are said, and the third end the login', async (own) => {
  const login = await open(own)
  const { digits, field } = await confirmed(login)
  const [first, second, third] = wrong(digits)
  const alert = login.page.getByRole('alert')
  for (const [code, says] of [[first, TWO_LEFT], [first, TWO_LEFT], [second, ONE_LEFT]]) {
    await send(login, field, code)
    await alert.getByText(says, { exact: true }).waitFor()
    assert.equal(await field.inputValue(), '')
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
  }
  await keep(login.page, 'login-check-code-wrong')
  await assertAccessible(login.page, 'wrong digits')
  await field.fill(third)
  await field.press('Enter')
  assert.equal(await login.gets('blocked'), null)
  await login.sees('Stopped to keep you safe: the digits were wrong three times')
  await login.getsNothing()

  await login.page.getByRole('button', { name: 'Try again' }).click()
  const again = await confirmed(login)
  assert.equal(await again.field.getAttribute('aria-invalid'), null, 'the next login starts without a word')
  await again.field.fill(again.digits)
  await again.field.press('Enter')
  await login.getsConfirmed()
  await login.close(REFUSED)
})

loginTest('keyboard is enough, and the field takes the focus only from nowhere', async (own) => {
  const login = await open(own)
  const { digits } = await confirmed(login)
  const [miss] = wrong(digits)
  await login.page.keyboard.type(miss)
  await login.page.keyboard.press('Enter')
  await login.page.getByRole('alert').getByText(TWO_LEFT, { exact: true }).waitFor()
  await login.page.keyboard.type(digits)
  await login.page.keyboard.press('Enter')
  await login.getsConfirmed()
  await login.close(REFUSED)

  const busy = await open(own, { body: (element) => `<label>Name <input id="name"></label>${element}` })
  await busy.code.waitFor()
  await busy.page.locator('#name').focus()
  await confirmedBeside(busy)
  assert.equal(await busy.page.evaluate(() => document.activeElement.id), 'name')
  await busy.close()
})

/** Confirms the shown login of a page that has a text field. */
async function confirmedBeside(login) {
  const { code, err } = await login.phone(await login.shownLink(), '--confirm')
  assert.equal(code, 0, err)
  await login.gets('scanned')
  await login.element.getByRole('textbox').waitFor()
}

loginTest('incomplete digits are not sent', async (own) => {
  const login = await open(own)
  const { digits, field } = await confirmed(login)
  for (const typed of ['', digits[0]]) {
    await field.fill(typed)
    await field.press('Enter')
    assert.equal(await field.inputValue(), typed)
  }
  await field.fill(digits)
  await field.press('Enter')
  await login.getsConfirmed()
  await login.close()
})

loginTest('page can give up while the user types', async (own) => {
  const login = await open(own)
  await confirmed(login)
  await login.element.evaluate((element) => element.cancel())
  assert.equal(await login.gets('cancelled'), null)
  assert.equal(await login.page.getByRole('textbox').count(), 0)
  await login.getsNothing()

  await login.element.evaluate((element) => element.refresh())
  await confirmed(login)
  await login.page.getByRole('button', { name: 'Show a new code' }).click()
  await login.code.waitFor()
  await login.close()
})
