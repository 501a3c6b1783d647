// An element starts only when it is visible: not in closed dialogs, hidden pages and previews. Afterwards, the code is
// new.

import assert from 'node:assert/strict'

import { openLogin } from './support/login.mjs'
import { openPhone } from './support/phone-element.mjs'
import { pageWith } from './support/site.mjs'
import { overTheFake, overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()
const phoneTest = overTheFake()

/** Ways to hide an element in its page, and to show it. Each is a script of the page. */
const HIDDEN = {
  dialog: [`const dialog = document.createElement('dialog'); element.replaceWith(dialog); dialog.append(element)`, `document.querySelector('dialog').showModal()`],
  'display': [`document.querySelector('main').style.display = 'none'`, `document.querySelector('main').style.display = ''`],
  'hidden': [`element.hidden = true`, `element.hidden = false`],
  'visibility': [`document.querySelector('main').style.visibility = 'hidden'`, `document.querySelector('main').style.visibility = ''`],
  'details': [`const details = document.createElement('details'); element.replaceWith(details); details.append(element)`, `document.querySelector('details').open = true`],
  'preview': [`document.documentElement.setAttribute('data-turbo-preview', '')`, `document.documentElement.removeAttribute('data-turbo-preview'); document.dispatchEvent(new Event('turbo:render'))`],
  'page': [
    `globalThis.hides = true`, `globalThis.hides = false; document.dispatchEvent(new Event('visibilitychange'))`,
  ],
}

/** Opens a page whose element is hidden in one of these ways. Counts the requests that start something. */
async function openHidden(own, tag, hide) {
  const starts = []
  const prepare = async (page) => {
    page.on('request', (request) => {
      if (request.method() === 'POST' && /\/(sign-up\/phone|qr-sessions)$/.test(request.url())) starts.push(request.url())
    })
    await page.clock.install()
    await page.addInitScript(([tag, hide]) => {
      Object.defineProperty(document, 'visibilityState', { get: () => (globalThis.hides ? 'hidden' : 'visible') })
      // Before the element's script, which is a module.
      document.addEventListener('readystatechange', () => {
        if (document.readyState === 'interactive') new Function('element', hide)(document.querySelector(tag))
      })
    }, [tag, hide])
  }
  const { browser, server, site, fake } = own
  const one = fake ? await openPhone(browser, fake, {}, { prepare }) : await openLogin(browser, server, site.put(pageWith(server)), { prepare })
  return { one, starts }
}

/** Lets a page finish its immediate tasks. */
const settled = (page) => page.evaluate(() => new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(() => resolve()))
}))

for (const [tag, declare] of [['countersign-login', loginTest], ['countersign-phone', phoneTest]]) {
  for (const [name, [hide, show]] of Object.entries(HIDDEN)) {
    declare(`${tag} starts nothing while it is hidden, and starts when it is shown: ${name}`, async (own) => {
      const { one, starts } = await openHidden(own, tag, hide)
      const { page } = one
      await page.waitForFunction((tag) => customElements.get(tag), tag)
      await settled(page)
      await page.clock.fastForward(360_000)
      await settled(page)
      assert.deepEqual(starts, [])
      assert.equal(await one.element.getByText(/Time ran out/).count(), 0)
      await one.element.evaluate((element, show) => new Function('element', show)(element), show)
      await one.code.waitFor()
      assert.equal(starts.length, 1)
      if (own.fake) await one.gets('started')
      await one.close()
    })
  }
}

for (const [tag, declare] of [['countersign-login', loginTest], ['countersign-phone', phoneTest]]) {
  declare(`${tag} has a fresh code in a dialog that is opened again later`, async (own) => {
    const [hide, show] = HIDDEN.dialog
    const { one, starts } = await openHidden(own, tag, hide)
    const { page } = one
    await page.waitForFunction((tag) => customElements.get(tag), tag)
    await page.evaluate(show)
    await one.code.waitFor()
    await page.evaluate(() => document.querySelector('dialog').close())
    await settled(page)
    if (own.fake) {
      own.fake.status = 'expired'
      one.poke()
      await one.gets('started')
      await one.gets('expired')
    } else {
      // Codes are not replaced in the meantime.
      for (let minute = 0; minute < 7; minute += 1) await page.clock.fastForward(60_000)
      await settled(page)
    }
    assert.equal(starts.length, 1)
    await page.evaluate(show)
    await one.code.waitFor()
    if (own.fake) await one.gets('started')
    await page.waitForFunction((tag) => document.querySelector(tag).shadowRoot.querySelector('[part=code]'), tag)
    assert.ok(starts.length <= 2)
    assert.equal(await one.element.getByText(/Time ran out/).count(), 0)
    await one.close()
  })
}

phoneTest('page that sets the session is asked for another one when its dialog is opened after the time', async ({ browser, fake }) => {
  const phone = await openPhone(browser, fake, { attributes: '' })
  await phone.element.evaluate((element, session) => {
    element.addEventListener('renew', () => {})
    const dialog = document.createElement('dialog')
    element.replaceWith(dialog)
    dialog.append(element)
    element.session = session
  }, fake.started())
  await phone.gets('started')
  fake.status = 'expired'
  phone.poke()
  await phone.gets('expired')
  await phone.page.evaluate(() => document.querySelector('dialog').showModal())
  await phone.gets('renew')
  await phone.sees('Preparing your text…')
  await phone.close()
})
