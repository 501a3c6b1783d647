// Builds dist/. With --check, compares dist/ with the output of a build, byte by byte.

import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

import { bundle } from './bundle.mjs'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const DIST = join(ROOT, 'dist')

/** Returns the minified bundle of a script or a style sheet. */
async function built(entry) {
  // The elements are a file of the service, which the page loads.
  const [file] = await bundle({ absWorkingDir: ROOT, entryPoints: [entry], minify: true, external: ['/widget.js'] })
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
  ['page.js', await built('src/page.ts')],
  ['page.css', await built('src/page.css')],
])

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
