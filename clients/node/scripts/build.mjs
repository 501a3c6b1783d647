// Writes the declarations of src/ to types/.

import { spawnSync } from 'node:child_process'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TYPES = join(ROOT, 'types')

await rm(TYPES, { recursive: true, force: true })
const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', TYPES]
const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
const { status } = spawnSync(process.execPath, [compiler, '--project', ROOT, ...emit], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
// The compiler emits declarations of sources alone.
for (const name of ['openapi.d.ts', 'problem-codes.d.ts']) await cp(join(ROOT, 'src', name), join(TYPES, name))
