// Builds the package and runs the tests. Further arguments are passed to Node.js, such as --test-reporter=tap.

import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const run = (...words) => spawnSync(process.execPath, words, { stdio: 'inherit' }).status ?? 1
const built = run(join(ROOT, 'scripts/build.mjs'))
if (built !== 0) process.exit(built)
const names = (await readdir(join(ROOT, 'test'))).filter((name) => name.endsWith('.test.mjs')).sort()
process.exit(run('--test', ...process.argv.slice(2), ...names.map((name) => join(ROOT, 'test', name))))
