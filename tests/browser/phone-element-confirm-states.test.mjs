// The appearance of the number field, and of the states after it, in all languages, on narrow and wide pages.

import { FONTS } from './support/fonts.mjs'
import { openPhone } from './support/phone-element.mjs'
import { Looks, PLACES, REASON } from './support/states.mjs'
import { overTheFake } from './support/suite.mjs'

const tests = FONTS.map((font) => [font, overTheFake({ font })])

for (const [font, phoneTest] of tests) {
  for (const place of PLACES) {
    const name = `${place.name}, ${font} font`
    phoneTest(`each state with the field fits, has the same height and is accessible: ${name}`, (own) => visit(own, place, font))
  }
}

/** Takes an element through its states. */
async function visit({ browser, fake }, place, font) {
  // The longest numbers have fifteen digits.
  fake.other = { confirmationMessage: 'CS-7Q2M0XK4V9T1BHNE', phoneNumber: '+491511234567890' }
  const page = { attributes: 'start="/sign-up/phone" mode="confirm" country="DE"' }
  const phone = await openPhone(browser, fake, page, place.options)
  const { element } = phone
  const looks = new Looks(phone, place, { accessible: font === FONTS[0] })
  const field = element.locator('input')
  await element.locator('option').nth(100).waitFor({ state: 'attached' })
  await looks.at('asking')
  for (const code of ['phone_number_not_possible', 'number_type_refused']) {
    fake.interfere = ({ path }, send) => path === '/sign-up/phone' && (send(422, { code }), true)
    await field.fill('12')
    const answered = phone.page.waitForResponse(/sign-up/)
    await field.press('Enter')
    await answered
    await element.locator('[part=wrong]').filter({ hasText: /./ }).waitFor()
    await looks.at(code)
  }
  let answer
  fake.interfere = ({ path }, send) => {
    if (path !== '/sign-up/phone') return false
    answer = () => send(201, fake.started())
    return true
  }
  await field.fill('0151 12345678')
  const asked = phone.page.waitForRequest(/sign-up/)
  await field.press('Enter')
  await asked
  await looks.at('starting')
  answer()
  await phone.gets('started')
  await looks.at('open')
  fake.miss = 'wrong_sender'
  phone.poke()
  await phone.gets('missed')
  await looks.at('wrong_sender')
  fake.status = 'expired'
  phone.poke()
  await phone.gets('expired')
  await looks.at('expired')
  await element.evaluate((element, reason) => element.reject(reason), REASON)
  await looks.at('rejected')
  looks.assertSteady()
  await phone.close(/status of 422/)
}
