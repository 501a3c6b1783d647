import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'

/** The promise to whoever includes the script, in bytes over the wire. */
const BUDGET = 24_000

const built = readFileSync('dist/widget.js', 'utf8')
// The texts of licences are no code.
const code = built.slice(built.indexOf('*/'))

/** The script is too long to be shown whole. */
function lacks(what: RegExp): void {
  assert.equal(what.exec(code)?.[0], undefined)
}

test('the script is small', (context) => {
  const size = gzipSync(built, { level: 9 }).length
  context.diagnostic(`${size} bytes with gzip`)
  assert.ok(size < BUDGET, `${size} bytes of ${BUDGET}`)
})

test('it stands alone', () => {
  lacks(/\bimport\s*[{*"'(]|\brequire\(/)
  assert.ok(code.includes('import.meta.url'))
})

test('it does nothing that a strict content security policy forbids', () => {
  lacks(/\beval\b|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write/)
  lacks(/setAttribute\("style"|\.style\b|createElement\("(?:style|script)"/)
})

test('it writes nothing down', () => {
  lacks(/console\.|localStorage|sessionStorage|indexedDB|\.cookie/)
})

test('it passes on the licences of what is in it', () => {
  for (const name of ['@hpke/core', '@hpke/common', 'lean-qr']) assert.ok(built.includes(`${name}: Copyright`))
  assert.equal(readFileSync('LICENSE', 'utf8'), readFileSync('../../LICENSE', 'utf8'))
})

test('a server that renders pages can import it', async () => {
  const url = new URL(`data:text/javascript;base64,${Buffer.from(built).toString('base64')}`)
  const module = await import(url.href) as Record<string, unknown>
  assert.deepEqual(Object.keys(module), ['CountersignLogin'])
})
