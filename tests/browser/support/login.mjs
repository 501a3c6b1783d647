// A page with the login element, as the site that has it sees it, and phones to go with it.

import assert from 'node:assert/strict'
import { EventEmitter, on } from 'node:events'

import { readCode } from './codes.mjs'
import { openWindow } from './page.mjs'

/** Longer than any test takes, in ms. */
const PATIENCE = 100_000

const NAMES = ['scanned', 'confirmed', 'denied', 'blocked', 'expired', 'cancelled', 'error']

/** Opens a page in a window of its own. `prepare` is called with the page while it is still empty. */
export async function openLogin(browser, server, url, { prepare, ...options } = {}) {
  const window = await openWindow(browser, [server.url, new URL(url).origin], options)
  const login = new LoginPage(server, window)
  await login.listen()
  await prepare?.(window.page)
  await window.page.goto(url)
  return login
}

/** The page, with the words for what one does on it. */
class LoginPage {
  #told = new EventEmitter()
  #events = on(this.#told, 'event', { signal: AbortSignal.timeout(PATIENCE) })

  constructor(server, { page, close }) {
    this.server = server
    this.page = page
    this.close = close
    this.element = page.locator('countersign-login')
    // Whatever its name: that depends on the language. The element has no other image.
    this.code = this.element.getByRole('img')
  }

  /** Hears the element's events where a page does: at the document, whatever they come through. */
  async listen() {
    await this.page.exposeFunction('tell', (event) => this.#told.emit('event', event))
    await this.page.addInitScript((names) => {
      for (const name of names) {
        document.addEventListener(name, (event) => {
          const { bubbles, composed, detail } = event
          if (event instanceof CustomEvent) globalThis.tell({ name, bubbles, composed, detail })
        })
      }
    }, NAMES)
  }

  /** The next event that the page gets, whichever it is. */
  async event() {
    const { value: [{ name, detail, bubbles, composed }] } = await this.#events.next()
    assert.ok(bubbles && composed, `${name} does not leave shadow roots`)
    return { name, detail }
  }

  /** The next event is this one. Answers its detail. */
  async gets(name) {
    const event = await this.event()
    assert.equal(event.name, name, JSON.stringify(event))
    return event.detail
  }

  /** The next event is `confirmed`, in its full form. Returns its detail. */
  async getsConfirmed() {
    const detail = await this.gets('confirmed')
    assert.deepEqual(Object.keys(detail).sort(), ['payload', 'proof', 'salt', 'sessionId'])
    return detail
  }

  /** Nothing has come that was not taken with `gets`. */
  async getsNothing() {
    this.#told.emit('event', { name: 'none', bubbles: true, composed: true })
    await this.gets('none')
  }

  /** Waits until a text of the element's can be read. */
  async sees(text) {
    await this.element.getByText(text, { exact: true }).waitFor()
  }

  /** The link that the element says it shows. */
  link() {
    return this.element.evaluate((element) => element.link)
  }

  /** What readers find in a picture of the page, once it shows a code: the link. */
  async scan(name) {
    await this.code.waitFor()
    const found = readCode(await this.page.screenshot(), name)
    assert.equal(found, await this.link())
    return found
  }

  /** Waits for a code and answers its link, without a look at the picture. */
  async shownLink() {
    await this.code.waitFor()
    return this.link()
  }

  /** The phone of the command line opens a link. Answers what became of it. */
  async phone(link, ...words) {
    const { code, out, err } = await this.server.run('phone', 'open', link, '--json', ...words)
    return { code, err, said: out ? JSON.parse(out) : null }
  }

  /** A phone that opens a link and leaves it at that. */
  async opensOnly(link) {
    const { code, err } = await this.phone(link)
    assert.equal(code, 3, err)
  }
}
