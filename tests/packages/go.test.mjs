// Consumers of the Go module, installed from its archive as described in its README.

import assert from 'node:assert/strict'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'

import { installation } from './support/readme.mjs'
import { USED, startService } from './support/service.mjs'
import { DIST, PROJECTS, ROOT, VERSION, emptyProject, run, shell } from './support/workplace.mjs'

const ARCHIVE = `countersign-go-${VERSION}.zip`
const MODULE = 'github.com/countersign/countersign/clients/go'

before(() => run(ROOT, 'scripts/pack.sh', 'go'))

/** Installs the module with these commands into a new one, and runs a program that uses it. */
async function assertInstallable(t, name, commands) {
  const folder = await emptyProject('go-readme', name)
  for (const file of ['main.go', 'main_test.go']) await cp(join(PROJECTS, 'go', file), join(folder, file))
  await cp(join(DIST, ARCHIVE), join(folder, ARCHIVE))
  await shell(folder, `go mod init shop.example/shop\n${commands}\ngo vet ./...\ngo test ./...\ngo build -o shop .`)
  const { input, assertAgent } = await startService(t)
  const [version, used] = (await run(folder, join(folder, 'shop'), JSON.stringify(input))).split('\n')
  assert.equal(version, VERSION)
  assert.deepEqual(JSON.parse(used), USED)
  assertAgent(`countersign-go/${VERSION}`)
  return folder
}

test('archive of a release is installed as the README says', async (t) => {
  const [release] = await installation('clients/go/README.md')
  const folder = await assertInstallable(t, 'release', release)
  // It compiles, including its tests, without the rest of the repository.
  await run(join(folder, 'third_party', `${MODULE}@v${VERSION}`), 'go', 'vet', './...')
})

test('checkout is used as the README says', async (t) => {
  const [, checkout] = await installation('clients/go/README.md')
  await assertInstallable(t, 'checkout', checkout)
})

test('archive is one that go fetches from a proxy', async (t) => {
  const proxy = await emptyProject('go-readme', 'proxy')
  const versions = join(proxy, MODULE, '@v')
  await mkdir(versions, { recursive: true })
  await writeFile(join(versions, 'list'), `v${VERSION}\n`)
  await writeFile(join(versions, `v${VERSION}.info`), JSON.stringify({ Version: `v${VERSION}` }))
  await cp(join(DIST, ARCHIVE), join(versions, `v${VERSION}.zip`))
  await cp(join(ROOT, 'clients/go/go.mod'), join(versions, `v${VERSION}.mod`))
  const folder = await assertInstallable(t, 'proxied', [
    // Not the shared cache, which could contain an archive from an earlier run.
    'export GOMODCACHE=$PWD/../modules GOFLAGS=-modcacherw GONOSUMDB=github.com/countersign',
    'rm -rf "$GOMODCACHE"',
    `export GOPROXY="file://${proxy},$(go env GOPROXY)"`,
    `go get ${MODULE}@latest`,
    'go mod tidy',
  ].join('\n'))
  assert.match(await readFile(join(folder, 'go.mod'), 'utf8'), new RegExp(`${MODULE} v${VERSION}\n`))
})
