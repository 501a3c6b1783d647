// Builds dist/. With --check, compares dist/ with the output of a build, byte by byte.

import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

import { bundle } from './bundle.mjs'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const DIST = join(ROOT, 'dist')

/** Files that are served as they are. */
const AS_IS = ['index.html', 'icon.svg']

/** Returns the licence of the package inside the script, which must come with it. */
async function licence() {
  const text = await readFile(join(ROOT, 'node_modules/preact/LICENSE'), 'utf8')
  if (!/^The MIT License/.test(text)) throw new Error('preact: not MIT')
  return `/*! Countersign, Apache-2.0. Inside, Preact:\n\n${text.trim()}\n*/`
}

async function script() {
  const [file] = await bundle({
    absWorkingDir: ROOT,
    entryPoints: ['src/main.tsx'],
    minify: true,
    banner: { js: await licence() },
  })
  return file.text
}

async function style() {
  const [file] = await bundle({ absWorkingDir: ROOT, entryPoints: ['src/styles/console.css'], minify: true })
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
  ['console.js', await script()],
  ['console.css', await style()],
])
for (const name of AS_IS) files.set(name, await readFile(join(ROOT, 'src', name), 'utf8'))

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
    console.log(`${name}: ${text.length} bytes, ${gzipSync(text, { level: 9 }).length} with gzip`)
  }
}
