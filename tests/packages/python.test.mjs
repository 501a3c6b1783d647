// Consumers of the Python package, installed from its archives as described in its README.

import assert from 'node:assert/strict'
import { cp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'

import { installation } from './support/readme.mjs'
import { USED, startService } from './support/service.mjs'
import { DIST, EVERYTHING, ROOT, VERSION, emptyProject, npmProject, program, run, shell } from './support/workplace.mjs'

const WHEEL = `countersign_server-${VERSION}-py3-none-any.whl`
const SOURCES = `countersign_server-${VERSION}.tar.gz`
const ACTIVATE = 'python3 -m venv .venv\n. .venv/bin/activate\n'

let tools
let shop
/** Runs the Python of a new environment in its folder. */
const python = (folder, ...words) => run(folder, join(folder, '.venv/bin/python'), ...words)

before(async () => {
  const [, checkout] = await installation('clients/python/README.md')
  tools = await npmProject('python')
  shop = await emptyProject('python-readme', 'shop')
  for (const name of ['use.py', 'extras.py', 'frameworks.py', 'pyrightconfig.json']) await cp(join(tools, name), join(shop, name))
  await shell(shop, ACTIVATE + checkout)
  const pinned = join(ROOT, 'scripts/setup/python-consumer.txt')
  await python(shop, '-m', 'pip', 'install', '--quiet', '--no-deps', '--require-hashes', '-r', pinned)
})

async function assertUsable(t, folder) {
  const { input, assertAgent } = await startService(t)
  const [version, used] = (await python(folder, 'use.py', JSON.stringify(input))).split('\n')
  assert.equal(version, VERSION)
  assert.deepEqual(JSON.parse(used), USED)
  assertAgent(`countersign-python/${VERSION}`)
  await python(folder, '-m', 'pip', 'check')
}

/** Installs with these commands into an empty project with this archive, and uses the package. */
async function assertInstallable(t, name, archive, commands) {
  const folder = await emptyProject('python-readme', name)
  await cp(join(DIST, archive), join(folder, archive))
  await cp(join(tools, 'use.py'), join(folder, 'use.py'))
  await shell(folder, ACTIVATE + commands)
  await assertUsable(t, folder)
}

test('wheel of a checkout is installed as the README says', (t) => assertUsable(t, shop))

test('wheel of a release is installed as the README says', async (t) => {
  const [release] = await installation('clients/python/README.md')
  await assertInstallable(t, 'release', WHEEL, release)
})

/** Installs the wheel with the extras and these releases, and uses them. */
async function assertExtras(name, ...releases) {
  const folder = await emptyProject('python-readme', name)
  await cp(join(DIST, WHEEL), join(folder, WHEEL))
  await cp(join(tools, 'extras.py'), join(folder, 'extras.py'))
  await shell(folder, `${ACTIVATE}pip install './${WHEEL}[limits,testing]' ${releases.join(' ')}`)
  assert.equal(await python(folder, 'extras.py'), '2 link_insecure\n')
}

test('extras bring what limits and test phones need', () => assertExtras('extras'))

test('a module whose extra is not installed names it', async () => {
  const load = python(join(shop, '../release'), '-c', 'import countersign.limits')
  await assert.rejects(load, /install countersign-server\[limits\]/)
})

if (EVERYTHING) {
  test('extras work with the oldest libraries that they say', async () => {
    await assertExtras('oldest-extras', 'limits==4.0.0', 'cryptography==47.0.0')
  })

  test('source distribution is built and installed', async (t) => {
    await assertInstallable(t, 'sources', SOURCES, `pip install ./${SOURCES}`)
  })

  test('package works with the oldest libraries that it says', async (t) => {
    const oldest = 'cryptography==42.0.0 httpx==0.27.0 pyjwt==2.10.0'
    await assertInstallable(t, 'oldest', WHEEL, `pip install ./${WHEEL} ${oldest}`)
    const load = python(join(shop, '../oldest'), '-c', 'import countersign.testing')
    await assert.rejects(load, /install countersign-server\[testing\]/)
  })
}

test('wheel has no file beside the module and its metadata', async () => {
  const found = await readdir(join(shop, '.venv/lib'))
  const site = join(shop, '.venv/lib', found[0], 'site-packages')
  const ours = (await readdir(site)).filter((name) => name.startsWith('countersign'))
  assert.deepEqual(ours.sort(), ['countersign', `countersign_server-${VERSION}.dist-info`])
})

for (const extras of [['flask'], ...EVERYTHING ? [['flask', 'django', 'fastapi', 'limits', 'testing']] : []]) {
  // Without the extras, a strict checker rightly reports that the frameworks are missing.
  const files = extras.length > 1 ? ['use.py', 'extras.py', 'frameworks.py'] : ['use.py']
  test(`strict programs have types for mypy and pyright, with ${extras.join(', ')}`, async () => {
    if (extras.length > 1) {
      await python(shop, '-m', 'pip', 'install', '--quiet', `${join(DIST, WHEEL)}[${extras}]`, 'django-stubs==6.1.2')
    }
    await python(shop, '-m', 'mypy', '--strict', '--cache-dir', '.mypy', ...files)
    const paths = files.map((name) => join(shop, name))
    await program(tools, 'pyright/index.js', '--pythonpath', join(shop, '.venv/bin/python'), ...paths)
  })
}
