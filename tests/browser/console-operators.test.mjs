// Two operators who change one app at the same time in two consoles: neither change is lost.

import assert from 'node:assert/strict'

import { overTheServersConsole, refused } from './support/console.mjs'
import { createApp } from './support/console-data.mjs'
import { edit, save, settings } from './support/settings-editor.mjs'

const consoleTest = overTheServersConsole(async ({ server }) => ({
  shop: await createApp(server, 'shop', '--sender', '+12025550199', '--origin', 'https://shop.example'),
}))

consoleTest('two operators change one app at the same time, and neither change is lost', async ({ server, open }) => {
  const one = await open('/apps/shop')
  const other = await open('/apps/shop')
  // Different settings: both hold.
  await edit(one, 'Default callback URL', 'https://one.example/hook')
  await edit(other, 'Letters before codes', 'SHOP')
  await save(one)
  await save(other)
  assert.equal((await settings(server)).callbackUrl, 'https://one.example/hook')
  assert.equal((await settings(server)).codePrefix, 'SHOP')
  // One list: both additions hold.
  await edit(one, 'Pages that open logins', 'https://shop.example\nhttps://one.example')
  await edit(other, 'Pages that open logins', 'https://shop.example\nhttps://other.example')
  await save(one)
  await save(other)
  assert.deepEqual((await settings(server)).login.origins.sort(), ['https://one.example', 'https://other.example', 'https://shop.example'])
  // The same setting: the second operator sees the first one's value, and chooses.
  await edit(one, 'Message', 'One: {code}')
  await edit(other, 'Message', 'Other: {code}')
  await save(one)
  await other.page.getByRole('button', { name: 'Save' }).click()
  const conflict = other.page.getByRole('alert')
  await conflict.getByText('Someone else has changed this in the meantime').waitFor()
  await conflict.getByText('One: {code}').waitFor()
  await other.looks('real-conflict')
  assert.equal((await settings(server)).messageTemplate, 'One: {code}')
  await conflict.getByRole('button', { name: 'Save mine instead' }).click()
  await other.page.getByText('Saved. It applies from now on.').waitFor()
  assert.equal((await settings(server)).messageTemplate, 'Other: {code}')
})

consoleTest('a change between the look and the request changes nothing, and the operator chooses', async ({ server, open, expect }) => {
  const { page, server: operator } = await open('/apps/shop')
  await edit({ page }, 'Letters before codes', 'MINE')
  // The other operator is quicker by the time between this page's look at the app and its request.
  await page.route(`${operator.url}/api/update_app`, async (route) => {
    const { code, err } = await server.run('app', 'update', 'shop', '--code-prefix', 'THEIRS')
    assert.equal(code, 0, err)
    await route.continue()
  }, { times: 1 })
  await page.getByRole('button', { name: 'Save' }).click()
  const conflict = page.getByRole('alert')
  await conflict.getByText('THEIRS', { exact: true }).waitFor()
  await conflict.getByText('MINE', { exact: true }).waitFor()
  assert.equal((await settings(server)).codePrefix, 'THEIRS')
  await conflict.getByRole('button', { name: 'Keep the current value' }).click()
  await conflict.waitFor({ state: 'detached' })
  assert.equal((await settings(server)).codePrefix, 'THEIRS')
  expect(refused(409))
})
