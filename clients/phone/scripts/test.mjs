// Compiles the tests to JavaScript, which Node.js 20 needs, and runs them.

import { spawnSync } from 'node:child_process'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { bundle } from './bundle.mjs'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')
// Below node_modules, so that git ignores it and Node.js finds the packages.
const OUT = join(ROOT, 'node_modules/.tests')

const tests = (await readdir(join(ROOT, 'test'))).filter((name) => name.endsWith('.test.ts')).sort()
await rm(OUT, { recursive: true, force: true })
await mkdir(OUT, { recursive: true })
const files = await bundle({
  entryPoints: tests.map((name) => `test/${name}`),
  outdir: OUT,
  outExtension: { '.js': '.mjs' },
  platform: 'node',
  sourcemap: 'inline',
})
for (const { path, contents } of files) await writeFile(path, contents)

const run = [...process.argv.slice(2), ...files.map(({ path }) => join(OUT, basename(path)))]
const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...run], {
  stdio: 'inherit',
  cwd: ROOT,
})
process.exit(status ?? 1)
