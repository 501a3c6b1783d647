// Runs the tests. Further arguments are passed to Node.js, such as --test-reporter=tap.

import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const names = (await readdir(join(ROOT, 'test'))).filter((name) => name.endsWith('.test.mjs')).sort()
const files = names.map((name) => join(ROOT, 'test', name))
const { status } = spawnSync(process.execPath, ['--test', ...process.argv.slice(2), ...files], { stdio: 'inherit' })
process.exit(status ?? 1)
