// Builds dist/: the modules and their declarations.

import { spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

await rm(join(ROOT, 'dist'), { recursive: true, force: true })
const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
const { status } = spawnSync(process.execPath, [compiler, '--project', ROOT], { stdio: 'inherit' })
process.exit(status ?? 1)
