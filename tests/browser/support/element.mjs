// A page with one of the elements.

import assert from 'node:assert/strict'
import { EventEmitter, on } from 'node:events'

import { readCode } from './codes.mjs'

/** Timeout for an event, in ms: longer than any test takes. */
const EVENT_TIMEOUT = 550_000

/** The elements' console message about an error. */
const REPORT = /<countersign-\w+> (\w+): \S.*\. \S/

/** Errors that the elements report without an event. */
const QUIET = ['unreachable', 'no_client', 'blocked_by_policy', 'return_url_not_allowed']

/** The page, with methods for a user's actions. */
export class ElementPage {
  #received = new EventEmitter()
  #events = on(this.#received, 'event', { signal: AbortSignal.timeout(EVENT_TIMEOUT) })
  #close
  #names
  /** Codes of the `error` events that the page received. */
  #errors = []
  /** The element's messages in the console. */
  reports = []

  /** `names` are the names of the element's events. */
  constructor(tag, names, { page, close }) {
    this.page = page
    this.#close = close
    this.#names = names
    this.element = page.locator(tag)
    // Regardless of its name, which depends on the language. The element has no other image.
    this.code = this.element.getByRole('img')
  }

  /** Listens for the element's events at the document, as a page would. */
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
    }, this.#names)
  }

  /** Closes the window. The console must report each error once, and nothing else may have gone wrong. */
  async close(...expected) {
    await this.#close(REPORT, ...expected)
    const codes = this.reports.map((report) => REPORT.exec(report)[1])
    assert.deepEqual(codes.filter((code) => this.#errors.includes(code) || !QUIET.includes(code)), this.#errors)
  }

  /** Returns the next event that the page receives. */
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

  /** Asserts that the page received no event that was not consumed with `gets`. */
  async getsNothing() {
    this.#received.emit('event', { name: 'none', bubbles: true, composed: true })
    await this.gets('none')
  }

  /** Waits until the element shows a text. */
  async sees(text) {
    await this.element.getByText(text, { exact: true }).waitFor()
  }

  /**
   * Waits for a code, and reads it from a screenshot of the element, which is small: readers need a long time for large
   * images.
   */
  async readCode(name) {
    await this.code.waitFor()
    return readCode(await this.element.screenshot({ scale: 'css' }), name)
  }
}
