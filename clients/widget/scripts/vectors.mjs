// Regenerates test/vectors/from-typescript.json: payloads that other implementations must be able to open.

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { bundle } from './bundle.mjs'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const OUT = join(ROOT, 'node_modules/.vectors')

const [file] = await bundle({
  absWorkingDir: ROOT,
  entryPoints: ['test/support/vectors.ts'],
  outfile: join(OUT, 'vectors.mjs'),
  platform: 'node',
  packages: 'external',
})
await mkdir(OUT, { recursive: true })
await writeFile(file.path, file.contents)
const { freshVectors } = await import(pathToFileURL(file.path).href)
const text = JSON.stringify(await freshVectors(), null, 2)
await writeFile(join(ROOT, 'test/vectors/from-typescript.json'), `${text}\n`)
