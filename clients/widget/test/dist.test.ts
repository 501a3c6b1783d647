import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'

import { setup } from '../src/english-setup.ts'
import { ENGLISH } from '../src/languages.ts'

/** The maximum script size that we promise to pages, in bytes after gzip. */
const BUDGET = 30_000

/** Modules that the script loads when a page needs them: languages, and the countries for the number field. */
const parts = readdirSync('dist/widget').filter((file) => file.endsWith('.js')).sort()
const own = ['countries.js', 'setup.js']
const languages = parts.filter((file) => !own.includes(file))
const built = readFileSync('dist/widget.js', 'utf8')
// Without the banner that points to the licenses.
const code = built.slice(built.indexOf('*/'))

const dataUrl = (script: string) => `data:text/javascript;base64,${Buffer.from(script).toString('base64')}`

/** Asserts that the code does not match. A failure shows only the match, because the script is too long. */
function lacks(what: RegExp): void {
  assert.equal(what.exec(code)?.[0], undefined)
}

test('script is within its size budget', (context) => {
  const size = gzipSync(built, { level: 9 }).length
  context.diagnostic(`${size} bytes with gzip`)
  assert.ok(size < BUDGET, `${size} bytes of ${BUDGET}`)
})

test('script imports nothing but its parts, each by a path that bundlers find', () => {
  lacks(/\bimport\s*[{*"']|\brequire\(/)
  const imported = [...code.matchAll(/\bimport\(([^)]*)\)/g)].map(([, path]) => path)
  assert.deepEqual(imported.sort(), parts.filter((file) => file !== 'setup.js').map((file) => `"./widget/${file}"`))
  assert.ok(code.includes('import.meta.url'))
})

test('element that sets a phone up has a script of its own, with the same parts', (context) => {
  const script = readFileSync('dist/widget/setup.js', 'utf8')
  const size = gzipSync(script, { level: 9 }).length
  context.diagnostic(`${size} bytes with gzip`)
  assert.ok(size < 16_000, `${size} bytes`)
  const imported = [...script.matchAll(/\bimport\(([^)]*)\)/g)].map(([, path]) => path)
  assert.deepEqual(imported.sort(), languages.map((file) => `"./${file}"`))
  assert.doesNotMatch(script, /HPKE|indexedDB|localStorage|innerHTML|\beval\b/)
})

test('language has a file with nothing but texts', async () => {
  assert.deepEqual(languages, ['ar.js', 'de.js', 'es.js', 'fr.js', 'it.js', 'ja.js', 'pt.js'])
  for (const file of languages) {
    const text = readFileSync(`dist/widget/${file}`, 'utf8')
    const module = await import(dataUrl(text)) as Record<string, Record<string, unknown>>
    assert.deepEqual(Object.keys(module), ['login', 'phone', 'setup'], file)
    for (const [kind, texts] of Object.entries({ ...ENGLISH, setup })) {
      assert.deepEqual(Object.keys(module[kind] ?? {}), Object.keys(texts), file)
      for (const one of Object.values(module[kind] ?? {})) assert.equal(typeof one, 'string')
    }
    assert.doesNotMatch(text, /=>|\bfunction\b|\bimport\b/, file)
  }
})

test('script works under a strict content security policy', () => {
  lacks(/\beval\b|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write/)
  lacks(/setAttribute\("style"|\.style\b(?!\.setProperty\()|createElement\("(?:style|script)"/)
})

test('script logs only errors and warnings, and stores only the present login and the number to confirm', () => {
  assert.equal(code.match(/console\.error/g)?.length, 1)
  assert.equal(code.match(/console\.warn/g)?.length, 1)
  assert.equal(code.match(/indexedDB/g)?.length, 1)
  assert.equal(code.match(/sessionStorage\.setItem/g)?.length, 2)
  lacks(/console\.(?!error\(|warn\()|localStorage|\.cookie/)
})

test('script names its packages and where their licenses are', () => {
  assert.ok(built.startsWith('/*! ') && built.includes('see ./widget/LICENSE.txt */'))
  const licenses = readFileSync('dist/widget/LICENSE.txt', 'utf8')
  for (const name of ['@hpke/core', '@hpke/common', 'lean-qr']) {
    assert.ok(built.slice(0, built.indexOf('*/')).includes(name))
    assert.match(licenses, new RegExp(`^${name}\\n\\n[^]*?^Copyright .*[^]*?Permission is hereby granted`, 'm'))
  }
  assert.equal(readFileSync('LICENSE', 'utf8'), readFileSync('../../LICENSE', 'utf8'))
})

test('script can be imported on a server', async () => {
  const module = await import(dataUrl(built)) as Record<string, unknown>
  assert.deepEqual(Object.keys(module), ['CountersignLogin', 'CountersignPhone'])
})
