// Projects that install the packages, in .tools/packages.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
export const DIST = join(ROOT, 'dist')
const WORK = join(ROOT, '.tools/packages')
export const PROJECTS = fileURLToPath(new URL('../projects', import.meta.url))

/** The version of this tree. */
export const VERSION = /^\[workspace\.package\]\nversion = "(.*)"/m.exec(await readFile(join(ROOT, 'Cargo.toml'), 'utf8'))[1]

/** Whether to run tests that take minutes as well. */
export const EVERYTHING = process.env.COUNTERSIGN_ALL_PACKAGES === '1'

/** Runs a command, and returns its output. Throws an error with the whole output if it fails. */
export async function run(cwd, command, ...words) {
  const npm = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_prefer_offline: 'true' }
  const env = { ...process.env, ...npm, PIP_DISABLE_PIP_VERSION_CHECK: '1', NEXT_TELEMETRY_DISABLED: '1', NO_COLOR: '1' }
  // Otherwise, a test runner would report to ours.
  delete env.NODE_TEST_CONTEXT
  const child = spawn(command, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  const printed = []
  child.stdout.on('data', (data) => { output.push(data); printed.push(data) })
  child.stderr.on('data', (data) => output.push(data))
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (code !== 0) throw new Error(`${[command, ...words].join(' ')} exited with ${code}:\n${Buffer.concat(output)}`)
  return Buffer.concat(printed).toString()
}

/** Runs lines of a shell, as a document's reader would. */
export const shell = (cwd, lines) => run(cwd, 'bash', '-euo', 'pipefail', '-c', lines)

/** Returns an empty folder next to `countersign`, a checkout of this tree. */
export async function emptyProject(...names) {
  const folder = join(WORK, ...names)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const checkout = join(dirname(folder), 'countersign')
  if (!existsSync(checkout)) await symlink(ROOT, checkout)
  return folder
}

/** Returns a copy of projects/NAME with the packages of its lock file. */
export async function npmProject(name) {
  const [source, folder] = [join(PROJECTS, name), join(WORK, name)]
  const lock = await readFile(join(source, 'package-lock.json'))
  const key = createHash('sha256').update(lock).update(process.version).digest('hex')
  const stamp = join(folder, 'installed')
  const ready = await readFile(stamp, 'utf8').catch(() => '') === key
  for (const one of ready ? await readdir(folder) : []) {
    if (one !== 'node_modules' && one !== 'installed') await rm(join(folder, one), { recursive: true })
  }
  if (!ready) await rm(folder, { recursive: true, force: true })
  const mine = (path) => !path.startsWith(join(source, 'node_modules'))
  await cp(source, folder, { recursive: true, filter: mine })
  if (!ready) {
    await run(folder, 'npm', 'ci', '--ignore-scripts')
    await writeFile(stamp, key)
  }
  return folder
}

/** Installs packages from archives, in addition to the lock file's. */
export const install = (folder, ...archives) => (
  run(folder, 'npm', 'install', '--no-save', '--no-package-lock', '--ignore-scripts', ...archives)
)

/** The archives of the npm packages. */
export const ARCHIVES = {
  server: join(DIST, `countersign-server-${VERSION}.tgz`),
  betterAuth: join(DIST, `countersign-better-auth-${VERSION}.tgz`),
  authenticator: join(DIST, `countersign-authenticator-${VERSION}.tgz`),
  widget: join(DIST, `countersign-widget-${VERSION}.tgz`),
}

/**
 * Packs the current elements into a project, and installs them there. Test files that run at the same time do not share
 * an archive.
 */
export async function installElements(folder) {
  await run(join(ROOT, 'clients/widget'), 'npm', 'pack', '--ignore-scripts', '--pack-destination', folder)
  await install(folder, join(folder, basename(ARCHIVES.widget)))
}

/** Runs a program from a project's packages. */
export const program = (folder, path, ...words) => (
  run(folder, process.execPath, join(folder, 'node_modules', path), ...words)
)
