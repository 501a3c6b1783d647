// The operator's console over a fake server, for its tests.

import { after, before, test } from 'node:test'

import { startFake } from '../../../clients/console/test/fake/server.mjs'
import { assertAccessible } from './axe.mjs'
import { fits, keep, openWindow, startBrowser } from './page.mjs'
import { HANG } from './suite.mjs'
import { chromium, skipped } from './tools.mjs'

/** Narrow enough for a phone, and for 400 % of a small window. */
export const NARROW = { viewport: { width: 320, height: 700 } }

/** Chromium's log line for an answer that the test wants, such as 503. */
export const refused = (...statuses) => new RegExp(`status of (${statuses.join('|')})`)

/** The console in one window. */
class Console {
  constructor({ page, close }, server) {
    this.page = page
    this.server = server
    this.closeWindow = close
  }

  /** Goes to an address of the page, without a code. */
  async to(path) {
    await this.page.goto(`${this.server.url}${path}`)
  }

  /** Asserts that the screen is accessible and not too wide, and keeps a picture. */
  async looks(name) {
    await assertAccessible(this.page, name)
    await fits(this.page)
    await keep(this.page, `console-${name}`)
  }

  heading(name) {
    return this.page.getByRole('heading', { level: 1, name })
  }
}

/** Sets up a browser for the tests of one file. Returns a function that declares a test, called with a function that opens consoles. */
export function overTheConsole() {
  let browser

  before(async () => {
    if (chromium()) browser = await startBrowser()
  }, HANG)

  after(() => browser?.close(), HANG)

  return (name, run) => test(name, HANG, async () => {
    if (!chromium()) return skipped(name, 'no Chromium')
    const opened = []
    const servers = []
    const serve = async (options) => {
      const server = await startFake(options)
      servers.push(server)
      return server
    }
    /** Opens the console in a new window with a link of its own, at a screen. */
    const open = async (server, path = '/', options = {}) => {
      const window = await openWindow(browser, [server.url], { locale: 'en-GB', timezoneId: 'UTC', ...options })
      const opened1 = new Console(window, server)
      opened.push(opened1)
      await window.page.goto(server.link(path))
      return opened1
    }
    let expected = []
    try {
      await run({ serve, open, browser, expect: (...patterns) => { expected = patterns } })
      for (const one of opened) await one.closeWindow(...expected)
    } finally {
      for (const server of servers) await server.close()
    }
  })
}
