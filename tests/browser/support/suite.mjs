// Shared setup of the test files: each has its own browser and server. Without a browser, its tests are
// skipped.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { startBrowser } from './page.mjs'
import { startFake } from './phone-element.mjs'
import { startServer } from './server.mjs'
import { startSite } from './site.mjs'
import { chromium, skipped } from './tools.mjs'

/** Longer than any test takes, even on a busy machine, so only a hang reaches it. */
export const HANG = { timeout: 600_000 }

/**
 * Sets up, for the tests of one file, a browser with one of the suite's fonts, a server, and a site with a different
 * origin that the demo app lists. Returns a function that declares a test, which is called with the three.
 */
export function overTheServer({ font } = {}) {
  const own = {}

  before(async () => {
    if (!chromium()) return
    own.server = await startServer()
    own.browser = await startBrowser(font)
    own.site = await startSite()
    const listed = ['--origin', own.site.url, '--origin', own.server.url]
    const { code, err } = await own.server.run('app', 'update', 'demo', ...listed)
    assert.equal(code, 0, err)
  }, HANG)

  after(async () => {
    await own.browser?.close()
    own.site?.stop()
    const code = await own.server?.stop()
    assert.ok(code === undefined || code === 0, `the server ended with ${code}`)
  }, HANG)

  return (name, run) => test(name, HANG, async () => {
    if (chromium()) await run(own)
    else skipped(name, 'no Chromium')
  })
}

/**
 * Sets up a browser with one of the suite's fonts, and a server under the tests' control for `<countersign-phone>`.
 * Returns a function that declares a test, which is called with the two.
 */
export function overTheFake({ font } = {}) {
  const own = {}

  before(async () => {
    if (!chromium()) return
    own.browser = await startBrowser(font)
  }, HANG)

  after(() => own.browser?.close(), HANG)

  return (name, run) => test(name, HANG, async () => {
    if (!chromium()) return skipped(name, 'no Chromium')
    const fake = await startFake()
    try {
      await run({ ...own, fake })
    } finally {
      fake.stop()
    }
  })
}
