// Builds the package's files that are not in src/: declarations in types/, and in cjs/ the same modules as
// CommonJS, for programs that cannot load ES modules, such as Jest.

import { spawnSync } from 'node:child_process'
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { build } from 'esbuild'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SRC = join(ROOT, 'src')
const TYPES = join(ROOT, 'types')
const CJS = join(ROOT, 'cjs')

/** Compiled into cjs/, because it has no CommonJS build. */
const INSIDE = 'jose'
/** Optional peer dependencies with a CommonJS build. */
const PEERS = ['@hpke/core', 'rate-limiter-flexible']

async function declarations() {
  const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', TYPES]
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { status } = spawnSync(process.execPath, [compiler, '--project', ROOT, ...emit], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  for (const name of await readdir(TYPES, { recursive: true })) {
    const path = join(TYPES, name)
    if (name.endsWith('.d.ts')) await writeFile(path, withoutInternals(await readFile(path, 'utf8')))
  }
  // The compiler only emits declarations for sources.
  for (const name of ['openapi.d.ts', 'problem-codes.d.ts']) await cp(join(SRC, name), join(TYPES, name))
}

/**
 * Removes everything marked `@internal`, which may need the types of Node.js. The compiler's own option only does so
 * for TypeScript sources.
 */
function withoutInternals(text) {
  const cuts = []
  const visit = (node) => {
    if (ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal')) {
      cuts.push([node.getFullStart(), node.getEnd()])
    } else if (ts.isSourceFile(node) || ts.isClassDeclaration(node)) {
      ts.forEachChild(node, visit)
    }
  }
  visit(ts.createSourceFile('', text, ts.ScriptTarget.Latest, true))
  return cuts.reverse().reduce((rest, [from, to]) => rest.slice(0, from) + rest.slice(to), text)
}

/** Keeps our modules separate, so that each class exists only once, whichever entry point is loaded. */
const modules = {
  name: 'modules',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, importer }) => importer.startsWith(SRC) ? { path, external: true } : null)
  },
}

async function commonJs() {
  const names = await readdir(SRC, { recursive: true })
  await build({
    absWorkingDir: SRC,
    entryPoints: names.filter((name) => name.endsWith('.js')),
    outdir: CJS,
    bundle: true,
    external: PEERS,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    plugins: [modules],
    logLevel: 'warning',
  })
  // The package declares itself as ES modules.
  await writeFile(join(CJS, 'package.json'), '{ "type": "commonjs" }\n')
  await cp(TYPES, CJS, { recursive: true })
  const licence = await readFile(join(ROOT, 'node_modules', INSIDE, 'LICENSE.md'), 'utf8')
  await writeFile(join(CJS, 'LICENSE.txt'), `This folder contains parts of ${INSIDE}.\n\n${licence}`)
}

for (const folder of [TYPES, CJS]) await rm(folder, { recursive: true, force: true })
await declarations()
await mkdir(CJS)
await commonJs()
