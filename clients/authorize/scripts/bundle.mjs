// Bundles the page, for the build and the tests.

import * as esbuild from 'esbuild'

/** Bundles with these options of esbuild, and returns the files without writing them. */
export async function bundle(options) {
  const { outputFiles } = await esbuild.build({
    bundle: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
    ...options,
  })
  return outputFiles
}
