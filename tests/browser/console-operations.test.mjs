// A provider's trial, an app's receivers, its failed webhooks and its link host in the operator's console, over a real server.

import assert from 'node:assert/strict'

import { overTheServersConsole } from './support/console.mjs'
import { demoApp, FOREIGN } from './support/console-data.mjs'
import { ask } from './support/server.mjs'

async function fill({ server, receiver }) {
  const demo = demoApp(server)
  await demo.verified(`${receiver.url}/204`, '+12025550100', 'delivered')
  await demo.verified(`${receiver.url}/410`, '+12025550101', 'failed')
  const { code, err } = await server.run('app', 'update', 'demo', '--ios', 'ABCDE12345.com.example.shop')
  assert.equal(code, 0, err)
  const refused = await ask(`${server.url}/inbound-sms/twilio`, { method: 'POST', body: '' })
  assert.equal(refused.status, 404)
}

const consoleTest = overTheServersConsole(fill)

consoleTest('a trial and the last calls of a provider', async ({ open }) => {
  const console = await open('/providers')
  const { page } = console
  await page.getByRole('link', { name: 'Twilio' }).click()
  await page.getByRole('cell', { name: 'The provider is off' }).waitFor()
  await console.to('/providers/generic')
  await page.getByRole('button', { name: 'Run the trial' }).click()
  await page.getByText(/took the signed text \(200 OK\)/).waitFor()
  await page.getByRole('cell', { name: 'The text has no code' }).waitFor()
  assert.equal(await page.getByRole('cell', { name: 'The text completed a confirmation' }).count(), 2)
  await console.looks('real-trial')
})

consoleTest('receivers, a test webhook and what failed', async ({ open, receiver, server }) => {
  const console = await open('/apps/demo/webhooks')
  const { page } = console
  const receivers = page.getByRole('table', { name: 'Receivers' })
  await receivers.getByRole('cell', { name: '1 (50 %)' }).waitFor()
  await page.getByLabel('URL').fill(`${receiver.url}/404`)
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText(/The receiver answered 404/).waitFor()
  await page.getByText(FOREIGN).waitFor()
  await page.getByRole('button', { name: 'Send them again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send them again' }).click()
  await page.getByText('Webhooks sent again: 1.').waitFor()
  await console.looks('real-receivers')
  const audit = await server.run('audit', '--app', 'demo', '--last', '1', '--json')
  assert.equal(JSON.parse(audit.out)[0].action, 'redeliver_failed')
})

consoleTest('a link host for one who only reads', async ({ open }) => {
  const console = await open('/apps/demo', { options: ['--read-only'] })
  const { page } = console
  await page.getByRole('button', { name: 'Check the link host' }).click()
  await page.getByText('iOS opens the links in ABCDE12345.com.example.shop.').waitFor()
  await page.getByText('There is none in local mode').waitFor()
  await console.looks('real-link-host')
})
