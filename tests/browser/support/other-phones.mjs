// The web authenticator in browsers other than Chromium: the same tests in each, with one profile as the phone. The desktop is
// Chromium.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'

import { openLogin } from './login.mjs'
import { keeping, SCREENSHOTS } from './page.mjs'
import { openPhone, startPhoneHost } from './phone-fake.mjs'
import { pageWith } from './site.mjs'
import { HANG, overTheServer } from './suite.mjs'
import { chromium, skipped } from './tools.mjs'
import { App } from './web-phone.mjs'

export const CONTEXT = 'Pay 49 EUR\nto Bücher GmbH'

/** Sets a phone up on a link host under the tests' control. */
export async function setUp(phone, host) {
  host.setup = { state: 'created', key: 'any', user: 'zoe', digits: '42' }
  await phone.open(host.setupLink)
  for (const action of ['begin', 'make', 'try']) await phone.tap(action)
  await phone.shows('digits')
  host.setup.state = 'completed'
  await phone.shows('done')
}

/** Reads the question to its end, and confirms. */
export async function confirm(phone) {
  await phone.shows('ask')
  await phone.evaluate(() => {
    const part = document.querySelector('.scroll')
    part.scrollTop = part.scrollHeight
  })
  await phone.tap('confirm')
}

/** Asserts that nothing is wider than the window, and keeps a picture. */
async function fits(phone, name) {
  const [content, frame] = await phone.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth])
  assert.ok(content <= frame, `${name}: ${content} pixels wide in a window of ${frame}`)
  if (keeping()) await writeFile(join(SCREENSHOTS, `${name}.png`), await phone.screenshot())
}

/** Asserts that nothing went wrong in pages since the last look. */
async function assertQuiet(phone, ...expected) {
  const all = await phone.faults()
  const faults = all.slice(phone.seen ?? 0)
  phone.seen = all.length
  assert.deepEqual(faults.filter((fault) => !expected.some((one) => one.test(fault))), [])
}

/**
 * Declares the tests of a browser. `missing` says what the machine lacks for it, `start` starts it, and `refusals` are what it
 * says about answers such as 409. Returns a function that declares further tests.
 */
