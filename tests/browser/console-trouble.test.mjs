// The operator's console while its server stops and comes back, and after the console itself has ended.

import assert from 'node:assert/strict'

import { overTheServersConsole, refused } from './support/console.mjs'
import { createApp } from './support/console-data.mjs'

const GONE = /ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|Failed to load resource: net/

const consoleTest = overTheServersConsole(async ({ server, receiver }) => {
  const shop = await createApp(server, 'shop', '--sender', '+12025550199')
  return { shop, id: await shop.verified(`${receiver.url}/204`, '+12025550100', 'delivered') }
})

consoleTest('a server that stops is said, its data stays readable, and it comes back', async ({ server, open, data, receiver, expect }) => {
  const console = await open('/confirmations')
  const { page, server: operator } = console
  const row = page.getByRole('row', { name: data.id })
  await row.waitFor()
  assert.equal(await server.halt(), 0)
  const banner = page.getByText('The server is not running')
  await banner.waitFor()
  await row.waitFor()
  await console.looks('real-stopped-list')
  // What it has stored is still there to read and to change.
  await page.goto(`${operator.url}/confirmations/${data.id}`)
  await page.getByText('Attempt 1: the receiver accepted it with 204').waitFor()
  await page.goto(`${operator.url}/apps/shop`)
  await page.getByRole('button', { name: 'Change: Letters before codes', exact: true }).click()
  await page.getByLabel('Letters before codes', { exact: true }).fill('SHOP')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. It applies from now on.').waitFor()
  // What needs the server does not hide the rest.
  await page.goto(`${operator.url}/system`)
  await console.loaded()
  await page.getByRole('heading', { name: 'Signing keys' }).waitFor()
  await console.looks('real-stopped-system')
  await server.resume()
  await banner.waitFor({ state: 'detached' })
  await page.goto(`${operator.url}/apps/shop/webhooks`)
  await page.getByLabel('URL').fill(`${receiver.url}/204`)
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText(/The receiver answered 204/).waitFor()
  const started = await data.shop.start(`${receiver.url}/204`)
  assert.match(started.confirmationMessage, /^SHOP-/)
  await page.goto(`${operator.url}/confirmations`)
  await page.getByRole('row', { name: started.confirmationId }).waitFor()
  expect(refused(503))
})

consoleTest('what was typed is kept while the server is away', async ({ server, open, expect }) => {
  const { page } = await open('/apps/shop')
  await page.getByRole('button', { name: 'Change: Message', exact: true }).click()
  await page.getByLabel('Message', { exact: true }).fill('Typed: {code}')
  assert.equal(await server.halt(), 0)
  await page.getByText('The server is not running').waitFor()
  assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), 'Typed: {code}')
  await server.resume()
  await page.getByText('The server is not running').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. It applies from now on.').waitFor()
  expect(refused(503))
})

consoleTest('a console that has ended is said, and its page keeps what it shows', async ({ open, data, expect }) => {
  const console = await open('/confirmations')
  const { page, server: operator } = console
  await page.getByRole('row', { name: data.id }).waitFor()
  assert.equal(await operator.stop(), 0)
  await page.getByText('does not answer').waitFor()
  await page.getByRole('row', { name: data.id }).waitFor()
  await console.looks('real-ended')
  expect(GONE)
})
