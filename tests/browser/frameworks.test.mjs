// The pages of docs/elements-in-frameworks.md, with the frameworks and the package from their archives, the real server, and phones.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { PROJECTS, ROOT, installElements, npmProject, program } from '../packages/support/workplace.mjs'
import { openWindow } from './support/page.mjs'
import { PhonePage } from './support/phone-element.mjs'
import { startShop } from './support/shop.mjs'
import { HANG, overTheServer } from './support/suite.mjs'
import { chromium } from './support/tools.mjs'

const pageTest = overTheServer()

const GUIDE = 'docs/elements-in-frameworks.md'

/** The frameworks whose pages Vite builds. */
const BUILT = ['react', 'vue', 'svelte', 'angular']

/** Scripts of the frameworks that need no build. */
const SCRIPTS = {
  '/turbo.js': 'node_modules/@hotwired/turbo/dist/turbo.es2017-umd.js',
  '/htmx.js': 'node_modules/htmx.org/dist/htmx.min.js',
}

let folder
let shop

before(async () => {
  if (!chromium()) return
  folder = await npmProject('frameworks')
  await installElements(folder)
}, HANG)

after(() => shop?.stop())

/** Builds the pages for this server, and starts the shop that serves them. */
async function shopOf({ server }) {
  if (shop) return Object.assign(shop, { started: [], logins: [], locked: false, token: '' })
  process.env.VITE_COUNTERSIGN_URL = server.url
  process.env.VITE_COUNTERSIGN_APP_KEY = server.demo.appKey
  await program(folder, 'vite/bin/vite.js', 'build', '--logLevel', 'warn')
  const filled = async (path) => (await readFile(join(folder, path), 'utf8'))
    .replaceAll('https://countersign.example', server.url).replaceAll('YOUR_APP_KEY', server.demo.appKey).replaceAll('TOKEN', 'secret')
  const html = (head, body) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A shop</title><link rel="icon" href="data:,">${head}</head><body>${body}</body></html>`
  const elements = async (name, kind) => (
    new RegExp(`<countersign-${kind}[^]*?</countersign-${kind}>`).exec(await filled(`${name}/body.html`))[0]
  )
  const turbo = async (body) => html(`<script src="/turbo.js"></script>${await filled('turbo/head.html')}`, body)
  const htmx = (body) => html(`<script src="/htmx.js"></script><script type="module" src="${server.url}/widget.js"></script>`, body)
  shop = await startShop(server, async (path) => {
    const [, name, kind] = /^\/(turbo|htmx)\/(login|phone)$/.exec(path) ?? []
    if (name) return (name === 'turbo' ? turbo : htmx)(await elements(name, kind))
    if (path === '/turbo/start') return turbo('<a href="/turbo/login">Log in</a> <a href="/turbo/phone">Sign up</a>')
    if (path === '/account') return turbo('<p>Logged in</p><a href="/turbo/start">Start</a>')
    if (path === '/welcome') return turbo('<p>Signed up</p>')
    return readFile(SCRIPTS[path] ? join(folder, SCRIPTS[path]) : join(folder, 'dist', path)).catch(() => undefined)
  })
  const { code, err } = await server.run('app', 'update', 'demo', '--add-origin', shop.url)
  assert.equal(code, 0, err)
  return shop
}

/** Opens a page of the shop. */
async function open(own, path) {
  const { url } = await shopOf(own)
  const window = await openWindow(own.browser, [url, own.server.url])
  const { page } = window
  await page.goto(url + path)
  const text = (words) => page.getByText(words, { exact: true }).waitFor()
  return {
    ...window,
    shop,
    text,
    /** Waits for a login, and confirms it with a phone. */
    async confirm() {
      await page.locator('countersign-login').getByRole('img').waitFor()
      const link = await page.locator('countersign-login').evaluate((element) => element.link)
      const { code, err } = await own.server.phone('open', link, '--json', '--confirm')
      assert.equal(code, 0, err)
    },
    /** Waits for a confirmation, and sends its text. */
    async send() {
      await page.locator('countersign-phone').getByRole('img').waitFor()
      const { confirmationMessage, sendTo } = shop.started.at(-1)
      const { code, err } = await own.server.run('phone', 'text', '--from', '+12025550100', '--to', sendTo, '--message', confirmationMessage)
      assert.equal(code, 0, err)
    },
  }
}

/**
 * Opens a page with the attributes and properties that a framework sets, with the script before or after the elements.
 */
async function check(own, name, late) {
  const { url } = await shopOf(own)
  const window = await openWindow(own.browser, [url, own.server.url])
  const { page } = window
  const console = []
  page.on('console', (message) => console.push(message.text()))
  const starts = []
  page.on('request', (request) => { if (request.method() === 'POST') starts.push(request.url()) })
  // The browser has no cryptography, so the login must stop unless the page allows it without encryption.
  await page.addInitScript(() => Object.defineProperty(crypto, 'subtle', { value: undefined }))
  await page.goto(`${url}/${name}/checks.html${late ? '#late' : ''}`)
  await page.locator('html[data-ready]').waitFor()
  await page.locator('countersign-phone').getByRole('img').waitFor()
  return { ...window, console, starts, counted: (words) => console.filter((text) => words.test(text)).length }
}

for (const name of ['vue', 'svelte', 'angular']) {
  for (const late of [false, true]) {
    pageTest(`${name}: values that are no text do no harm${late ? ', though the script comes late' : ''}`, async (own) => {
      const { close, console, counted, page, starts } = await check(own, name, late)
      const found = await page.evaluate(() => {
        const [login, phone] = ['login', 'phone'].map((kind) => document.querySelector(`countersign-${kind}`))
        return [login.error?.code, login.allowUnencrypted ?? null, typeof login.refresh, phone.error, typeof phone.refresh, Object.hasOwn(phone, 'refresh')]
      })
      assert.equal(found[0], 'insecure_context')
      assert.ok(!found[1] || found[1] === 'false', `${found[1]}`)
      assert.deepEqual(found.slice(2), ['function', null, 'function', false])
      // Before the script is loaded, Vue and Svelte know no properties, and write attributes.
      const scans = await page.locator('countersign-phone').getByText('Scan me', { exact: true }).count()
      assert.equal(scans + counted(/attribute texts="\[object Object\]" cannot be read/), 1, console.join('\n'))
      assert.equal(starts.length, 1)
      await page.evaluate(() => document.querySelector('countersign-phone').refresh())
      await page.waitForResponse(/sign-up/)
      const { confirmationMessage, sendTo } = shop.started.at(-1)
      const sent = await own.server.run('phone', 'text', '--from', '+12025550100', '--to', sendTo, '--message', confirmationMessage)
      assert.equal(sent.code, 0, sent.err)
      await page.waitForEvent('console', (message) => message.text().includes('Nothing listens for the event verified'))
      await close(/<countersign-\w+>/)
    })
  }
}

const PAGES = Object.fromEntries([
  ...BUILT.map((name) => [name, { login: `/${name}/index.html`, phone: `/${name}/index.html#sign-up` }]),
  ...['turbo', 'htmx'].map((name) => [name, { login: `/${name}/login`, phone: `/${name}/phone` }]),
])

