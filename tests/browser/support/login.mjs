// A page with the login element, and phones for its logins.

import assert from 'node:assert/strict'

import { ElementPage } from './element.mjs'
import { openWindow } from './page.mjs'

const NAMES = ['scanned', 'confirmed', 'denied', 'blocked', 'expired', 'cancelled', 'renew', 'error']

/** Opens a page in a new window. `prepare` is called with the page while it is still empty. */
export async function openLogin(browser, server, url, { prepare, ...options } = {}) {
  const window = await openWindow(browser, [server.url, new URL(url).origin], options)
  const login = new LoginPage(server, window)
  await login.listen()
  await prepare?.(window.page)
  await window.page.goto(url)
  return login
}

/** The page, with methods for a user's actions. */
class LoginPage extends ElementPage {
  constructor(server, window) {
    super('countersign-login', NAMES, window)
    this.server = server
  }

  /** Takes the next event, which must be `confirmed` in its full form. Returns its detail. */
  async getsConfirmed() {
    const detail = await this.gets('confirmed')
    assert.deepEqual(Object.keys(detail).sort(), ['payload', 'proof', 'salt', 'sessionId'])
    return detail
  }

  /** Returns the link that the element reports as shown. */
  link() {
    return this.element.evaluate((element) => element.link)
  }

  /** Waits for a code, reads it from a screenshot, and returns the link. */
  async scan(name) {
    const found = await this.readCode(name)
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
