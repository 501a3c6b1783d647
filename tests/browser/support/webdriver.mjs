// The commands of W3C WebDriver that the tests use, over whatever a browser has. Debian and npm have no geckodriver, and
// Playwright sends Firefox commands that its long-term release lacks, and has no virtual authenticators in it.

/** Key of an element's id in JSON (W3C WebDriver, section 12.2). */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** Time between two looks at a page, in ms. */
const PAUSE = 50

/** Timeout for one step, in ms, on a busy machine. */
const STEP_TIMEOUT = 90_000

/** Paths of WebDriver's commands. An id is filled in from the parameters. */
const PATHS = {
  Navigate: ['POST', '/url'],
  Refresh: ['POST', '/refresh'],
  ExecuteAsyncScript: ['POST', '/execute/async'],
  ExecuteScript: ['POST', '/execute/sync'],
  FindElement: ['POST', '/element'],
  ElementClick: ['POST', '/element/:id/click'],
  ElementSendKeys: ['POST', '/element/:id/value'],
  TakeScreenshot: ['GET', '/screenshot'],
  SetWindowRect: ['POST', '/window/rect'],
  DeleteSession: ['DELETE', ''],
}

/** Returns a function that sends commands to a session of a driver's HTTP server. */
export function overHttp(url, session) {
  return async (name, { id, ...params } = {}) => {
    const [method, path] = PATHS[name]
    const sent = method === 'POST' ? { body: JSON.stringify(params) } : {}
    const answer = await fetch(`${url}/session/${session}${path.replace(':id', id)}`, { method, ...sent })
    const { value } = await answer.json()
    if (!answer.ok) throw new Error(`${name}: ${value.error}: ${value.message}`)
    return value
  }
}

/** A browser under the control of a test, whose page is a page of the web authenticator. */
export class Driven {
  #send

  constructor(send) {
    this.#send = send
  }

  async open(url) {
    await this.#send('Navigate', { url })
  }

  async reload() {
    await this.#send('Refresh')
  }

  /** Calls a function in the page, and awaits its result, which must be JSON. */
  async evaluate(work, ...args) {
    const script = `const done = arguments[arguments.length - 1]
      Promise.resolve((${work})(...[...arguments].slice(0, -1))).then((value) => done({ value }), (error) => done({ error: String(error) }))`
    const { value, error } = await this.#send('ExecuteAsyncScript', { script, args })
    if (error) throw new Error(error)
    return value
  }

  /** Waits until a function of the page returns something, and returns that. */
  async until(what, work, ...args) {
    for (const end = Date.now() + STEP_TIMEOUT; Date.now() < end;) {
      // A page that is just being replaced runs no scripts.
      const value = await this.evaluate(work, ...args).catch(() => undefined)
      if (value) return value
      // sleep: WebDriver has no events.
      await new Promise((resolve) => { setTimeout(resolve, PAUSE) })
    }
    throw new Error(`not seen in time: ${what}. The page: ${await this.text('body').catch(String)}`)
  }

  /** Waits until an element is there and visible. */
  async waitFor(selector) {
    await this.until(selector, (wanted) => {
      const element = document.querySelector(wanted)
      return element !== null && element.getClientRects().length > 0 && getComputedStyle(element).visibility === 'visible'
    }, selector)
  }

  /** Waits for one of the scenes of the web authenticator. */
  shows(scene) {
    return this.waitFor(`main[data-shown="${scene}"]`)
  }

  /** Clicks like a user. */
  async click(selector) {
    await this.waitFor(selector)
    const { [ELEMENT]: id } = await this.#send('FindElement', { using: 'css selector', value: selector })
    await this.#send('ElementClick', { id })
  }

  /** Presses a button of the scene that is shown. */
  tap(action) {
    return this.click(`[data-scene]:not(.off) [data-action=${action}]:enabled`)
  }

  text(selector) {
    return this.evaluate((wanted) => document.querySelector(wanted)?.innerText ?? '', selector)
  }

  /** Returns the title of the scene that is shown. */
  title() {
    return this.text('[data-scene]:not(.off) h1')
  }

  /** Returns a PNG of what is visible. */
  async screenshot() {
    return Buffer.from(await this.#send('TakeScreenshot', { full: false }), 'base64')
  }
}
