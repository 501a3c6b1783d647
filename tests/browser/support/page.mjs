// A page in a browser, and everything about it that must not happen.

import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { chromium as driver } from 'playwright-core'

import { chromium, ROOT } from './tools.mjs'

const SCREENSHOTS = join(ROOT, 'target/browser-screenshots')

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

/** The playground, open in a window of its own. */
export async function openPlayground(browser, server, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  const faults = []
  const bodies = []
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // Chromium writes down every answer that is an error; those that a test provokes are named.
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${server.url}/`)) faults.push(`outside: ${request.url()}`)
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
  await page.goto(`${server.url}/`)
  return new Playground(page, faults, bodies)
}

/** The page with the words for what one does on it. */
class Playground {
  constructor(page, faults, bodies) {
    this.page = page
    this.faults = faults
    this.bodies = bodies
  }

  /** Starts a session, and answers what the server told the page of it. */
  async start(flow, number) {
    await this.page.getByRole('radio', { name: flow }).check()
    if (number !== undefined) await this.page.getByLabel('Number to confirm').fill(number)
    const answered = this.page.waitForResponse((response) => (
      response.url().endsWith('/playground/sessions') && response.request().method() === 'POST'
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
  async keep(name) {
    await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true })
  }

  /** Nothing may be wider than the window. */
  async fits() {
    const [content, frame] = await this.page.evaluate(() => (
      [document.documentElement.scrollWidth, document.documentElement.clientWidth]
    ))
    assert.ok(content <= frame, `${content} pixels wide in a window of ${frame}`)
  }

  /** Closes the window. Nothing may have gone wrong in it but what is named. */
  async close(...expected) {
    await this.page.context().close()
    const faults = this.faults.filter((fault) => !expected.some((one) => one.test(fault)))
    assert.deepEqual(faults, [])
  }
}
