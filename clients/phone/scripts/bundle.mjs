// Bundles the page, for the build and the tests.

import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import * as esbuild from 'esbuild'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')

/** Bundles with these options of esbuild, and returns the files without writing them. */
export async function bundle(options) {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    // The rules come from the sources of @countersign/authenticator, whose own packages may not be installed.
    alias: { '@hpke/core': join(ROOT, 'node_modules/@hpke/core') },
    write: false,
    ...options,
  })
  return outputFiles
}
