// A page in a browser, and everything about it that must not happen.

import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { chromium as driver } from 'playwright-core'

import { chromium, ROOT } from './tools.mjs'

const SCREENSHOTS = join(ROOT, 'target/browser-screenshots')

/** How long one step may take on a machine that is busy with other things, in ms. */
const PATIENCE = 90_000

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A browser with nothing in it. */
export function startBrowser() {
  mkdirSync(SCREENSHOTS, { recursive: true })
  return driver.launch({ executablePath: chromium(), args: FLAGS })
}

/**
 * A window of its own, with nothing in it yet, that may ask these servers and no others. `close` ends
 * it: nothing may have gone wrong in it but what is named.
 */
export async function openWindow(browser, urls, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE)
  const faults = []
  const bodies = []
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // Chromium writes down every answer that is an error; those that a test provokes are named.
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    if (!urls.some((url) => request.url().startsWith(`${url}/`))) faults.push(`outside: ${request.url()}`)
  })
  page.on('response', (response) => {
    const events = response.headers()['content-type']?.startsWith('text/event-stream')
    if (!events) bodies.push(response.text().catch(() => ''))
  })
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error(`policy violated: ${violatedDirective} by ${blockedURI}`)
    })
  })
  const close = async (...expected) => {
    await context.close()
    assert.deepEqual(faults.filter((fault) => !expected.some((one) => one.test(fault))), [])
  }
  return { page, bodies, close }
}

/** Keeps a picture of a whole page for people to look at. */
export async function keep(page, name) {
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true })
}

/** Nothing may be wider than the window. */
export async function fits(page) {
  const [content, frame] = await page.evaluate(() => (
    [document.documentElement.scrollWidth, document.documentElement.clientWidth]
  ))
  assert.ok(content <= frame, `${content} pixels wide in a window of ${frame}`)
}

/** The playground, open in a window of its own. */
export async function openPlayground(browser, server, options = {}) {
  const window = await openWindow(browser, [server.url], options)
  await window.page.goto(`${server.url}/`)
  return new Playground(window)
}

/** The page with the words for what one does on it. */
class Playground {
  constructor({ page, bodies, close }) {
    this.page = page
    this.bodies = bodies
    this.close = close
  }

  /** Starts a session, and answers what the server told the page of it. */
  async start(flow, number) {
    await this.page.getByRole('radio', { name: flow }).check()
    if (number !== undefined) await this.page.getByLabel('Number to confirm').fill(number)
    const answered = this.page.waitForResponse((response) => (
      response.url().endsWith('/playground/confirmations') && response.request().method() === 'POST'
    ))
    await this.page.getByRole('button', { name: /^Start/ }).click()
    return (await answered).json()
  }

  /** Sends what is in the simulated phone. */
  async send(from) {
    if (from) await this.page.getByLabel('From: the number of this phone').fill(from)
    await this.page.getByRole('button', { name: 'Send', exact: true }).click()
  }

  /** Waits until a text can be read. */
  async sees(text) {
    await this.page.getByText(text).first().waitFor()
  }

  /** The names and words of the steps. */
  steps() {
    return this.page.getByRole('list', { name: 'Progress' }).getByRole('listitem').allInnerTexts()
  }

  /** What a screen reader was told, line by line. */
  said() {
    return this.page.getByRole('log').getByRole('paragraph').allInnerTexts()
  }

  /** Keeps a picture of the whole page for people to look at. */
  keep(name) {
    return keep(this.page, name)
  }

  /** Nothing may be wider than the window. */
  fits() {
    return fits(this.page)
  }
}
