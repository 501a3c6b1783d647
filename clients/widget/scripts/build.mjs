// Builds dist/. With --check, compares dist/ with the output of a build, byte by byte.

import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { minify } from 'terser'

import { bundle } from './bundle.mjs'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const DIST = join(ROOT, 'dist')
const ENTRY = 'widget'

/** Packages in the bundle, which must contain their licences. */
const INSIDE = ['@hpke/core', '@hpke/common', 'lean-qr']

async function licences() {
  const holders = await Promise.all(INSIDE.map(async (name) => {
    const text = await readFile(join(ROOT, 'node_modules', name, 'LICENSE'), 'utf8')
    const holder = /^Copyright .*$/m.exec(text)?.[0]
    if (!holder || !/MIT/.test(text)) throw new Error(`${name}: not MIT`)
    return { text, line: `${name}: ${holder}` }
  }))
  const [{ text }] = holders
  const terms = text.slice(text.indexOf('Permission is hereby granted')).trim().replace(/\s+/g, ' ')
  return { holders: holders.map(({ line }) => line), terms }
}

async function script() {
  const { holders, terms } = await licences()
  const banner = `/*! Countersign, Apache-2.0. Inside, MIT: ${holders.join('; ')}. ${terms} */`
  const [file] = await bundle({
    absWorkingDir: ROOT,
    entryPoints: [`src/${ENTRY}.ts`],
    minify: true,
    // A library imports this module of Node.js if `globalThis.crypto` is missing, which browsers always
    // have. Without the alias, bundlers of our users would stumble over the import.
    alias: { crypto: './scripts/no-node.mjs' },
    banner: { js: banner },
  })
  // A second minifier saves another tenth, mostly unused members of classes.
  const { code } = await minify(file.text, {
    module: true,
    compress: { ecma: 2020, passes: 3 },
    format: { comments: /^!/ },
  })
  return `${code}\n`
}

/** Returns the declarations that the entry needs, by file name. */
async function declarations() {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-widget-'))
  try {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', folder]
    const command = [compiler, '--project', ROOT, ...emit]
    const { status } = spawnSync(process.execPath, command, { stdio: 'inherit' })
    if (status !== 0) throw new Error('the type check failed')
    const found = new Map()
    const waiting = [ENTRY]
    for (const name of waiting) {
      if (found.has(name)) continue
      const emitted = await readFile(join(folder, `${name}.d.ts`), 'utf8')
      const text = emitted.replace(/(from '\.\/\w+)\.ts'/g, "$1.js'")
      found.set(name, text)
      for (const [, next] of text.matchAll(/from '\.\/(\w+)\.js'/g)) waiting.push(next)
    }
    return [...found].map(([name, text]) => [`${name}.d.ts`, text])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function stale(files) {
  const there = await readdir(DIST).catch(() => [])
  const odd = there.filter((name) => !files.has(name))
  for (const [name, text] of files) {
    if (await readFile(join(DIST, name), 'utf8').catch(() => null) !== text) odd.push(name)
  }
  return odd
}

const files = new Map([[`${ENTRY}.js`, await script()], ...await declarations()])
if (process.argv.includes('--check')) {
  const odd = await stale(files)
  if (odd.length > 0) {
    console.error(`dist/ does not match src/: ${odd.join(', ')}. Run npm run build, and commit dist/.`)
    process.exit(1)
  }
} else {
  await rm(DIST, { recursive: true, force: true })
  await mkdir(DIST)
  for (const [name, text] of files) await writeFile(join(DIST, name), text)
}
