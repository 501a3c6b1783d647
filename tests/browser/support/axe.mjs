// What an accessibility checker finds in a page.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Nothing: every rule is asked, those of shadow roots included. */
export async function assertAccessible(page, what) {
  // Evaluated, not included: the page's policy holds for what the page loads.
  await page.evaluate(AXE)
  const { violations, passes } = await page.evaluate(() => globalThis.axe.run(document, {
    resultTypes: ['violations', 'passes'],
  }))
  const found = violations.map(({ id, help, nodes }) => (
    `${id} (${help}): ${nodes.map(({ target }) => target.flat().join(' ')).join('; ')}`
  ))
  assert.deepEqual(found, [], what)
  assert.ok(passes.length > 10, `${what}: axe saw nothing`)
}
