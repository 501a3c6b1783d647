// A page with the login element, and phones for its logins.

import assert from 'node:assert/strict'
import { EventEmitter, on } from 'node:events'

import { readCode } from './codes.mjs'
import { openWindow } from './page.mjs'

/** How long to wait for an event, in ms: longer than any test takes. */
const EVENT_TIMEOUT = 250_000

/** What the element writes to the console about an error. */
const REPORT = /<countersign-login> (\w+): \S.*\. \S/

const NAMES = ['scanned', 'confirmed', 'denied', 'blocked', 'expired', 'cancelled', 'error']

/** Opens a page in a new window. `prepare` is called with the page while it is still empty. */
export async function openLogin(browser, server, url, { prepare, ...options } = {}) {
  const window = await openWindow(browser, [server.url, new URL(url).origin], options)
  const login = new LoginPage(server, window)
  await login.listen()
  await prepare?.(window.page)
  await window.page.goto(url)
  return login
}

/** The page, with methods for what a user does on it. */
class LoginPage {
  #received = new EventEmitter()
  #events = on(this.#received, 'event', { signal: AbortSignal.timeout(EVENT_TIMEOUT) })
  #close
  /** Codes of the `error` events that the page got. */
  #errors = []
  /** What the element wrote to the console. */
  reports = []

  constructor(server, { page, close }) {
    this.server = server
    this.page = page
    this.#close = close
    this.element = page.locator('countersign-login')
    // Whatever its name: that depends on the language. The element has no other image.
    this.code = this.element.getByRole('img')
  }

  /** Listens for the element's events at the document, as a page does. */
  async listen() {
    this.page.on('console', (message) => {
      if (REPORT.test(message.text())) this.reports.push(message.text())
    })
    await this.page.exposeFunction('report', (event) => this.#received.emit('event', event))
    await this.page.addInitScript((names) => {
      for (const name of names) {
        document.addEventListener(name, (event) => {
          const { bubbles, composed, detail } = event
          if (event instanceof CustomEvent) globalThis.report({ name, bubbles, composed, detail })
        })
      }
    }, NAMES)
  }

  /** Closes the window. The console must name each error once, and nothing else may have gone wrong. */
  async close(...expected) {
    await this.#close(REPORT, ...expected)
    const codes = this.reports.map((report) => REPORT.exec(report)[1]).filter((code) => code !== 'unreachable')
    assert.deepEqual(codes, this.#errors)
  }

  /** Returns the next event that the page gets. */
  async event() {
    const { value: [{ name, detail, bubbles, composed }] } = await this.#events.next()
    assert.ok(bubbles && composed, `${name} does not cross shadow roots`)
    return { name, detail }
  }

  /** Asserts the name of the next event, and returns its detail. */
  async gets(name) {
    const event = await this.event()
    assert.equal(event.name, name, JSON.stringify(event))
    if (name === 'error') this.#errors.push(event.detail.code)
    return event.detail
  }

  /** The next event is `confirmed`, in its full form. Returns its detail. */
  async getsConfirmed() {
    const detail = await this.gets('confirmed')
    assert.deepEqual(Object.keys(detail).sort(), ['payload', 'proof', 'salt', 'sessionId'])
    return detail
  }

  /** Asserts that the page got no event that was not taken with `gets`. */
  async getsNothing() {
    this.#received.emit('event', { name: 'none', bubbles: true, composed: true })
    await this.gets('none')
  }

  /** Waits until the element shows a text. */
  async sees(text) {
    await this.element.getByText(text, { exact: true }).waitFor()
  }

  /** Returns the link that the element says it shows. */
  link() {
    return this.element.evaluate((element) => element.link)
  }

  /** Waits for a code, reads it from a screenshot, and returns the link. */
  async scan(name) {
    await this.code.waitFor()
    const found = readCode(await this.page.screenshot(), name)
    assert.equal(found, await this.link())
    return found
  }

  /** Waits for a code and returns its link, without reading the screenshot. */
  async shownLink() {
    await this.code.waitFor()
    return this.link()
  }

  /** Opens a link with `countersign phone open`, and returns its exit code and output. */
  async phone(link, ...words) {
    const { code, out, err } = await this.server.phone('open', link, '--json', ...words)
    return { code, err, said: out ? JSON.parse(out) : null }
  }

  /** Opens a link with a phone that does not decide. */
  async opensOnly(link) {
    const { code, err } = await this.phone(link)
    assert.equal(code, 3, err)
  }
}
