// Other readers of the elements: users' translators, password managers, screen readers, error monitors, and a second
// element on the same page.

import assert from 'node:assert/strict'

import { openLogin } from './support/login.mjs'
import { openWindow } from './support/page.mjs'
import { openPhone, phonePage } from './support/phone-element.mjs'
import { pageWith } from './support/site.mjs'
import { overTheFake, overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()
const phoneTest = overTheFake()

phoneTest('translators leave numbers and texts alone, and nothing around announcements is busy', async ({ browser, fake }) => {
  fake.interfere = ({ path }) => path === '/sign-up/phone'
  const phone = await openPhone(browser, fake)
  await phone.sees('Preparing your text…')
  const state = () => phone.element.evaluate(({ shadowRoot }) => ({
    translated: [...shadowRoot.querySelectorAll('[part=value], [part=message], [part=left], [role=status]')].filter((one) => one.translate).length,
    busy: [...shadowRoot.querySelectorAll('[role=status], [role=alert], [role=timer]')].filter((one) => one.closest('[aria-busy=true]')).length,
  }))
  assert.deepEqual(await state(), { translated: 0, busy: 0 })
  fake.interfere = () => false
  await phone.element.evaluate((element) => element.refresh())
  await phone.gets('started')
  assert.deepEqual(await state(), { translated: 0, busy: 0 })
  await phone.close(/EMPTY/)
})

phoneTest('tests and extensions find a code as one text', async ({ browser, fake }) => {
  const code = 'CS-7Q2M0XK4V9T1BHNE'
  fake.other = { confirmationMessage: code }
  const phone = await openPhone(browser, fake)
  await phone.gets('started')
  // The innermost element whose text is a code, as in tests with Playwright and Testing Library.
  assert.equal(await phone.page.getByText(/^CS-\w+$/).innerText(), code)
  await phone.close()
})

phoneTest('a second changes the time left and nothing else', async ({ browser, fake }) => {
  const phone = await openPhone(browser, fake, {}, { prepare: (page) => page.clock.install() })
  await phone.gets('started')
  await phone.element.getByRole('timer').getByText(/[45]:\d\d/).waitFor()
  const value = phone.element.locator('[part=value]').nth(1)
  await value.evaluate((one) => getSelection().selectAllChildren(one))
  await phone.element.evaluate((element) => {
    globalThis.changes = []
    new MutationObserver((records) => {
      for (const { type, target, attributeName } of records) {
        globalThis.changes.push(`${type} ${(target.parentElement ?? target).getAttribute('part')} ${attributeName}`)
      }
    }).observe(element.shadowRoot, { attributes: true, characterData: true, childList: true, subtree: true })
  })
  const before = await phone.element.getByRole('timer').innerText()
  await phone.page.clock.fastForward(5_000)
  assert.notEqual(await phone.element.getByRole('timer').innerText(), before)
  assert.deepEqual([...new Set(await phone.page.evaluate(() => globalThis.changes))], ['characterData left null'])
  await phone.close()
})

phoneTest('error monitors hear nothing of the element\'s errors, and listeners at the document do', async ({ browser, fake }) => {
  fake.interfere = ({ path }, send) => path === '/sign-up/phone' && (send(403, {}), true)
  const phone = await openPhone(browser, fake, {}, {
    prepare: (page) => page.addInitScript(() => {
      globalThis.heard = []
      window.onerror = (message) => { globalThis.heard.push(`onerror ${typeof message}`) }
      addEventListener('error', (event) => { globalThis.heard.push(event.message.length) })
      addEventListener('unhandledrejection', () => { globalThis.heard.push('rejection') })
    }),
  })
  assert.equal((await phone.gets('error')).code, 'start_refused')
  assert.deepEqual(await phone.page.evaluate(() => globalThis.heard), [])
  // Script errors still arrive there.
  await phone.page.evaluate(() => new Promise((resolve) => {
    addEventListener('error', resolve, { once: true })
    // sleep: an error must be thrown outside this promise.
    setTimeout(() => { throw new Error('a script\'s own') })
  }))
  assert.equal(await phone.page.evaluate(() => globalThis.heard.length), 2)
  await phone.close(/403|a script's own/)
})

loginTest('password managers leave the digits alone', async ({ browser, server, site }) => {
  const login = await openLogin(browser, server, site.put(pageWith(server)))
  const digits = await login.element.evaluate(({ shadowRoot }) => {
    const field = shadowRoot.querySelector('[part=digits]')
    return ['autocomplete', 'data-1p-ignore', 'data-lpignore', 'data-bwignore', 'data-form-type'].map((name) => field.getAttribute(name))
  })
  assert.deepEqual(digits, ['off', '', 'true', '', 'other'])
  await login.close()
})

for (const [kind, declare] of [['login', loginTest], ['phone', phoneTest]]) {
  declare(`${kind} in a sandboxed frame without an origin says what to add`, async (own) => {
    const { browser, fake, server, site } = own
    const put = (html) => (fake ?? site).put(html)
    const inner = put(fake ? phonePage() : pageWith(server))
    const url = put(`<!doctype html><title>Frame</title><link rel="icon" href="data:,"><iframe sandbox="allow-scripts" src="${inner}"></iframe>`)
    const { page, close } = await openWindow(browser, [new URL(url).origin, ...(server ? [server.url] : [fake.service])])
    const reported = page.waitForEvent('console', (message) => /<countersign-/.test(message.text()))
    await page.goto(url)
    const text = (await reported).text()
    assert.match(text, /no_origin: .*allow-same-origin/)
    await close(/no_origin/)
  })
}

loginTest('two logins on a page go on after a reload, each with its own code', async ({ browser, server, site }) => {
  const html = pageWith(server, { body: (element) => `${element}<p>or</p>${element}` })
  const window = await openWindow(browser, [server.url, site.url])
  const { page } = window
  await page.goto(site.put(html))
  const links = () => page.evaluate(() => [...document.querySelectorAll('countersign-login')].map(({ link }) => link))
  const shown = async () => {
    await page.waitForFunction(() => [...document.querySelectorAll('countersign-login')].every(({ link }) => link))
    return links()
  }
  const stored = () => page.waitForFunction(() => new Promise((resolve) => {
    const opening = indexedDB.open('countersign-login')
    opening.onsuccess = () => {
      const { result } = opening
      if (!result.objectStoreNames.length) return resolve(false)
      const counted = result.transaction('countersign-login').objectStore('countersign-login').count()
      counted.onsuccess = () => { result.close(); resolve(counted.result === 2 && sessionStorage.length === 2) }
    }
  }), undefined, { timeout: 5_000 })
  const before = await shown()
  assert.notEqual(before[0], before[1])
  await stored()
  await page.reload()
  assert.deepEqual(await shown(), before)
  // One of them ends, and the other stays.
  await page.evaluate(() => document.querySelector('countersign-login').cancel())
  await page.waitForFunction(() => sessionStorage.length === 1)
  await page.reload()
  const after = await shown()
  assert.equal(after[1], before[1])
  assert.notEqual(after[0], before[0])
  await window.close()
})
