// Consumers of the npm packages, the server's, the plugin for Better Auth, the phone and the elements, installed from archives as described
// in their READMEs.

import assert from 'node:assert/strict'
import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { before, test } from 'node:test'

import { installation } from './support/readme.mjs'
import { USED, startService } from './support/service.mjs'
import { ARCHIVES, EVERYTHING, ROOT, VERSION, emptyProject, install, npmProject, program, run, shell } from './support/workplace.mjs'

const AGENT = `countersign-node/${VERSION}`

// Name, `type` of the package, options, and whether Node.js can run the output.
const MODES = [
  ['ES modules, NodeNext', 'module', { module: 'NodeNext' }, true],
  ['ES modules, bundler', 'module', { module: 'ESNext', moduleResolution: 'bundler' }, false],
  ['ES modules at an edge, without the types of Node.js', 'module',
    { module: 'ESNext', moduleResolution: 'bundler', lib: ['ES2023', 'WebWorker'], types: [] }, false, 'src/edge.ts'],
  ['ES modules in a web view, with the phone only', 'module',
    { module: 'ESNext', moduleResolution: 'bundler', lib: ['ES2022', 'DOM'], types: [] }, false, 'src/phone.ts'],
  ['CommonJS, NodeNext', 'commonjs', { module: 'NodeNext' }, true],
  ['CommonJS, Node16', 'commonjs', { module: 'Node16' }, true],
  ['CommonJS', 'commonjs', { module: 'CommonJS', esModuleInterop: true }, true],
]

let project
const folderOf = (compiler, name) => join(project, 'modes', `${compiler}-${name.replaceAll(/\W+/g, '-')}`)

before(async () => {
  for (const folder of ['node', 'widget', 'better-auth', 'authenticator']) {
    const [, checkout] = await installation(`clients/${folder}/README.md`)
    await shell(await emptyProject(`${folder}-readme`, 'checkout'), `npm init --yes\n${checkout}`)
  }
  project = await npmProject('node')
  await install(project, ARCHIVES.server, ARCHIVES.authenticator, ARCHIVES.widget)
})

/** Installs release archives in an empty project. */
async function released(folder, ...archives) {
  const [release] = await installation(`clients/${folder}/README.md`)
  const shop = await emptyProject(`${folder}-readme`, 'release')
  for (const archive of archives) await cp(archive, join(shop, basename(archive)))
  await shell(shop, `npm init --yes\n${release}`)
  return shop
}

test('archive of a release is installed as the README says', async (t) => {
  const shop = await released('node', ARCHIVES.server)
  // Only with the package's own dependencies.
  for (const [name, load] of [['use.mjs', 'import'], ['use.cjs', 'require']]) {
    await writeFile(join(shop, name), load === 'import'
      ? "import * as server from '@countersign/server'\nawait import('@countersign/server/handlers')\nconsole.log(typeof server.Countersign)\n"
      : "const server = require('@countersign/server')\nrequire('@countersign/server/express')\nconsole.log(typeof server.Countersign)\n")
    await t.test(load, async () => assert.equal(await run(shop, process.execPath, name), 'function\n'))
  }
})

test('an entry whose library is not installed names it', async () => {
  const shop = join(project, '../node-readme/release')
  for (const [entry, library] of [['testing', '@hpke/core'], ['limits', 'rate-limiter-flexible']]) {
    for (const load of ['import', 'require']) {
      const words = load === 'import' ? ['--input-type=module', '--eval', `await import('@countersign/server/${entry}')`]
        : ['--eval', `require('@countersign/server/${entry}')`]
      await assert.rejects(run(shop, process.execPath, ...words), new RegExp(`Cannot find (?:package|module) '${library}'`))
    }
  }
})

