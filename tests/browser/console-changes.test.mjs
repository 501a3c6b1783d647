// Each change of the operator's console over a real server: what it does, and what the audit log keeps of it.

import assert from 'node:assert/strict'

import { overTheServersConsole, refused } from './support/console.mjs'
import { createApp, records, registerKey, startReceiver } from './support/console-data.mjs'

const consoleTest = overTheServersConsole(async ({ server }) => ({
  shop: await createApp(server, 'shop', '--sender', '+12025550199', '--origin', 'https://shop.example'),
}))

/** Asserts that the newest records are these, the newest first, under the name of the person who runs the command. */
async function recorded(server, ...expected) {
  const newest = (await records(server)).slice(0, expected.length)
  const { out } = await server.run('audit', '--last', '100', '--json')
  const people = new Set(JSON.parse(out).map(({ by }) => by))
  assert.equal(people.size, 1)
  for (const [index, record] of expected.entries()) {
    const { action, app, details, result } = newest[index]
    assert.deepEqual({ action, app, details, result }, { result: 'done', app: 'shop', ...record })
  }
}

consoleTest('a number is shown with a reason, and hidden again after a minute', async ({ server, receiver, data, open }) => {
  const id = await data.shop.verified(`${receiver.url}/204`, '+12025550100', 'delivered')
  const { page, server: operator } = await open('/confirmations')
  await page.clock.install()
  await page.goto(`${operator.url}/confirmations/${id}`)
  await page.getByRole('heading', { name: '+1 202 ••• ••00' }).waitFor()
  await page.getByRole('button', { name: 'Show the number' }).click()
  await page.getByLabel('Reason').selectOption('Another reason')
  await page.getByLabel('Your reason').fill('ticket 4711')
  await page.keyboard.press('Enter')
  await page.getByText('+12025550100', { exact: true }).waitFor()
  await recorded(server, { action: 'reveal_number', details: { id, reason: 'ticket 4711' } })
  assert.ok(!JSON.stringify(await records(server)).includes('+12025550100'))
  assert.ok(!page.url().includes('0100'))
  await page.clock.fastForward(61_000)
  await page.getByText('+12025550100', { exact: true }).waitFor({ state: 'detached' })
})

consoleTest('a failed webhook is sent again, and the numbers are erased', async ({ server, receiver, data, open }) => {
  const id = await data.shop.verified(`${receiver.url}/410`, '+12025550101', 'failed')
  const { page } = await open(`/confirmations/${id}`)
  await page.getByText('The webhook was given up').waitFor()
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Send the webhook again' }).click()
  await dialog.getByText(`${receiver.url}/410`).waitFor()
  // Escape changes nothing.
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send the webhook again' }).click()
  await dialog.getByRole('button', { name: 'Send the webhook again' }).click()
  await page.getByText('The webhook is on its way.').waitFor()
  await page.getByText('Attempt 2: the receiver answered 410').waitFor()
  await recorded(server, { action: 'redeliver_webhook', details: { id } })
  await page.getByRole('button', { name: 'Erase personal data' }).click()
  await dialog.getByRole('button', { name: 'Erase', exact: true }).click()
  await page.getByText('Erased', { exact: true }).first().waitFor()
  await recorded(server, { action: 'redact_confirmation', details: { id } })
  const { out } = await server.run('confirmations', 'show', id)
  assert.ok(!out.includes('••01'), out)
})

