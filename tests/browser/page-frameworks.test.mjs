// Both elements as frameworks use them: with attribute values that are not text, with properties set before the script
// is loaded, and with listeners that were never added.

import assert from 'node:assert/strict'

import { openLogin } from './support/login.mjs'
import { linksOf, MESSAGE, openPhone } from './support/phone-element.mjs'
import { pageWith } from './support/site.mjs'
import { overTheFake, overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()
const phoneTest = overTheFake()

/** Collects the warnings of a page. */
function warningsOf(page) {
  const warnings = []
  page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()))
  return warnings
}

/** Turns a page into one to which the browser provides no cryptography. */
const withoutCryptography = (page) => page.addInitScript(() => {
  Object.defineProperty(crypto, 'subtle', { value: undefined })
})

/** Shows another element on a page. */
const replace = ({ page }, html) => page.evaluate((html) => { document.querySelector('main').innerHTML = html }, html)

loginTest('only a plain yes allows logins without encryption', async ({ browser, server, site }) => {
  const { code, err } = await server.run('app', 'update', 'demo', '--payload-encryption', 'optional')
  assert.equal(code, 0, err)
  const page = await openLogin(browser, server, site.put(pageWith(server, { body: () => '' })), { prepare: withoutCryptography })
  const warnings = warningsOf(page.page)
  const count = () => warnings.filter((text) => /allow-unencrypted=/.test(text)).length
  for (const [value, allowed, warns] of [
    ['false', false, false], ['FALSE', false, false], [' false ', false, false], ['0', false, true], ['no', false, true],
    ['off', false, true], ['undefined', false, true], ['null', false, true], ['[object Object]', false, true],
    ['', true, false], ['true', true, false], ['allow-unencrypted', true, false],
  ]) {
    const before = count()
    await replace(page, `<countersign-login app-key="${server.demo.appKey}" allow-unencrypted="${value}"></countersign-login>`)
    if (allowed) assert.match(await page.shownLink(), /sessionId=qrp_/, value)
    else assert.equal((await page.gets('error')).code, 'insecure_context', value)
    assert.equal(count() - before, warns ? 1 : 0, value)
  }
  await page.close(/cannot be read/)
  // Frameworks that set properties.
  const login = await openLogin(browser, server, site.put(pageWith(server, {})), { prepare: withoutCryptography })
  assert.equal((await login.gets('error')).code, 'insecure_context')
  for (const [value, expected] of [['false', 'insecure_context'], [false, 'insecure_context'], [null, 'insecure_context'], [true, null]]) {
    await login.element.evaluate((element, value) => { element.allowUnencrypted = value }, value)
    if (expected === null) await login.code.waitFor()
    assert.equal(await login.element.evaluate(({ allowUnencrypted, error }) => (allowUnencrypted ? null : error.code)), expected)
  }
  await login.close()
})

/** Makes the page's framework run before the element's script is loaded. */
const early = (tag, run) => `<script>
  addEventListener('DOMContentLoaded', () => (${run})(document.querySelector('${tag}')))
</script>`

/** The script is loaded late, as over a slow network. */
const late = (script) => `<script type="module">
  await new Promise((resolve) => addEventListener('load', resolve))
  // sleep: the script is loaded after the handlers of that event, in a separate task.
  await new Promise((resolve) => setTimeout(resolve))
  await import('${script}')
</script>`

phoneTest('properties count that were set before the script was there', async ({ browser, fake }) => {
  const session = { ...fake.started(), confirmationUri: linksOf(MESSAGE) }
  const run = `(phone) => {
    phone.session = ${JSON.stringify(session)}
    phone.texts = { scan: 'Scan me' }
    phone.error = phone.refresh = () => {}
  }`
  const page = { attributes: '', script: '/nothing.js', head: early('countersign-phone', run) + late('/widget.js') }
  fake.interfere = ({ path }, send) => path === '/nothing.js' && (send(200, '', 'text/javascript'), true)
  const phone = await openPhone(browser, fake, page)
  assert.deepEqual(await phone.gets('started'), { confirmationId: session.confirmationId })
  await phone.sees('Scan me')
  assert.equal(await phone.element.evaluate(({ error }) => error), null)
  assert.equal(await phone.element.evaluate((element) => Object.hasOwn(element, 'refresh') || Object.hasOwn(element, 'error')), false)
  await phone.close(/cannot be set/)
})

phoneTest('start counts as a property, before the script was there and after', async ({ browser, fake }) => {
  const head = early('countersign-phone', `(phone) => { phone.start = '/sign-up/phone' }`) + late('/widget.js')
  fake.interfere = ({ path }, send) => path === '/nothing.js' && (send(200, '', 'text/javascript'), true)
  const phone = await openPhone(browser, fake, { attributes: '', script: '/nothing.js', head })
  await phone.gets('started')
  assert.equal(await phone.element.evaluate(({ start }) => start), '/sign-up/phone')
  await phone.close()
})