for (const [name, { login, phone }] of Object.entries(PAGES)) {
  // The page with htmx shows no reason.
  const hears = name === 'htmx' ? '' : ', and hears why the page refuses'
  pageTest(`${name}: user logs in${hears}`, async (own) => {
    const page = await open(own, login)
    page.shop.token = name === 'turbo' ? 'secret' : ''
    if (hears) {
      page.shop.locked = true
      await page.confirm()
      await page.text('This account is locked.')
      page.shop.locked = false
      page.shop.logins = []
      await page.page.getByRole('button', { name: 'Show a new code' }).click()
    }
    await page.confirm()
    await page.text('Logged in')
    assert.equal(page.shop.logins.length, 1)
    assert.match(page.shop.logins[0].sessionId, /^qrs_/)
    assert.equal(typeof page.shop.logins[0].payload, 'string')
    await page.close(/status of 403/)
  })

  pageTest(`${name}: user signs up, and the page starts once`, async (own) => {
    const page = await open(own, phone)
    page.shop.token = name === 'turbo' ? 'secret' : ''
    await page.send()
    await page.text('Signed up')
    assert.equal(page.shop.started.length, 1)
    await page.close()
  })
}

pageTest('turbo: visits end an element and start another, once each', async (own) => {
  const page = await open(own, '/turbo/start')
  page.shop.token = 'secret'
  const { page: tab, shop } = page
  await tab.getByRole('link', { name: 'Sign up' }).click()
  await tab.locator('countersign-phone').getByRole('img').waitFor()
  assert.equal(shop.started.length, 1)
  await tab.goBack()
  await tab.getByRole('link', { name: 'Log in' }).click()
  await tab.locator('countersign-login').getByRole('img').waitFor()
  await tab.goBack()
  await tab.getByRole('link', { name: 'Sign up' }).click()
  await page.send()
  await page.text('Signed up')
  assert.equal(shop.started.length, 2, 'the preview of the visited page starts nothing')
  await page.close()
})

test('guide shows the files that these tests run', async () => {
  const guide = await readFile(join(ROOT, GUIDE), 'utf8')
  const shown = [...guide.matchAll(/^\[`[^\n]*`\]\(\.\.\/tests\/packages\/projects\/(\S+)\):\n\n```\w+\n([^]*?)^```$/gm)]
  const expected = [
    'frameworks/angular/account.component.ts', 'frameworks/htmx/body.html', 'frameworks/react/Account.jsx', 'frameworks/svelte/Account.svelte',
    'frameworks/turbo/body.html', 'frameworks/turbo/head.html', 'frameworks/vue/Account.vue', 'runtimes/app/account/account.tsx',
    'runtimes/app/account/page.tsx',
  ]
  assert.deepEqual(shown.map(([, path]) => path).sort(), expected)
  for (const [, path, code] of shown) assert.equal(code, await readFile(join(PROJECTS, path), 'utf8'), path)
})
