// Builds dist/: the modules and their declarations, and cjs/: the same as CommonJS, for programs that cannot load ES
// modules, such as Jest.

import { spawnSync } from 'node:child_process'
import { cp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const [DIST, CJS] = [join(ROOT, 'dist'), join(ROOT, 'cjs')]

for (const folder of [DIST, CJS]) await rm(folder, { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--project', ROOT], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
// For the Node library, which has these modules as its own source.
for (const name of ['rules.js', 'rules.d.ts']) await rm(join(DIST, name))

const names = await readdir(DIST)
await build({
  entryPoints: names.filter((name) => name.endsWith('.js')).map((name) => join(DIST, name)),
  outdir: CJS,
  format: 'cjs',
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'warning',
})
for (const name of names.filter((one) => one.endsWith('.d.ts'))) await cp(join(DIST, name), join(CJS, name))
// The package declares itself as ES modules.
await writeFile(join(CJS, 'package.json'), '{ "type": "commonjs" }\n')