loginTest('properties set the attributes, and null removes them', async ({ browser, server, site }) => {
  const html = pageWith(server, { body: () => '<countersign-login></countersign-login>' })
  const login = await openLogin(browser, server, site.put(html))
  assert.equal((await login.gets('error')).code, 'app_key_missing')
  await login.element.evaluate((element, key) => Object.assign(element, { appKey: key, appName: 'Shop 24' }), server.demo.appKey)
  await login.sees('Scan this code with the \u2068Shop 24\u2069 app')
  await login.element.evaluate((element) => { element.appName = null })
  await login.sees('Scan this code with your phone')
  assert.equal(await login.element.evaluate((element) => element.hasAttribute('app-name')), false)
  await login.close()
})

phoneTest('an attribute that cannot be read warns once, and has no effect', async ({ browser, fake }) => {
  const phone = await openPhone(browser, fake)
  await phone.gets('started')
  const warnings = warningsOf(phone.page)
  const show = (attributes) => {
    warnings.length = 0
    return replace(phone, `<countersign-phone ${attributes}></countersign-phone>`)
  }
  for (const [attribute, warned] of [
    ['texts="[object Object]"', /texts="\[object Object\]" cannot be read/],
    ['session="[object Object]"', /session="\[object Object\]" cannot be read/],
    ['texts="{"', /texts="\{" cannot be read/],
  ]) {
    await show(`start="/sign-up/phone" ${attribute}`)
    await phone.gets('started')
    await phone.sees('Scan this code with your phone, and send the text that it opens')
    await phone.element.evaluate((element) => {
      for (const name of ['texts', 'session', 'lang']) if (element.hasAttribute(name)) element.setAttribute(name, element.getAttribute(name))
    })
    await phone.element.evaluate((element) => element.refresh())
    await phone.gets('started')
    assert.equal(warnings.length, 1, attribute)
    assert.match(warnings[0], warned)
  }
  await show(`start="/sign-up/phone" texts='{"scan":"Scan me"}'`)
  await phone.gets('started')
  await phone.sees('Scan me')
  for (const value of ['[object Object]', 'undefined', '(body) => fetch(body)', 'function start() {}']) {
    await show(`start="${value}"`)
    await phone.sees('Preparing your text…')
    assert.deepEqual(fake.seen.filter(({ path }) => !/^\/(\d+|widget\.js|sign-up.*|confirmations.*)$/.test(path)), [], value)
  }
  await phone.close(/cannot be read/)
})

/** Members that a framework may assign, as handlers or by mistake. */
const READ_ONLY = {
  'countersign-login': ['error', 'link', 'refresh', 'cancel', 'accept', 'reject'],
  'countersign-phone': ['error', 'refresh', 'accept', 'reject'],
}

phoneTest('assigning what is not to be assigned neither throws nor breaks it', async ({ browser, fake }) => {
  const phone = await openPhone(browser, fake)
  await phone.gets('started')
  const broken = await phone.page.evaluate((all) => Object.entries(all).flatMap(([tag, names]) => {
    const element = document.querySelector(tag) ?? document.createElement(tag)
    return names.filter((name) => {
      const before = element[name]
      element[name] = () => {}
      return element[name] !== before || Object.hasOwn(element, name)
    })
  }), READ_ONLY)
  assert.deepEqual(broken, [])
  await phone.element.evaluate((element) => element.refresh())
  await phone.gets('started')
  await phone.close(/cannot be set/)
})

phoneTest('an outcome that nothing listens for warns', async ({ browser, fake }) => {
  const deaf = (page) => page.addInitScript(() => {
    addEventListener('verified', (event) => globalThis.deaf && event.stopImmediatePropagation(), true)
  })
  for (const [listens, expected] of [['nowhere', 1], ['element', 0], ['document', 0]]) {
    let warnings
    const phone = await openPhone(browser, fake, {}, {
      prepare: (page) => {
        warnings = warningsOf(page)
        return page.clock.install().then(() => deaf(page))
      },
    })
    await phone.gets('started')
    await phone.page.evaluate((listens) => {
      globalThis.deaf = listens !== 'document'
      if (listens === 'element') document.querySelector('countersign-phone').addEventListener('verified', () => {})
    }, listens)
    fake.status = 'verified'
    phone.poke()
    await phone.sees('Your phone number is verified')
    await phone.page.clock.fastForward(2_000)
    assert.equal(warnings.filter((text) => /verified/.test(text)).length, expected, listens)
    await phone.close(/listens/)
  }
})
