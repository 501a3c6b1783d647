import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'

/** Maximum size that we promise to pages with the script, in bytes after gzip. */
const BUDGET = 25_000

const built = readFileSync('dist/widget.js', 'utf8')
// Without the banner with the licences.
const code = built.slice(built.indexOf('*/'))

/** Asserts that the code does not match. A failure shows the match, because the script is too long. */
function lacks(what: RegExp): void {
  assert.equal(what.exec(code)?.[0], undefined)
}

test('script is within its size budget', (context) => {
  const size = gzipSync(built, { level: 9 }).length
  context.diagnostic(`${size} bytes with gzip`)
  assert.ok(size < BUDGET, `${size} bytes of ${BUDGET}`)
})

test('script imports nothing', () => {
  lacks(/\bimport\s*[{*"'(]|\brequire\(/)
  assert.ok(code.includes('import.meta.url'))
})

test('script works under a strict content security policy', () => {
  lacks(/\beval\b|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write/)
  lacks(/setAttribute\("style"|\.style\b|createElement\("(?:style|script)"/)
})

test('script logs only errors, and stores only the present login', () => {
  assert.equal(code.match(/console\./g)?.length, 1)
  assert.equal(code.match(/indexedDB/g)?.length, 1)
  lacks(/console\.(?!error\()|localStorage|\.cookie/)
})

test('script contains the licences of its packages', () => {
  for (const name of ['@hpke/core', '@hpke/common', 'lean-qr']) assert.ok(built.includes(`${name}: Copyright`))
  assert.equal(readFileSync('LICENSE', 'utf8'), readFileSync('../../LICENSE', 'utf8'))
})

test('script can be imported on a server', async () => {
  const url = new URL(`data:text/javascript;base64,${Buffer.from(built).toString('base64')}`)
  const module = await import(url.href) as Record<string, unknown>
  assert.deepEqual(Object.keys(module), ['CountersignLogin'])
})
