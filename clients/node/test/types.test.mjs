import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Runs a script of the package or its compiler, and returns the output if it failed. */
function failure(...words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8' })
  return status === 0 ? '' : `${stdout}${stderr}`
}

test('declarations fit a program in TypeScript', () => {
  assert.equal(failure('scripts/build.mjs'), '')
  assert.equal(failure('node_modules/typescript/bin/tsc', '--project', 'test/types'), '')
})
