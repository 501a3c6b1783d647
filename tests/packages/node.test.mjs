// Consumers of the package for Node.js, installed from its archive as its README says.

import assert from 'node:assert/strict'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'

import { installation } from './support/readme.mjs'
import { USED, startService } from './support/service.mjs'
import { ARCHIVES, EVERYTHING, ROOT, VERSION, emptyProject, install, npmProject, program, run, shell } from './support/workplace.mjs'

const AGENT = `countersign-node/${VERSION}`

// Name, `type` of the package, options, and whether Node.js can run what comes out.
const MODES = [
  ['ES modules, NodeNext', 'module', { module: 'NodeNext' }, true],
  ['ES modules, bundler', 'module', { module: 'ESNext', moduleResolution: 'bundler' }, false],
  ['ES modules at an edge, without the types of Node.js', 'module',
    { module: 'ESNext', moduleResolution: 'bundler', lib: ['ES2023', 'WebWorker'], types: [] }, false, 'src/edge.ts'],
  ['CommonJS, NodeNext', 'commonjs', { module: 'NodeNext' }, true],
  ['CommonJS, Node16', 'commonjs', { module: 'Node16' }, true],
  ['CommonJS', 'commonjs', { module: 'CommonJS', esModuleInterop: true }, true],
]

let project
const folderOf = (compiler, name) => join(project, 'modes', `${compiler}-${name.replaceAll(/\W+/g, '-')}`)

before(async () => {
  const [, checkout] = await installation('clients/node/README.md')
  await shell(await emptyProject('node-readme', 'shop'), `npm init --yes\n${checkout}`)
  project = await npmProject('node')
  await install(project, ARCHIVES.server)
})

test('archive of a release is installed as the README says', async (t) => {
  const [release] = await installation('clients/node/README.md')
  const shop = await emptyProject('node-readme', 'bare')
  await cp(ARCHIVES.server, join(shop, `countersign-server-${VERSION}.tgz`))
  await shell(shop, `npm init --yes\n${release}`)
  // With nothing but what the package depends on.
  for (const [name, load] of [['use.mjs', 'import'], ['use.cjs', 'require']]) {
    await writeFile(join(shop, name), load === 'import'
      ? "import * as server from '@countersign/server'\nawait import('@countersign/server/handlers')\nconsole.log(typeof server.Countersign)\n"
      : "const server = require('@countersign/server')\nrequire('@countersign/server/express')\nconsole.log(typeof server.Countersign)\n")
    await t.test(load, async () => assert.equal(await run(shop, process.execPath, name), 'function\n'))
  }
})

test('npm ci and npm pack make the same archive', async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'clients/node/package.json'), 'utf8'))
  assert.match(scripts.prepack, /build/)
  // npm would run no `prepack`, and leave out what it builds.
  assert.equal((await run(join(ROOT, 'clients/node'), 'npm', 'config', 'get', 'ignore-scripts')).trim(), 'false')
})

test('a program uses one copy of the classes, whether it imports or requires them', async () => {
  const shop = join(project, 'modes')
  await mkdir(shop, { recursive: true })
  await writeFile(join(shop, 'both.mjs'), [
    "import { createRequire } from 'node:module'",
    "import * as imported from '@countersign/server'",
    "const required = createRequire(import.meta.url)('@countersign/server')",
    'console.log(imported.ProblemError === required.ProblemError)',
  ].join('\n'))
  assert.equal(await run(shop, process.execPath, '--no-warnings', 'both.mjs'), 'true\n')
})

for (const compiler of ['typescript-5', 'typescript-7']) {
  test(`a strict program compiles with ${compiler}`, async (t) => {
    for (const [name, type, options, runs, file = 'src'] of MODES) {
      // This compiler takes seconds for each.
      if (compiler === 'typescript-5' && !EVERYTHING && !['ES modules, NodeNext', 'CommonJS'].includes(name)) continue
      await t.test(name, async (t) => {
        const folder = folderOf(compiler, name)
        await mkdir(folder, { recursive: true })
        await cp(join(project, 'src'), join(folder, 'src'), { recursive: true })
        await writeFile(join(folder, 'package.json'), JSON.stringify({ type }))
        const config = { extends: '../../tsconfig.json', compilerOptions: { rootDir: 'src', outDir: 'out', ...options } }
        await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, include: [file] }))
        await program(project, `${compiler}/bin/tsc`, '--project', folder)
        if (!runs) return
        const { input, assertAgent } = await startService(t)
        assert.deepEqual(JSON.parse(await run(folder, process.execPath, 'out/main.js', JSON.stringify(input))), USED)
        assertAgent(AGENT)
      })
    }
  })
}

test('publint finds nothing', async () => {
  await program(project, 'publint/src/cli.js', ARCHIVES.server, '--strict')
})

test('types are right for each way of importing', async () => {
  await program(project, '@arethetypeswrong/cli/dist/index.js', ARCHIVES.server)
})

for (const [name, path, words] of [
  ['Jest', 'jest/bin/jest.js', ['--roots', 'test/jest']],
  ['Vitest', 'vitest/vitest.mjs', ['run', '--dir', 'test/vitest']],
]) {
  test(`${name} loads the package`, async (t) => {
    const { input, assertAgent } = await startService(t)
    process.env.COUNTERSIGN_INPUT = JSON.stringify(input)
    process.env.COUNTERSIGN_USED = JSON.stringify(USED)
    process.env.COUNTERSIGN_PROGRAM = join(folderOf('typescript-5', 'CommonJS'), 'out/use.js')
    await program(project, path, ...words)
    assertAgent(AGENT)
  })
}
