// Builds dist/. With --check, compares dist/ with the output of a build, byte by byte.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { minify } from 'terser'

import { bundle, PLUGINS } from './bundle.mjs'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const DIST = join(ROOT, 'dist')
const ENTRY = 'widget'
const REACT = 'react'
/** The element that few pages need. */
const SETUP = 'widget/setup'

/** The folder of the languages that the script loads when they are needed. */
const LANGUAGES = 'widget'

/** Packages in the bundle, whose licenses must come with it. */
const INSIDE = ['@hpke/core', '@hpke/common', 'lean-qr']

/** The file with them. The script only names it, since most of its readers are browsers. */
const LICENCES = `${LANGUAGES}/LICENSE.txt`

/** The hashes of the files that pages load from the service, for pages that pin them. */
const INTEGRITY = `${LANGUAGES}/integrity.json`

async function licences() {
  const texts = await Promise.all(INSIDE.map(async (name) => {
    const text = await readFile(join(ROOT, 'node_modules', name, 'LICENSE'), 'utf8')
    if (!/^Copyright /m.test(text) || !/MIT/.test(text)) throw new Error(`${name}: not MIT`)
    return `${name}\n\n${text.trim()}\n`
  }))
  return `widget.js contains parts of these packages.\n\n${texts.join('\n')}`
}

/** Methods of @hpke that decrypting with our own keys never calls, by file. */
const UNUSED = {
  'kems/dhkem.js': [
    'encap', 'importKey', 'generateKeyPair', 'deriveKeyPair', 'serializePrivateKey', 'deserializePrivateKey',
    'serializePublicKey', 'deserializePublicKey',
  ],
  'core/esm/src/cipherSuiteNative.js': ['createSenderContext', 'seal', '_keyScheduleS'],
  'aeads/aesGcm.js': ['seal'],
  'exporterContext.js': ['seal', 'export'],
  'kdfs/hkdf.js': ['labeledExpand'],
}

/** Removes a pattern from a file of a package, which must have it. */
function without(text, pattern, path) {
  if (!pattern.test(text)) throw new Error(`${path} has changed: nothing matches ${pattern}`)
  return text.replace(pattern, '')
}

/** Makes @hpke smaller, without a change to what it does for us. */
const smaller = {
  name: 'smaller',
  setup(build) {
    // Proxies the global object, for additions that only Deno has.
    build.onResolve({ filter: /_dnt\.shims\.js$/ }, () => ({ path: join(ROOT, 'scripts/unused.mjs') }))
    // Tables that it computes for hashes which nothing uses, and encryption.
    build.onResolve({ filter: /sha3\.js$|noble\.js$|u64\.js$|senderContext\.js$/ }, ({ path, resolveDir }) => (
      { path: resolve(resolveDir, path), sideEffects: false }
    ))
    build.onLoad({ filter: /@hpke.*\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8')
      const file = Object.keys(UNUSED).find((name) => path.endsWith(name))
      for (const method of UNUSED[file] ?? []) {
        contents = without(contents, new RegExp(`^    async ${method}\\([^]*?^    }\n`, 'm'), path)
      }
      // For a Node.js without `globalThis.crypto`. Bundlers of our users would stumble over its module.
      if (path.endsWith('common/esm/src/algorithm.js')) {
        contents = without(contents, /^    try {[^]*?^    catch[^]*?^    }\n/m, path)
      }
      // Its fields are defined one by one, with a call for each.
      contents = contents.replace(
        /Object\.defineProperty\(this, "(\w+)", \{[^:]*: true,[^:]*: true,[^:]*: true,\s+value: ([^]*?)\n {8}\}\);/g,
        'this.$1 = $2;',
      )
      // Private fields of WeakMaps, with a check for each use that cannot fail.
      contents = contents
        .replace(/__classPrivateFieldGet\(this, (\w+), "f"\)/g, '$1.get(this)')
        .replace(/__classPrivateFieldSet\(this, (\w+), (.+), "f"\)/g, '$1.set(this, $2)')
      return { contents }
    })
  },
}