test('npm pack by hand builds what the archive carries', async () => {
  for (const folder of ['clients/node', 'clients/better-auth', 'clients/authenticator', 'clients/widget']) {
    const { scripts } = JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8'))
    assert.match(scripts.prepack, /build/)
    // npm would skip this script, and omit what it builds.
    assert.equal((await run(join(ROOT, folder), 'npm', 'config', 'get', 'ignore-scripts')).trim(), 'false')
  }
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
      if (compiler === 'typescript-5' && !EVERYTHING && name !== 'CommonJS') continue
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

for (const [name, what, profile] of [
  ['server', 'server', 'strict'], ['authenticator', 'phone', 'strict'], ['betterAuth', 'plugin for Better Auth', 'esm-only'], ['widget', 'widget', 'esm-only'],
]) {
  test(`publint finds nothing in the package of the ${what}`, () => (
    program(project, 'publint/src/cli.js', ARCHIVES[name], '--strict')
  ))

  test(`types of the ${what} are right for each way of importing`, () => (
    program(project, '@arethetypeswrong/cli/dist/index.js', '--profile', profile, ARCHIVES[name])
  ))
}

test('the plugin for Better Auth is installed as its README says', async () => {
  const shop = await released('better-auth', ARCHIVES.server, ARCHIVES.betterAuth)
  await writeFile(join(shop, 'auth.mjs'), [
    "import { betterAuth } from 'better-auth'",
    "import { createAuthClient } from 'better-auth/client'",
    "import { countersign } from '@countersign/better-auth'",
    "import { countersignClient } from '@countersign/better-auth/client'",
    'const webhookSecret = `whsec_${Buffer.alloc(32).toString("base64")}`',
    "const plugin = countersign({ url: 'https://countersign.example', apiKey: 'cs_test_1', webhookSecret })",
    "const auth = betterAuth({ baseURL: 'http://localhost:3000', secret: 'x'.repeat(40), plugins: [plugin] })",
    "const client = createAuthClient({ baseURL: 'http://localhost:3000', plugins: [countersignClient()] })",
    'console.log(typeof auth.api.finishTextSignIn, typeof client.countersign.waitForSignIn)',
  ].join('\n'))
  assert.equal(await run(shop, process.execPath, 'auth.mjs'), 'function function\n')
})

test('the phone is installed as its README says, and its classes exist once', async () => {
  const app = await released('authenticator', ARCHIVES.authenticator)
  await writeFile(join(app, 'phone.mjs'), [
    "import { createRequire } from 'node:module'",
    "import { Authenticator, AuthenticatorError, MemoryKeyStore, MemoryStorage } from '@countersign/authenticator'",
    "const required = createRequire(import.meta.url)('@countersign/authenticator')",
    "const options = { service: 'https://countersign.example', appKey: 'cs_app_0123456789abcdefABCDEF', linkHosts: ['a.example'] }",
    'const phone = new Authenticator({ ...options, storage: new MemoryStorage(), keys: new MemoryKeyStore() })',
    "await phone.keys.generate('zoe')",
    "const { signature } = await phone.keys.registration('zoe')",
    'console.log(required.AuthenticatorError === AuthenticatorError, signature.length > 80)',
  ].join('\n'))
  assert.equal(await run(app, process.execPath, '--no-warnings', 'phone.mjs'), 'true true\n')
  // Jest gets this one.
  const common = "const { Authenticator } = require('./node_modules/@countersign/authenticator/cjs/index.js'); console.log(typeof Authenticator)"
  assert.equal(await run(app, process.execPath, '--eval', common), 'function\n')
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

for (const compiler of ['typescript-7', ...EVERYTHING ? ['typescript-5'] : []]) {
  test(`a page with the elements compiles with ${compiler}`, async () => {
    const folder = join(project, 'page')
    const options = { module: 'ESNext', moduleResolution: 'bundler', lib: ['ES2023', 'DOM', 'DOM.Iterable'], types: [], noEmit: true }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../tsconfig.json', compilerOptions: options }))
    await program(project, `${compiler}/bin/tsc`, '--project', folder)
  })
}

test('a bundler keeps the languages of the elements apart', async () => {
  const folder = join(project, 'page')
  await program(project, 'vite/bin/vite.js', 'build', folder, '--logLevel', 'warn')
  const scripts = await readdir(join(folder, 'dist/assets'))
  assert.ok(scripts.some((name) => /^ja-.*\.js$/.test(name)), scripts.join())
})

test('a server that renders pages may import the elements', async () => {
  const shop = await released('widget', ARCHIVES.widget)
  await writeFile(join(shop, 'render.mjs'), "import '@countersign/widget'\n")
  await run(shop, process.execPath, 'render.mjs')
})
