// The operator's console over the table of a deployment, on the emulator: its screens, and a change with its record.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
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
  await console.to('/')
  await page.getByText('CloudWatch’s alarms watch the rest.').waitFor()
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

tableTest('keys are issued and revoked, each with its record', async (open) => {
  await command('app', 'create', 'keys', '--sender', '+12025550199')
  const console = await open('/apps/keys/keys')
  const { page } = console
  await page.getByRole('button', { name: 'Issue a key' }).click()
  await page.getByLabel('Label').fill('second server')
  await page.getByRole('button', { name: 'Issue', exact: true }).click()
  await page.getByText(/^cs_live_/).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Revoke: second server' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('The key is revoked.').waitFor()
  // Two phones of one user.
  for (let phone = 0; phone < 2; phone += 1) {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    await command('app', 'keys', 'add', 'keys', 'user-1', publicKey.export({ type: 'spki', format: 'der' }).toString('base64'))
  }
  await console.to('/apps/keys/people')
  await page.getByLabel('User ID in the app').fill('user-1')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'The phone was lost' }).click()
  await page.getByRole('button', { name: 'Revoke 2 keys' }).click()
  await page.getByText('2 keys are revoked.').waitFor()
  const audit = JSON.parse(await command('audit', '--app', 'keys', '--json'))
  assert.deepEqual(audit.map(({ action, result }) => `${action} ${result}`), [
    'revoke_user_keys done', 'add_association_key done', 'add_association_key done', 'revoke_key done', 'issue_key done', 'create_app done',
  ])
  assert.deepEqual([...new Set(audit.map(({ by }) => /^arn:aws:/.test(by)))], [true])
})

tableTest('one who only reads gets no button', async (open) => {
  await command('app', 'create', 'quiet', '--sender', '+12025550199')
  const console = await open('/apps/quiet', ['--read-only'])
  await console.loaded()
  await console.page.getByText('Read only').waitFor()
  assert.equal(await console.page.getByRole('button', { name: /Change/ }).count(), 0)
})
