// Consumers of the package for Rust, installed from its archive and from a checkout as its README says.

import assert from 'node:assert/strict'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'

import { installation } from './support/readme.mjs'
import { USED, startService } from './support/service.mjs'
import { DIST, PROJECTS, ROOT, VERSION, emptyProject, run, shell } from './support/workplace.mjs'

const README = 'clients/rust/README.md'
const ARCHIVE = `countersign-client-${VERSION}.crate`
/** A package with what the program and the README's sample need beside ours. */
const MANIFEST = `
# The folder is inside of our workspace, and no part of it.
[workspace]

[package]
name = "shop"
edition = "2024"

[dependencies]
axum = { version = "0.8", default-features = false }
serde = { version = "1", features = ["derive"] }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt"] }

[profile.dev]
debug = false
incremental = false
`

before(() => run(ROOT, 'scripts/pack.sh', 'rust'))

/** Installs with these commands into a new package, and runs a program that uses ours. */
async function assertInstallable(t, name, commands) {
  const folder = await emptyProject('rust-readme', name)
  // The versions that the workspace is tested with.
  await cp(join(ROOT, 'Cargo.lock'), join(folder, 'Cargo.lock'))
  await cp(join(DIST, ARCHIVE), join(folder, ARCHIVE))
  await writeFile(join(folder, 'Cargo.toml'), MANIFEST)
  await cp(join(PROJECTS, 'rust/main.rs'), join(folder, 'src/main.rs'))
  const [, sample] = /^```rust\n(.*?)^```/ms.exec(await readFile(join(ROOT, README), 'utf8'))
  await writeFile(join(folder, 'src/readme.rs'), sample)
  await shell(folder, commands)
  const target = join(folder, '../target')
  await run(folder, 'cargo', 'build', '--quiet', '--target-dir', target)
  const { input, assertAgent } = await startService(t)
  const [version, used] = (await run(folder, join(target, 'debug/shop'), JSON.stringify(input))).split('\n')
  assert.equal(version, VERSION)
  assert.deepEqual(JSON.parse(used), USED)
  assertAgent(`countersign-rust/${VERSION}`)
}

test('archive of a release is installed as the README says', async (t) => {
  const [release] = await installation(README)
  await assertInstallable(t, 'release', release)
})

test('checkout is used as the README says', async (t) => {
  const [, checkout] = await installation(README)
  await assertInstallable(t, 'checkout', checkout)
})
