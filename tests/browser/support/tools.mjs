// What the tests need that may not be on a machine. What is missing is said, and not passed over in
// silence.

import { execFileSync } from 'node:child_process'
import { accessSync, appendFileSync, constants } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** The root of the repository. */
export const ROOT = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../../..')

/** The file that is executed for a name, if there is one. */
export function find(name) {
  if (!name) return undefined
  const places = name.includes('/') ? [name] : process.env.PATH.split(delimiter).map((dir) => join(dir, name))
  return places.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Chromium or Chrome, if there is one. */
export function chromium() {
  const names = [process.env.COUNTERSIGN_CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome']
  return names.map(find).find(Boolean)
}

/** The `countersign` command. */
export function countersign() {
  const target = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target')
  return process.env.COUNTERSIGN_BIN ?? resolve(ROOT, target, 'debug/countersign')
}

/** What zbar reads in a PNG; `undefined` where there is no zbar. */
export function zbar(png) {
  const zbarimg = find('zbarimg')
  if (!zbarimg) return undefined
  const options = { input: png, stdio: ['pipe', 'pipe', 'ignore'] }
  return execFileSync(zbarimg, ['--quiet', '--raw', '--oneshot', 'PNG:-'], options).toString().trimEnd()
}

/** Says that a test does not run. */
export function skipped(test, missing) {
  const line = `SKIPPED: ${test}: ${missing}\n`
  process.stdout.write(line)
  if (process.env.COUNTERSIGN_SKIP_LOG) appendFileSync(process.env.COUNTERSIGN_SKIP_LOG, line)
}
