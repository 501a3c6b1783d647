// Builds dist/. With --check, compares dist/ with the output of a build, byte by byte.

import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

import { bundle } from './bundle.mjs'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const DIST = join(ROOT, 'dist')

/** Maximum size of the script with gzip, in bytes: phones load it over mobile networks. */
const MAX_SIZE = 30_000

const BANNER = '/*! Countersign, Apache-2.0. Inside, MIT: @hpke/core, @hpke/common; see /widget/LICENSE.txt */'

/** Makes @hpke smaller: tables that it computes for hashes which nothing uses. */
const smaller = {
  name: 'smaller',
  setup(build) {
    build.onResolve({ filter: /sha3\.js$|noble\.js$|u64\.js$/ }, ({ path, resolveDir }) => (
      { path: resolve(resolveDir, path), sideEffects: false }
    ))
  },
}

/** Returns the minified bundle of a script or a style sheet. */
async function built(entry, options = {}) {
  const [file] = await bundle({ entryPoints: [entry], minify: true, plugins: [smaller], ...options })
  return file.text
}

async function stale(files) {
  const there = await readdir(DIST).catch(() => [])
  const odd = there.filter((name) => !files.has(name))
  for (const [name, text] of files) {
    if (await readFile(join(DIST, name), 'utf8').catch(() => null) !== text) odd.push(name)
  }
  return odd
}

const files = new Map([
  ['page.js', await built('src/page.ts', { banner: { js: BANNER } })],
  ['page.css', await built('src/page.css')],
])
const size = (text) => gzipSync(text, { level: 9 }).length
if (size(files.get('page.js')) > MAX_SIZE) {
  console.error(`page.js has ${size(files.get('page.js'))} bytes with gzip, and may have ${MAX_SIZE}`)
  process.exit(1)
}

if (process.argv.includes('--check')) {
  const odd = await stale(files)
  if (odd.length > 0) {
    console.error(`dist/ does not match src/: ${odd.join(', ')}. Run npm run build, and commit dist/.`)
    process.exit(1)
  }
} else {
  await rm(DIST, { recursive: true, force: true })
  await mkdir(DIST, { recursive: true })
  for (const [name, text] of files) {
    await writeFile(join(DIST, name), text)
    console.log(`${name}: ${text.length} bytes, ${size(text)} with gzip`)
  }
}
