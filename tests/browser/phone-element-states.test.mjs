// The appearance of the element for phone numbers in each of its states, in all languages, on narrow and wide
// pages.

import assert from 'node:assert/strict'

import { FONTS } from './support/fonts.mjs'
import { keep } from './support/page.mjs'
import { linksOf, openPhone } from './support/phone-element.mjs'
import { Looks, PLACES, REASON } from './support/states.mjs'
import { overTheFake } from './support/suite.mjs'

const tests = FONTS.map((font) => [font, overTheFake({ font })])

const MESSAGE = 'CS-7Q2M0XK4V9T1BHNE'

const MISSES = ['wrong_sender', 'wrong_recipient', 'number_hidden', 'number_type_refused']

for (const [font, phoneTest] of tests) {
  for (const place of PLACES) {
    phoneTest(`each state fits, has the same height and is accessible: ${place.name}, ${font} font`, (own) => visit(own, place, font))
  }
}

/** Takes an element through its states. */
async function visit({ browser, fake }, place, font) {
  const starts = holdStarts(fake)
  // As long as texts without an app's words.
  fake.other = { confirmationMessage: MESSAGE }
  const phone = await openPhone(browser, fake, {}, { ...place.options, prepare: (page) => page.clock.install() })
  const { element, page } = phone
  const looks = new Looks(phone, place, { accessible: font === FONTS[0] })
  const trouble = element.locator('[part=trouble]')
  const renew = element.locator('[part=renew]')
  const again = async () => {
    await renew.click()
    starts.answer()
    await phone.gets('started')
  }

  await element.locator('[part=message]').waitFor()
  await starts.held()
  await looks.at('starting')
  assert.equal(await element.getByText(/CS-/).count(), 0, 'nothing looks like a text to send yet')
  await page.context().setOffline(true)
  await trouble.filter({ hasText: /./ }).waitFor()
  await looks.at('starting-offline')
  await page.context().setOffline(false)
  starts.answer()
  await phone.gets('started')
  const shown = await phone.code.count() ? linksOf(MESSAGE).qr : undefined
  await looks.at('open', shown)
  for (const miss of MISSES) {
    fake.miss = miss
    phone.poke()
    assert.deepEqual(await phone.gets('missed'), { reason: miss })
    await looks.at(miss)
  }
  assert.equal(await phone.code.count(), shown ? 1 : 0, 'the code stays')
  await page.context().setOffline(true)
  await trouble.filter({ hasText: /./ }).waitFor()
  await looks.at('offline')
  await page.context().setOffline(false)
  await trouble.filter({ hasNotText: /./ }).waitFor({ state: 'attached' })
  for (const [status, code] of [[503, 'unavailable'], [429, 'slow_down']]) {
    fake.interfere = ({ method, path }, send) => (
      method === 'GET' && path.startsWith('/confirmations/') && (send(status, { code }), true)
    )
    for (let tries = 0; await trouble.innerText() === ''; tries += 1) await page.clock.fastForward(3_000)
    await looks.at(code)
    fake.interfere = starts.interfere
    for (let tries = 0; await trouble.innerText() !== ''; tries += 1) await page.clock.fastForward(3_000)
  }
  for (const status of ['expired', 'cancelled']) {
    fake.status = status
    phone.poke()
    await phone.gets(status)
    await looks.at(status)
    await again()
  }
  await element.evaluate((element) => element.addEventListener('verified', (event) => event.preventDefault()))
  fake.status = 'verified'
  phone.poke()
  await phone.gets('verified')
  await looks.at('checking')
  await element.evaluate((element) => element.accept())
  await looks.at('verified')
  await element.evaluate((element, reason) => element.reject(reason), REASON)
  await looks.at('rejected')
  await element.evaluate((element) => element.reject())
  await looks.at('failed')
  await again()
  await page.clock.fastForward(300_000)
  await page.waitForFunction(() => document.querySelector('countersign-phone').shadowRoot.querySelector('.turning'))
  await looks.at('ending')
  await keep(page, `phone-${place.name}`)
  looks.assertSteady()
  await phone.close(/ERR_INTERNET_DISCONNECTED|status of (429|503)/)
}

/** Lets the page's server answer only when a test allows it. */
function holdStarts(fake) {
  let waiting = null
  let heard = () => {}
  const interfere = ({ path }, send) => {
    if (path !== '/sign-up/phone') return false
    waiting = () => send(201, fake.started())
    heard()
    return true
  }
  fake.interfere = interfere
  const held = async () => {
    if (!waiting) await new Promise((resolve) => { heard = resolve })
  }
  return {
    interfere,
    held,
    /** Answers the waiting request or the next one. */
    answer: () => held().then(() => {
      waiting()
      waiting = null
    }),
  }
}

for (const [font, phoneTest] of tests) {
  phoneTest(`height depends on no letters of the code, ${font} font`, async ({ browser, fake }) => {
    for (const code of ['CS-MWMWMWMWMWMWMWMW', 'CS-1111111111111111']) {
      const starts = holdStarts(fake)
      fake.other = { confirmationMessage: code }
      const phone = await openPhone(browser, fake)
      await starts.held()
      const heights = async () => {
        const found = []
        for (let width = 240; width <= 400; width += 20) {
          await phone.page.setViewportSize({ width, height: 900 })
          found.push(await phone.element.evaluate((element) => element.getBoundingClientRect().height))
        }
        return found
      }
      const before = await heights()
      starts.answer()
      await phone.gets('started')
      assert.deepEqual(await heights(), before, code)
      await phone.close()
    }
  })
}
