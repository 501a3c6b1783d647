// What the files of tests share: one browser and one server each, and a word where there is none.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { startBrowser } from './page.mjs'
import { startServer } from './server.mjs'
import { startSite } from './site.mjs'
import { chromium, skipped } from './tools.mjs'

/** Longer than any of this takes; only a hang gets there. */
export const HANG = { timeout: 120_000 }

/**
 * Tests of one file over a browser, a server, and a site of another origin that the demo app lists.
 * Answers a function that declares a test; it is called with the three.
 */
export function overTheServer() {
  const own = {}

  before(async () => {
    if (!chromium()) return
    own.server = await startServer()
    own.browser = await startBrowser()
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