/** Returns the minified bundle of an element's script. */
async function script(entry, inside, licences) {
  const banner = `/*! Countersign, Apache-2.0. Inside, MIT: ${inside.join(', ')}; see ${licences} */`
  const [file] = await bundle({
    absWorkingDir: ROOT,
    entryPoints: [`src/${entry}.ts`],
    minify: true,
    // Internal members of @hpke. Our own code has no such names, and no language file uses them.
    mangleProps: /^_[a-zA-Z]/,
    external: [`./${LANGUAGES}/*`],
    plugins: [...PLUGINS, smaller],
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

/** Returns the components for React, which load the script. */
async function components() {
  const [file] = await bundle({
    absWorkingDir: ROOT,
    entryPoints: [`src/${REACT}.ts`],
    external: ['react', './widget.js', './widget/setup.js'],
  })
  return file.text
}

/** Returns the files of the languages. */
async function languages() {
  const names = (await readdir(join(ROOT, 'src', LANGUAGES))).filter((name) => name !== 'setup.ts')
  const files = await bundle({
    absWorkingDir: ROOT,
    entryPoints: names.map((name) => `src/${LANGUAGES}/${name}`),
    outdir: LANGUAGES,
    minify: true,
  })
  return files.map(({ path, text }) => [`${LANGUAGES}/${basename(path)}`, text])
}

/** Returns the declarations that the entries need, by file name. */
async function declarations() {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-widget-'))
  try {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--stripInternal', '--outDir', folder]
    const command = [compiler, '--project', ROOT, ...emit]
    const { status } = spawnSync(process.execPath, command, { stdio: 'inherit' })
    if (status !== 0) throw new Error('the type check failed')
    const found = new Map()
    const waiting = [ENTRY, REACT, SETUP]
    for (const name of waiting) {
      if (found.has(name)) continue
      const emitted = await readFile(join(folder, `${name}.d.ts`), 'utf8')
      const text = emitted.replace(/(from '\.\.?\/[\w-]+)\.ts'/g, "$1.js'")
      found.set(name, text)
      for (const [, next] of text.matchAll(/from '\.\.?\/([\w-]+)\.js'/g)) waiting.push(next)
    }
    // The service serves the folder of the languages, which therefore has no declarations.
    return [...found].map(([name, text]) => (
      name === SETUP ? ['setup-script.d.ts', text.replaceAll("from '../", "from './")] : [`${name}.d.ts`, text]
    ))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the hashes of scripts as browsers read them, by the path at which the service has the file. */
function integrity(files) {
  const hashes = [...files].filter(([name]) => name.endsWith('.js') && name !== `${REACT}.js`).sort().map(([name, text]) => (
    [`/${name}`, `sha384-${createHash('sha384').update(text).digest('base64')}`]
  ))
  return `${JSON.stringify(Object.fromEntries(hashes), null, 2)}\n`
}

async function stale(files) {
  const there = await readdir(DIST, { recursive: true }).catch(() => [])
  const odd = there.filter((name) => name !== LANGUAGES && !files.has(name))
  for (const [name, text] of files) {
    if (await readFile(join(DIST, name), 'utf8').catch(() => null) !== text) odd.push(name)
  }
  return odd
}

const files = new Map([
  [`${ENTRY}.js`, await script(ENTRY, INSIDE, `./${LICENCES}`)],
  // It is in the folder of the languages.
  [`${LANGUAGES}/setup.js`, (await script(SETUP, ['lean-qr'], './LICENSE.txt')).replaceAll(`"./${LANGUAGES}/`, '"./')],
  [`${REACT}.js`, await components()],
  [LICENCES, await licences()],
  ...await languages(),
  ...await declarations(),
])
files.set(INTEGRITY, integrity(files))
if (process.argv.includes('--check')) {
  const odd = await stale(files)
  if (odd.length > 0) {
    console.error(`dist/ does not match src/: ${odd.join(', ')}. Run npm run build, and commit dist/.`)
    process.exit(1)
  }
} else {
  await rm(DIST, { recursive: true, force: true })
  await mkdir(join(DIST, LANGUAGES), { recursive: true })
  for (const [name, text] of files) await writeFile(join(DIST, name), text)
}
