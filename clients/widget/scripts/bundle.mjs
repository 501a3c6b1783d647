// What the build and the tests share: TypeScript and style sheets into one module.

import { readFile } from 'node:fs/promises'

import * as esbuild from 'esbuild'

/** Style sheets become text, without what only people need. */
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

/** Bundles as asked, and answers what would be written. */
export async function bundle(options) {
  const { outputFiles } = await esbuild.build({
    bundle: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
    plugins: [styleSheets],
    ...options,
  })
  return outputFiles
}
