// Finds tools that a machine may lack, and reports tests that are skipped without them.

import { execFileSync } from 'node:child_process'
import { accessSync, appendFileSync, constants } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** The root of the repository. */
export const ROOT = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../../..')

/** Returns the path of an executable, or `undefined`. */
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

/** Returns the path of Chromium or Chrome, or `undefined`. */
export function chromium() {
  const names = [process.env.COUNTERSIGN_CHROMIUM, 'chromium-headless-shell', 'chrome-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  return names.map(find).find(Boolean)
}

/** Returns the path of Firefox, or `undefined`. */
export function firefox() {
  return [process.env.COUNTERSIGN_FIREFOX, 'firefox-esr', 'firefox'].map(find).find(Boolean)
}

/** Returns the path of WebKitGTK's driver, or `undefined` if that or what it needs is missing. */
export function webKitDriver() {
  const driver = find(process.env.COUNTERSIGN_WEBKIT_DRIVER) ?? find('WebKitWebDriver')
  return driver && find('Xvfb') && hasBindings() ? driver : undefined
}

/** Whether the system's Python has the bindings of WebKitGTK. */
function hasBindings() {
  try {
    execFileSync('/usr/bin/python3', ['-c', 'import gi; gi.require_version("WebKit2", "4.1")'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Returns the path of the `countersign` command. */
export function countersign() {
  const target = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target')
  return process.env.COUNTERSIGN_BIN ?? resolve(ROOT, target, 'debug/countersign')
}

/** Returns the text that zbar reads from a PNG, or `undefined` if zbar is not installed. */
export function zbar(png) {
  const zbarimg = find('zbarimg')
  if (!zbarimg) return undefined
  const options = { input: png, stdio: ['pipe', 'pipe', 'ignore'] }
  return execFileSync(zbarimg, ['--quiet', '--raw', '--oneshot', 'PNG:-'], options).toString().trimEnd()
}

/** Reports that a test is skipped. */
export function skipped(test, missing) {
  const line = `SKIPPED: ${test}: ${missing}\n`
  process.stdout.write(line)
  if (process.env.COUNTERSIGN_SKIP_LOG) appendFileSync(process.env.COUNTERSIGN_SKIP_LOG, line)
}
