// The appearance of the login element in each of its states, in all languages, on narrow and wide pages.

import assert from 'node:assert/strict'

import { FONTS } from './support/fonts.mjs'
import { openLogin } from './support/login.mjs'
import { pageWith } from './support/site.mjs'
import { Looks, PLACES, REASON } from './support/states.mjs'
import { overTheServer } from './support/suite.mjs'

const tests = FONTS.map((font) => [font, overTheServer({ font })])

for (const [font, loginTest] of tests) {
  for (const place of PLACES) {
    loginTest(`each state fits, has the same height and is accessible: ${place.name}, ${font} font`, (own) => visit(own, place, font))
  }
}

/**
 * Takes an element through its states. Most answers do not come from the server, because only a phone could cause them.
 */
async function visit({ browser, server, site }, place, font) {
  const url = site.put(pageWith(server, { attributes: 'app-name="Shop 24"' }))
  const { code: updated } = await server.run('app', 'update', 'demo', '--check-code', 'on', '--add-return-page', url)
  assert.equal(updated, 0)
  const answers = new Answers(site.url)
  const login = await openLogin(browser, server, url, {
    ...place.options,
    prepare: async (page) => {
      await page.clock.install()
      await answers.over(page)
    },
  })
  const { element, page } = login
  const looks = new Looks(login, place, { accessible: font === FONTS[0] })
  const trouble = element.locator('[part=trouble]')
  const field = element.getByRole('textbox')
  const call = (name, ...words) => element.evaluate((element, [name, ...words]) => element[name](...words), [name, ...words])
  const troubled = async (state, some = /./) => {
    await page.context().setOffline(true)
    await trouble.filter({ hasText: some }).waitFor()
    await looks.at(`${state}-offline`)
    await page.context().setOffline(false)
    await trouble.filter({ hasNotText: some }).waitFor({ state: 'attached' })
  }
  const fresh = async () => {
    await call('refresh')
    await page.waitForFunction(() => document.querySelector('countersign-login').link)
  }
  /** Makes the service answer that a new login is in a state. */
  const becomes = async (state, ...events) => {
    await fresh()
    answers.state = state
    await page.clock.fastForward(15_000)
    for (const event of events) await login.gets(event)
    answers.state = null
  }
  /** Types a code, to which the service answers with this problem. */
  const types = async (code, ...answer) => {
    answers.redeem = answer
    await field.fill(code)
    await field.press('Enter')
  }

  answers.hold()
  await element.locator('[part=message]').waitFor()
  await looks.at('opening')
  answers.letGo()
  await page.waitForFunction(() => document.querySelector('countersign-login').link)
  await looks.at('waiting', await login.code.count() ? await login.link() : undefined)
  await troubled('waiting')
  await becomes('scanned', 'scanned')
  await looks.at('scanned')
  answers.state = 'expired'
  await page.clock.fastForward(15_000)
  await login.gets('expired')
  await looks.at('late')
  for (const state of ['denied', 'blocked']) {
    await becomes(state, 'scanned', state)
    await looks.at(state)
  }
  await becomes('cancelled', 'cancelled')
  await looks.at('cancelled')
  answers.redeem = [403, 'check_code_required']
  await becomes('confirmed', 'scanned')
  await field.waitFor()
  answers.state = 'confirmed'
  await looks.at('typing')
  for (const triesLeft of [2, 1]) {
    await types(`1${triesLeft}`, 403, 'check_code_wrong', { triesLeft })
    await element.getByRole('alert').filter({ hasText: /./ }).waitFor()
    await looks.at(`wrong-${triesLeft}`)
  }
  await troubled('wrong')
  await types('13', 409, 'session_blocked')
  await login.gets('blocked')
  await looks.at('wrong-codes')
  answers.state = null
  answers.redeem = [403, 'return_token_required']
  await becomes('confirmed', 'scanned')
  if (place.name === 'phone') await looks.at('elsewhere')

  answers.redeem = null
  await fresh()
  await element.evaluate((element) => element.addEventListener('confirmed', (event) => event.preventDefault()))
  const { code, said, err } = await login.phone(await login.link(), '--confirm', '--payload', 'hello')
  assert.equal(code, 0, err)
  await page.clock.fastForward(15_000)
  await login.gets('scanned')
  await field.fill(said.checkCode)
  await field.press('Enter')
  await login.getsConfirmed()
  await looks.at('checking')
  await call('accept')
  await looks.at('confirmed')
  await call('reject', REASON)
  await looks.at('rejected')
  await call('reject')
  await element.evaluate((element) => element.setAttribute('app-key', ''))
  await login.gets('error')
  await looks.at('failed')
  looks.assertSteady()
  await login.close(/ERR_INTERNET_DISCONNECTED|status of 40[39]/)
}

/** Answers that replace the server's if they are set. */
class Answers {
  /** The state of each login. */
  state = null
  /** Status, code and more of the answer to a redemption. */
  redeem = null
  #headers
  #held = Promise.resolve()
  letGo = () => {}

  constructor(origin) {
    this.#headers = { 'access-control-allow-origin': origin, 'access-control-expose-headers': 'etag' }
    this.hold()
  }

  /** Holds back requests for new logins until `letGo` is called. */
  hold() {
    this.#held = new Promise((resolve) => { this.letGo = resolve })
  }

  async over(page) {
    const headers = this.#headers
    await page.route(/\/qr-sessions/, async (route, request) => {
      const method = request.method()
      const { pathname } = new URL(request.url())
      if (method === 'POST' && pathname.endsWith('/qr-sessions')) await this.#held
      if (method === 'GET' && this.state) return route.fulfill({ headers, json: { state: this.state } })
      if (pathname.endsWith('/redeem') && this.redeem) {
        const [status, code, rest] = this.redeem
        return route.fulfill({ status, headers, json: { code, ...rest } })
      }
      return route.continue()
    })
  }
}
