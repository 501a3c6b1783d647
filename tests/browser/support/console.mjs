// The operator's console over a real server and over a fake one, for its tests.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { startFake } from '../../../clients/console/test/fake/server.mjs'
import { assertAccessible } from './axe.mjs'
import { startReceiver } from './console-data.mjs'
import { startConsole } from './operator.mjs'
import { fits, keep, openWindow, startBrowser } from './page.mjs'
import { startServer } from './server.mjs'
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

  /** Waits until every part of the screen has loaded, or says why not. */
  async loaded() {
    await this.page.locator('main h1').waitFor()
    await this.page.waitForFunction(() => document.querySelector('.loading') === null)
  }
}

const WINDOW = { locale: 'en-GB', timezoneId: 'UTC' }

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
      const window = await openWindow(browser, [server.url], { ...WINDOW, ...options })
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

/**
 * Starts a console with these options and opens it in a new window at a screen, as another operator would: each has a run, a link
 * and a session.
 */
export async function openConsole(browser, options, path, windowOptions = {}, env = {}) {
  const operator = await startConsole(options, env)
  const window = await openWindow(browser, [operator.url], { ...WINDOW, ...windowOptions })
  await window.page.goto(operator.link(path))
  return new Console(window, operator)
}

/**
 * Sets up, for the tests of one file, a browser, a server that `fill` may prepare, and a receiver of webhooks. Returns a function
 * that declares a test, called with them, with what `fill` returned, and with a function that opens the console as an operator.
 */
export function overTheServersConsole(fill = async () => ({})) {
  const own = {}

  before(async () => {
    if (!chromium()) return
    own.browser = await startBrowser()
    own.receiver = await startReceiver()
    own.server = await startServer()
    own.data = await fill(own)
  }, HANG)

  after(async () => {
    await own.browser?.close()
    own.receiver?.stop()
    const code = await own.server?.stop()
    assert.ok(code === undefined || code === 0, `the server ended with ${code}`)
  }, HANG)

  return (name, run) => test(name, HANG, async () => {
    if (!chromium()) return skipped(name, 'no Chromium')
    const opened = []
    let expected = []
    const open = async (path = '/', { options = [], ...windowOptions } = {}) => {
      const one = await openConsole(own.browser, ['--data', own.server.data, ...options], path, windowOptions)
      opened.push(one)
      return one
    }
    try {
      await run({ ...own, open, expect: (...patterns) => { expected = patterns } })
      for (const one of opened) await one.closeWindow(...expected)
    } finally {
      for (const { server } of opened) await server.stop()
    }
  })
}