export function testsIn({ name, missing, start, refusals = [] }) {
  const own = {}
  const overServer = overTheServer()
  const short = name.toLowerCase()

  before(async () => {
    if (missing()) return
    own.folder = await mkdtemp(join(tmpdir(), 'countersign-phone-'))
    own.phone = await start(join(own.folder, 'profile'))
  }, HANG)

  after(async () => {
    await own.phone?.quit()
    if (own.folder) await rm(own.folder, { recursive: true, force: true, maxRetries: 5 })
  }, HANG)

  const phoneTest = (title, run) => overServer(`${name}: ${title}`, async (all) => {
    if (missing()) return skipped(`${name}: ${title}`, missing())
    if (!chromium()) return skipped(`${name}: ${title}`, 'no Chromium')
    const host = await startPhoneHost()
    try {
      await own.phone.resize(390, 760)
      await run({ ...all, phone: own.phone, host })
    } finally {
      host.stop()
    }
  })

  phoneTest('phone is set up, logs in, denies, and approves 49 EUR also after a restart', async (all) => {
    const { browser, server, site } = all
    const app = new App(all)
    const { countersign } = app
    await app.settings('--web-phone', 'on', '--web-phone-key', 'any')
    const registration = await app.register('zoe', 'Zoe')
    const desktop = await app.openSetup(registration)
    const { phone } = own
    await phone.open(await desktop.readCode('the set-up'))
    await phone.shows('start')
    assert.equal(await phone.title(), 'Set up this phone for demo')
    await phone.tap('begin')
    await phone.shows('account')
    assert.equal((await desktop.gets('opened')).browser.split(' ')[0], name === 'WebKitGTK' ? 'Safari' : name)
    for (const action of ['make', 'try']) await phone.tap(action)
    await phone.shows('digits')
    await desktop.typeDigits(await phone.text('[data-field=digits]'))
    await desktop.gets('completed')
    await desktop.sees('The phone is set up')
    await phone.shows('done')
    await desktop.close()
    const [key] = await app.keysOf('zoe')
    assert.equal(key.kind, 'browser')
    const isExtractable = await phone.evaluate(async () => {
      const [{ name: database }] = await indexedDB.databases()
      const opened = await new Promise((resolve) => { indexedDB.open(database).onsuccess = ({ target }) => resolve(target.result) })
      const pairs = await Promise.all([...opened.objectStoreNames].map((store) => new Promise((resolve) => {
        opened.transaction(store).objectStore(store).getAll().onsuccess = ({ target }) => resolve(target.result)
      })))
      opened.close()
      return pairs.flat().filter((one) => one.privateKey).map(({ privateKey }) => privateKey.extractable)
    })
    assert.deepEqual(isExtractable, [false])

    const login = await openLogin(browser, server, site.put(pageWith(server)))
    await phone.open(await login.scan('the login'))
    await confirm(phone)
    await login.gets('scanned')
    const answer = await login.getsConfirmed()
    await phone.shows('confirmed')
    const findKey = (keyId) => keyId === key.keyId && { ...key, userId: 'zoe' }
    assert.deepEqual(await countersign.logins.verify(answer, { origin: site.url, findKey }), { userId: 'zoe', keyId: key.keyId })
    await login.close()
    const second = await openLogin(browser, server, site.put(pageWith(server)))
    await phone.open(await second.shownLink())
    await phone.tap('deny')
    await phone.shows('denied')
    await second.gets('scanned')
    await second.gets('denied')
    await second.close()
    await assertQuiet(phone)

    await phone.quit()
    own.phone = await start(join(own.folder, 'profile'))
    const { id, session } = await countersign.approvals.start({ origin: site.url, context: CONTEXT, userId: 'zoe' })
    await own.phone.open(session.url)
    await own.phone.shows('ask')
    assert.equal((await own.phone.text('[data-field=context]')).trim().replaceAll(/\n+/g, '\n'), CONTEXT)
    await confirm(own.phone)
    await own.phone.shows('confirmed')
    const result = await countersign.approvals.result(id)
    assert.deepEqual([result.status, result.userId, result.context, result.keyId], ['approved', 'zoe', CONTEXT, key.keyId])
    await assertQuiet(own.phone)
  })

  phoneTest('tab that was discarded goes on where it was', async ({ host, phone }) => {
    await phone.open(host.setupLink)
    for (const action of ['begin', 'make']) await phone.tap(action)
    await phone.shows('try')
    await phone.reload()
    await phone.tap('try')
    await phone.shows('digits')
    await phone.reload()
    await phone.shows('digits')
    const signed = host.seen.filter(({ path }) => path.endsWith('/sign')).map(({ body }) => JSON.stringify(body))
    assert.deepEqual([signed.length, signed[0]], [2, signed[1]])
    host.setup.state = 'completed'
    await phone.shows('done')
    await phone.open(host.link)
    await phone.shows('ask')
    await phone.reload()
    await confirm(phone)
    await phone.shows('confirmed')
    await phone.reload()
    await phone.shows('confirmed')
    const calls = (step) => host.seen.filter(({ path }) => path.endsWith(step))
    assert.equal(new Set(calls('/initiate').map(({ token }) => token)).size, 1)
    assert.equal(new Set(calls('/confirm').map(({ body }) => JSON.stringify(body))).size, 1)
    await assertQuiet(phone)
  })

  phoneTest('each state fits a window of 320 pixels', async ({ host, phone }) => {
    await phone.resize(320, 640)
    const shows = async (scene) => {
      await phone.shows(scene)
      assert.equal(await phone.evaluate(() => scrollY), 0, `${scene} begins at its top`)
      await fits(phone, `web-phone-${short}-${scene}`)
    }
    await phone.open(host.setupLink)
    await shows('start')
    const heights = [await phone.evaluate(() => document.documentElement.scrollHeight)]
    for (const [action, scene] of [['begin', 'account'], ['make', 'try'], ['try', 'digits']]) {
      await phone.tap(action)
      await shows(scene)
      heights.push(await phone.evaluate(() => document.documentElement.scrollHeight))
    }
    assert.equal(new Set(heights).size, 1, heights.join())
    host.setup.state = 'completed'
    await shows('done')
    host.login = {
      context: `${CONTEXT}\nOrder 1234`,
      origin: 'https://a-very-long-name-of-a-shop-in-one-single-label.shop.example:8443',
      flags: [{ code: 'countries_differ', severity: 'warn', text: 'The browser is in another country than this phone.' }],
      checkCode: '07',
    }
    await phone.open(host.link)
    await shows('ask')
    const broken = await phone.evaluate(() => [...document.querySelectorAll('.address span')].filter((part) => part.getClientRects().length !== 1).length)
    assert.equal(broken, 0)
    await confirm(phone)
    await shows('code')
    host.login = { context: 'Another one' }
    await phone.open(host.link)
    await phone.tap('cancel')
    await shows('cancelled')
    await phone.tap('retry')
    await phone.tap('deny')
    await shows('denied')
    host.setup = { state: 'created', key: 'any', user: 'zoe', digits: '42', token: 'of another phone' }
    await phone.open('about:blank')
    await phone.open(host.setupLink)
    await phone.tap('begin')
    await shows('opened')
    await phone.open(`${host.url}/`)
    await shows('scan')
    await assertQuiet(phone, ...refusals)
  })

  phoneTest('private window works, and says that the phone is not set up once it was closed', async ({ host, phone }) => {
    await phone.inPrivate(async (other) => {
      await setUp(other, host)
      await other.open(host.link)
      await confirm(other)
      await other.shows('confirmed')
      await assertQuiet(other)
    })
    await phone.inPrivate(async (other) => {
      await other.open(host.link)
      await other.shows('no_key')
      await assertQuiet(other)
    })
  })

  phoneTest('page of the login, and the element of a set-up, with a phone in Chromium', async (all) => {
    const { browser, phone, server, site } = all
    const app = new App(all)
    await app.settings('--web-phone', 'on', '--web-phone-key', 'any')
    const other = await openPhone(browser, [app.linkHost, server.url], { passkeys: false })
    const tap = (action) => other.page.locator(`[data-scene]:not(.off) [data-action=${action}]`).click()
    const registration = await app.register('yan')
    await phone.open(app.putSetup())
    await phone.evaluate((value) => { document.querySelector('countersign-setup').registration = value }, registration)
    await other.page.goto(registration.url)
    for (const action of ['begin', 'make', 'try']) await tap(action)
    await other.page.locator('main[data-shown=digits]').waitFor()
    const digits = await other.page.locator('[data-field=digits]').innerText()
    await phone.until('the field for the digits', () => document.querySelector('countersign-setup').shadowRoot.querySelector('input')?.getClientRects().length > 0)
    await phone.evaluate((text) => {
      const { shadowRoot } = document.querySelector('countersign-setup')
      const field = shadowRoot.querySelector('input')
      field.value = text
      field.dispatchEvent(new Event('input', { bubbles: true }))
      field.form.requestSubmit()
    }, digits)
    const says = (tag, text) => phone.until(text, (name, wanted) => {
      const walk = document.createTreeWalker(document.querySelector(name).shadowRoot, NodeFilter.SHOW_TEXT)
      while (walk.nextNode()) if (walk.currentNode.data === wanted && walk.currentNode.parentElement.checkVisibility({ visibilityProperty: true })) return true
      return false
    }, tag, text)
    await says('countersign-setup', 'The phone is set up')
    await other.page.locator('main[data-shown=done]').waitFor()
    await phone.open(site.put(pageWith(server)))
    const link = await phone.until('a link', () => document.querySelector('countersign-login').link)
    await other.page.goto(link)
    await other.page.locator('main[data-shown=ask]').waitFor()
    await other.page.locator('.scroll').evaluate((part) => { part.scrollTop = part.scrollHeight })
    await other.page.locator('[data-action=confirm]:enabled').click()
    await says('countersign-login', 'Confirmed')
    await other.close()
    await assertQuiet(phone)
  })

  return phoneTest
}
