// The operator's console over the table of a deployment, on the emulator: its screens, and a change with its record.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { openConsole, refused } from './support/console.mjs'
import { startBrowser } from './support/page.mjs'
import { run } from './support/server.mjs'
import { HANG } from './support/suite.mjs'
import { chromium, countersign, ROOT, skipped } from './support/tools.mjs'

/** The virtual environment with the emulator, which the tests of deployments set up. */
const PYTHON = join(process.env.COUNTERSIGN_AWS_TOOLS ?? join(ROOT, '.tools/aws-tools'), 'bin/python')

let browser
let emulator
let target

/** Starts the emulator with an empty table. */
async function startTable() {
  emulator = spawn(PYTHON, [join(ROOT, 'tests/browser/support/table.py')], { stdio: ['pipe', 'pipe', 'inherit'] })
  let said = ''
  for await (const text of emulator.stdout) {
    said += text
    if (said.includes('\n')) break
  }
  const { table, environment } = JSON.parse(said)
  return { table, environment: { ...environment, AWS_EC2_METADATA_DISABLED: 'true' } }
}

before(async () => {
  if (!chromium() || !existsSync(PYTHON)) return
  browser = await startBrowser()
  target = await startTable()
}, HANG)

after(async () => {
  await browser?.close()
  if (emulator === undefined) return
  const ended = once(emulator, 'exit')
  emulator.stdin.end()
  await ended
}, HANG)

async function command(...words) {
  const { code, out, err } = await run(countersign(), ['--table', target.table, ...words], target.environment)
  assert.equal(code, 0, err)
  return out
}

/** Declares a test, called with a function that opens the console. */
function tableTest(name, body) {
  return test(name, HANG, async () => {
    if (!chromium()) return skipped(name, 'no Chromium')
    if (!existsSync(PYTHON)) return skipped(name, 'no emulator')
    const opened = []
    const open = async (path, options = []) => {
      const one = await openConsole(browser, ['--table', target.table, ...options], path, {}, target.environment)
      opened.push(one)
      return one
    }
    try {
      await body(open)
      // The signing keys are in KMS, and the page says so.
      for (const one of opened) await one.closeWindow(refused(409))
    } finally {
      for (const { server } of opened) await server.stop()
    }
  })
}

const SCREENS = ['/', '/confirmations', '/logins', '/apps', '/apps/shop', '/apps/shop/keys', '/apps/shop/people', '/audit', '/system']

tableTest('each screen, before there is anything and with an app', async (open) => {
  const console = await open('/apps')
  const { page } = console
  await page.getByText('No apps yet').waitFor()
  await page.getByText(target.table).first().waitFor()
  await console.looks('table-empty-apps')
  await command('app', 'create', 'shop', '--sender', '+12025550199')
  for (const path of SCREENS) {
    await console.to(path)
    await console.loaded()
    assert.deepEqual(await page.getByRole('alert').allInnerTexts(), [], path)
    await console.looks(`table${path.replaceAll('/', '-')}`)
  }
})

tableTest('a change is recorded under the name of the credentials', async (open) => {
  await command('app', 'create', 'bank', '--sender', '+12025550199')
  const { page } = await open('/apps/bank')
  await page.getByRole('button', { name: 'Change: Letters before codes', exact: true }).click()
  await page.getByLabel('Letters before codes', { exact: true }).fill('BANK')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. It applies from now on.').waitFor()
  assert.equal(JSON.parse(await command('app', 'show', 'bank', '--json')).codePrefix, 'BANK')
  const [record] = JSON.parse(await command('audit', '--app', 'bank', '--json'))
  assert.equal(record.action, 'update_app')
  assert.deepEqual(record.details, { code_prefix: 'BANK' })
  assert.match(record.by, /^arn:aws:/)
})

tableTest('one who only reads gets no button', async (open) => {
  await command('app', 'create', 'quiet', '--sender', '+12025550199')
  const console = await open('/apps/quiet', ['--read-only'])
  await console.loaded()
  await console.page.getByText('Read only').waitFor()
  assert.equal(await console.page.getByRole('button', { name: /Change/ }).count(), 0)
})
