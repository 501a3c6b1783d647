// Pages in a browser. Errors, foreign requests and policy violations in them fail the test.

import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { chromium as driver } from 'playwright-core'

import { fontsOf } from './fonts.mjs'
import { chromium, ROOT } from './tools.mjs'

export const SCREENSHOTS = join(ROOT, 'target/browser-screenshots')

/** Timeout for one step, in ms, on a busy machine. */
const STEP_TIMEOUT = 90_000

/** Chromium's log line for a page that closes a socket before it is open, which depends on timing. */
const EARLY_END = /WebSocket is closed before the connection is established/

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

/** Starts a browser with one of the suite's fonts, and with further options. */
export function startBrowser(font = 'wide', flags = []) {
  mkdirSync(SCREENSHOTS, { recursive: true })
  return driver.launch({ executablePath: chromium(), args: [...FLAGS, ...flags], env: fontsOf(font) })
}

/**
 * Opens an empty window that may only send requests to these servers. Its `close` asserts that nothing went
 * wrong, except for errors that match the given patterns.
 */
export async function openWindow(browser, urls, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(STEP_TIMEOUT)
  const faults = []
  const bodies = []
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // Chromium logs every error response. Tests list the ones that they expect.
    if (!['error', 'warning'].includes(message.type()) || EARLY_END.test(message.text())) return
    faults.push(`console: ${message.text()}`)
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

/** Whether screenshots should be saved. */
export const keeping = () => Boolean(process.env.COUNTERSIGN_SCREENSHOTS)

/** Saves a screenshot of the whole page for visual inspection, if `COUNTERSIGN_SCREENSHOTS` is set. */
export async function keep(page, name, { fullPage = true } = {}) {
  if (!keeping()) return
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage })
}

/** Asserts that nothing is wider than the window. */
export async function fits(page) {
  const [content, frame] = await page.evaluate(() => (
    [document.documentElement.scrollWidth, document.documentElement.clientWidth]
  ))
  assert.ok(content <= frame, `${content} pixels wide in a window of ${frame}`)
}

/** Opens the playground in a new window. */
export async function openPlayground(browser, server, options = {}) {
  const window = await openWindow(browser, [server.url], options)
  await window.page.goto(`${server.url}/`)
  return new Playground(window)
}

/** The playground, with methods for a user's actions. */
class Playground {
  constructor({ page, bodies, close }) {
    this.page = page
    this.bodies = bodies
    this.close = close
  }

  /** Starts a confirmation, and returns the server's response to the page. */
  async start(flow, number) {
    await this.page.getByRole('radio', { name: flow }).check()
    if (number !== undefined) await this.page.getByLabel('Number to confirm').fill(number)
    const answered = this.page.waitForResponse((response) => (
      response.url().endsWith('/playground/confirmations') && response.request().method() === 'POST'
    ))
    await this.page.getByRole('button', { name: /^Start/ }).click()
    return (await answered).json()
  }

  /** Sends the text in the simulated phone. */
  async send(from) {
    if (from) await this.page.getByLabel('From: the number of this phone').fill(from)
    await this.page.getByRole('button', { name: 'Send', exact: true }).click()
  }

  /** Waits until the page shows a text. */
  async sees(text) {
    await this.page.getByText(text).first().waitFor()
  }

  /** Returns the texts of the steps, all at the same moment: the page replaces them at each change. */
  steps() {
    return this.page.getByRole('list', { name: 'Progress' }).evaluate((list) => (
      [...list.children].map((step) => step.innerText)
    ))
  }

  /** Returns the announcements to screen readers, line by line. */
  said() {
    return this.page.getByRole('log').getByRole('paragraph').allInnerTexts()
  }

  /** Saves a screenshot of the whole page for visual inspection. */
  keep(name) {
    return keep(this.page, name)
  }

  /** Asserts that nothing is wider than the window. */
  fits() {
    return fits(this.page)
  }
}
