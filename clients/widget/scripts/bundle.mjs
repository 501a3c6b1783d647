// Bundles TypeScript and style sheets into modules, for the build and the tests.

import { readFile } from 'node:fs/promises'

import * as esbuild from 'esbuild'

/** Loads style sheets as minified text. */
const styleSheets = {
  name: 'style sheets',
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const { code } = await esbuild.transform(text, { loader: 'css', minify: true })
      return { contents: code.trim(), loader: 'text' }
    })
  },
}

export const PLUGINS = [styleSheets]

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
    plugins: PLUGINS,
    ...options,
  })
  return outputFiles
}
