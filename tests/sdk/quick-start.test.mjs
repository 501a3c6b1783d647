// The quick start of the Kotlin SDK from a reader's perspective: its transcript in the README, and the element
// of a page, whose JavaScript decrypts the payload in a real browser.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { openLogin } from '../browser/support/login.mjs'
import { pageWith } from '../browser/support/site.mjs'
import { HANG, overTheServer } from '../browser/support/suite.mjs'
import { ROOT } from '../browser/support/tools.mjs'
import { quickStart, transcript } from './quick-start.mjs'

/** Replaces the parts that differ in each run. */
function withoutRandomParts(text) {
  return text
    .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, '$1:8080')
    .replaceAll(/qrs_[0-9a-f]{32}/g, 'qrs_…')
    .replaceAll(/cs_app_\w+/g, 'cs_app_…')
    .replaceAll(/"salt":"[\w-]{22}"/g, '"salt":"…"')
}

test('README shows what the quick start prints', HANG, async () => {
  const readme = await readFile(join(ROOT, 'clients/sdk/kotlin/README.md'), 'utf8')
  assert.ok(readme.includes(`\`\`\`\n${withoutRandomParts(await transcript())}\`\`\``), 'see tests/sdk/quick-start.mjs')
})

const loginTest = overTheServer()

loginTest('page decrypts the payload of the Kotlin SDK', async ({ browser, server, site }) => {
  const login = await openLogin(browser, server, site.put(pageWith(server)))
  const { code, out, err } = await quickStart(server, await login.shownLink(), 'y')
  assert.equal(code, 0, err)
  assert.match(out, /\ndone: true\n$/)
  await login.gets('scanned')
  const { salt, ...detail } = await login.getsConfirmed()
  assert.match(salt, /^[\w-]{22}$/)
  assert.equal(detail.payload, 'a token')
  await login.sees('Confirmed')
  await login.close()
})

loginTest('page learns that the Kotlin SDK denied', async ({ browser, server, site }) => {
  const login = await openLogin(browser, server, site.put(pageWith(server)))
  const { code, err } = await quickStart(server, await login.shownLink(), 'n')
  assert.equal(code, 0, err)
  await login.gets('scanned')
  assert.equal(await login.gets('denied'), null)
  await login.close()
})