consoleTest('an open confirmation is cancelled, and a text verifies nothing any more', async ({ server, receiver, data, open }) => {
  const started = await data.shop.start(`${receiver.url}/204`)
  const { page } = await open(`/confirmations/${started.confirmationId}`)
  await page.getByRole('button', { name: 'Cancel the confirmation' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the confirmation' }).click()
  await page.getByText('The confirmation is cancelled.').waitFor()
  await recorded(server, { action: 'cancel_confirmation', details: { id: started.confirmationId } })
  await data.shop.text(started, '+12025550102')
  await page.reload()
  await page.getByText('Cancelled', { exact: true }).first().waitFor()
})

consoleTest('a confirmation that changed meanwhile says so', async ({ receiver, data, open, expect }) => {
  const started = await data.shop.start(`${receiver.url}/204`)
  const { page } = await open(`/confirmations/${started.confirmationId}`)
  await page.getByRole('button', { name: 'Cancel the confirmation' }).click()
  await data.shop.text(started, '+12025550103')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the confirmation' }).click()
  await page.getByRole('dialog').getByRole('alert').getByText(/verified/).waitFor()
  expect(refused(409))
})

consoleTest('keys are issued once and revoked', async ({ server, open }) => {
  const console = await open('/apps/shop/keys')
  const { page } = console
  await page.getByRole('button', { name: 'Issue a key' }).click()
  await page.getByRole('checkbox', { name: /^Test key/ }).check()
  await page.getByRole('button', { name: 'Issue', exact: true }).click()
  const shown = await page.getByText(/^cs_test_/).innerText()
  await console.looks('real-new-key')
  const [issued] = await records(server)
  await recorded(server, { action: 'issue_key', details: { test: true } })
  assert.ok(!JSON.stringify(await records(server)).includes(shown))
  await page.getByRole('button', { name: 'Close' }).click()
  assert.equal(await page.getByText(/^cs_test_/).count(), 0)
  const row = page.getByRole('row', { name: issued.keyId })
  await row.getByRole('button', { name: /^Revoke/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('The key is revoked.').waitFor()
  await recorded(server, { action: 'revoke_key', details: { key: issued.keyId } })
  // The last live key warns.
  await page.getByRole('button', { name: /^Revoke/ }).click()
  await page.getByText('It is the last active live key').waitFor()
  await page.keyboard.press('Escape')
})

consoleTest('a lost phone is one step', async ({ server, open }) => {
  const key = await registerKey(server, 'shop', 'user-1')
  const { page } = await open('/apps/shop/people')
  await page.getByLabel('The app’s id of the user').fill('user-1')
  await page.keyboard.press('Enter')
  await page.getByRole('cell', { name: key, exact: true }).waitFor()
  await page.getByRole('button', { name: 'The phone was lost' }).click()
  await page.getByRole('button', { name: 'Revoke 1 key' }).click()
  await page.getByText('1 key is revoked.').waitFor()
  assert.ok(!page.url().includes('user-1'))
  const [record] = await records(server)
  assert.match(record.action, /^revoke_(association_key|user_keys)$/)
  assert.equal(record.app, 'shop')
})

consoleTest('a signing secret is rotated, told once and retired', async ({ server, open }) => {
  const { page } = await open('/apps/shop/webhooks')
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('button', { name: 'Make a new secret' }).click()
  const secret = await page.getByText(/^whsec_/).innerText()
  const { out } = await server.run('app', 'webhook-secret', 'shop', '--json')
  const { webhookSecrets } = JSON.parse(out)
  assert.equal(webhookSecrets.length, 2)
  assert.equal(webhookSecrets[0], secret)
  await recorded(server, { action: 'rotate_webhook_secret', details: {} })
  await page.reload()
  await page.getByRole('heading', { name: 'Signing secret' }).waitFor()
  assert.equal(await page.getByText(/whsec_/).count(), 0)
  await page.getByRole('button', { name: 'Retire the old secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Retire the old secret' }).click()
  await page.getByText('Webhooks are signed only with the newest secret.', { exact: true }).waitFor()
  await recorded(server, { action: 'retire_webhook_secret', details: {} })
})

consoleTest('a test webhook says what the receiver answered', async ({ receiver, open, expect }) => {
  const { page } = await open('/apps/shop/webhooks')
  const send = async (url) => {
    await page.getByLabel('URL').fill(url)
    await page.getByRole('button', { name: 'Send a test' }).click()
  }
  await send(`${receiver.url}/204`)
  await page.getByText(/The receiver answered 204 after \d+ ms\./).waitFor()
  await send(`${receiver.url}/500`)
  await page.getByText(/answered 500 after \d+ ms\. Only 2xx counts as received\./).waitFor()
  const gone = await startReceiver()
  gone.stop()
  await send(`${gone.url}/204`)
  await page.getByText(/No answer after \d+ ms: the connection was refused/).waitFor()
  await send('ftp://receiver.example')
  await page.getByRole('alert').waitFor()
  expect(refused(400, 409))
})

consoleTest('the signing key of the service is rotated after a question', async ({ server, open }) => {
  const { page } = await open('/system')
  await page.getByRole('button', { name: 'Rotate the signing key' }).click()
  await page.getByRole('button', { name: 'Make a new key' }).click()
  await page.getByText('New webhooks are signed with a new key.', { exact: true }).waitFor()
  await page.getByText('Published only').waitFor()
  await recorded(server, { action: 'rotate_signing_key', app: null, details: {} })
})

/** Opens the editor of a setting and types a value. */
async function edit({ page }, name, value) {
  await page.getByRole('button', { name: `Change: ${name}`, exact: true }).click()
  await page.getByLabel(name, { exact: true }).fill(value)
}

async function save({ page }) {
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. It holds from now on.').waitFor()
}

async function settings(server) {
  const { out } = await server.run('app', 'show', 'shop', '--json')
  return JSON.parse(out)
}

consoleTest('each kind of setting is changed, taken away and recorded', async ({ server, open }) => {
  const console = await open('/apps/shop')
  const { page } = console
  await edit(console, 'Default callback URL', 'https://one.example/hook')
  await save(console)
  await recorded(server, { action: 'update_app', details: { callback_url: 'https://one.example/hook' } })
  await page.getByRole('button', { name: 'Change: Default callback URL' }).click()
  await page.getByRole('button', { name: 'Remove this setting' }).click()
  await save(console)
  assert.equal((await settings(server)).callbackUrl, null)
  await edit(console, 'Messages by language', 'de=Anmeldung: {code}\nfr=Connexion : {code}')
  await save(console)
  assert.deepEqual((await settings(server)).messageTemplates, { de: 'Anmeldung: {code}', fr: 'Connexion : {code}' })
  await page.getByRole('button', { name: 'Change: More fields in webhooks' }).click()
  await page.getByLabel('More fields in webhooks', { exact: true }).selectOption('On')
  await save(console)
  assert.equal((await settings(server)).webhookDetails, true)
  await page.getByRole('button', { name: 'Change: Check code' }).click()
  await page.getByLabel('Check code', { exact: true }).selectOption('On')
  await save(console)
  assert.equal((await settings(server)).login.checkCode, true)
  await edit(console, 'Confirmations a minute, sustained', '17')
  await save(console)
  assert.equal((await settings(server)).quotas.confirmations.perMinute, 17)
  await page.getByRole('button', { name: 'Change: Confirmations a minute, sustained' }).click()
  await page.getByRole('button', { name: 'Use the default' }).click()
  await save(console)
  assert.equal((await settings(server)).quotas.confirmations.perMinute, 1200)
})

consoleTest('what the rules refuse is said where the operator is', async ({ server, open, expect }) => {
  const console = await open('/apps/shop')
  await edit(console, 'Numbers that receive texts', '12025550199')
  await console.page.getByRole('button', { name: 'Save' }).click()
  await console.page.getByRole('alert').getByText(/12025550199/).waitFor()
  assert.equal(await console.page.getByLabel('Numbers that receive texts', { exact: true }).inputValue(), '12025550199')
  await console.looks('real-refused-setting')
  assert.deepEqual((await settings(server)).senders, ['+12025550199'])
  expect(refused(400, 409))
})

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
  await conflict.getByText('Someone changed this meanwhile').waitFor()
  await conflict.getByText('One: {code}').waitFor()
  await other.looks('real-conflict')
  assert.equal((await settings(server)).messageTemplate, 'One: {code}')
  await conflict.getByRole('button', { name: 'Save mine instead' }).click()
  await other.page.getByText('Saved. It holds from now on.').waitFor()
  assert.equal((await settings(server)).messageTemplate, 'Other: {code}')
})
