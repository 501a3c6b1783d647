// Checks pages for accessibility with axe.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Asserts that no rule of axe is violated, including inside shadow roots. */
export async function assertAccessible(page, what) {
  // Evaluated and not loaded, because the page's content security policy forbids foreign scripts.
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(AXE)
  const { violations, passes } = await page.evaluate(() => globalThis.axe.run(document, {
    resultTypes: ['violations', 'passes'],
  }))
  const found = violations.map(({ id, help, nodes }) => (
    `${id} (${help}): ${nodes.map(({ target }) => target.flat().join(' ')).join('; ')}`
  ))
  assert.deepEqual(found, [], what)
  assert.ok(passes.length > 10, `${what}: axe checked almost nothing`)
}
