// API keys, the keys of people's phones and logins in the console, over a real server.

import assert from 'node:assert/strict'

import { overTheServersConsole } from './support/console.mjs'
import { createApp, recorded, records, registerKey, startLogin } from './support/console-data.mjs'

const consoleTest = overTheServersConsole(async ({ server }) => ({
  shop: await createApp(server, 'shop', '--sender', '+12025550199'),
}))

consoleTest('a key has a label, and the day of its last use once it was used', async ({ server, data, receiver, open }) => {
  const { page } = await open('/apps/shop/keys')
  const table = page.getByRole('table', { name: 'API keys' })
  await table.waitFor()
  await page.getByRole('button', { name: 'Issue a key' }).click()
  await page.getByLabel('Label').fill('production, Frankfurt')
  await page.getByRole('button', { name: 'Issue', exact: true }).click()
  await page.getByText(/^cs_live_/).waitFor()
  const [{ keyId }] = await records(server)
  await recorded(server, { action: 'issue_key', details: { label: 'production, Frankfurt' } })
  await table.getByRole('row', { name: /^production, Frankfurt/ }).getByText('Never').waitFor()
  // The app's own key is used; the server stores the day when it ends, or within a minute.
  await data.shop.start(`${receiver.url}/204`)
  assert.equal(await server.halt(), 0)
  await server.resume()
  await page.reload()
  const { out } = await server.run('key', 'list', 'shop', '--json')
  const used = JSON.parse(out).find((key) => key.keyId !== keyId)
  assert.match(used.lastUsedAt, /^\d{4}-\d\d-\d\d$/)
  await table.getByRole('row', { name: new RegExp(used.keyId) }).locator(`time[datetime="${used.lastUsedAt}"]`).waitFor()
  await table.getByRole('row', { name: /^production, Frankfurt/ }).getByText('Never').waitFor()
  // The label names the key in the question, too.
  await page.getByRole('button', { name: 'Revoke: production, Frankfurt' }).click()
  await page.getByRole('dialog', { name: 'Revoke production, Frankfurt?' }).getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('The key is revoked.').waitFor()
  await recorded(server, { action: 'revoke_key', details: { key: keyId } })
})

consoleTest('one of a user’s phones is revoked, and the other stays', async ({ server, open }) => {
  const first = await registerKey(server, 'shop', 'user-2')
  const second = await registerKey(server, 'shop', 'user-2')
  const { page } = await open('/apps/shop/people')
  await page.getByRole('button', { name: 'user-2' }).first().click()
  await page.getByRole('cell', { name: second, exact: true }).waitFor()
  await page.getByRole('button', { name: `Revoke: ${first}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('That phone cannot confirm logins any more.').waitFor()
  await page.getByRole('cell', { name: first, exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('cell', { name: second, exact: true }).waitFor()
  await recorded(server, { action: 'revoke_association_key', details: { key: first } })
  const { out } = await server.run('app', 'keys', 'list', 'shop', '--user', 'user-2', '--json')
  assert.deepEqual(JSON.parse(out).items.map(({ keyId }) => keyId), [second])
})

consoleTest('a lost phone is one step, for all keys of its user', async ({ server, open }) => {
  const keys = [await registerKey(server, 'shop', 'user-1'), await registerKey(server, 'shop', 'user-1')]
  const { page } = await open('/apps/shop/people')
  await page.getByLabel('User ID in the app').fill('user-1')
  await page.keyboard.press('Enter')
  for (const key of keys) await page.getByRole('cell', { name: key, exact: true }).waitFor()
  await page.getByRole('button', { name: 'The phone was lost' }).click()
  await page.getByRole('button', { name: 'Revoke 2 keys' }).click()
  await page.getByText('2 keys are revoked.').waitFor()
  assert.ok(!page.url().includes('user-1'))
  // One request, with one record.
  const [record, before] = await records(server)
  assert.deepEqual([record.action, record.app, record.result], ['revoke_user_keys', 'shop', 'done'])
  assert.notEqual(before.action, 'revoke_user_keys')
  const { out } = await server.run('app', 'keys', 'list', 'shop', '--user', 'user-1', '--json')
  assert.deepEqual(JSON.parse(out).items, [])
})

consoleTest('a login under way is cancelled, and no phone can confirm it', async ({ server, open }) => {
  const started = await server.run('login', 'start', '--json')
  const { sessionId, url } = JSON.parse(started.out)
  const { page } = await open(`/logins/${sessionId}`)
  await page.getByRole('button', { name: 'Cancel the login' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep it open' }).click()
  await page.getByText('Waiting for a phone').waitFor()
  await page.getByRole('button', { name: 'Cancel the login' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the login' }).click()
  await page.getByText('The login is cancelled.').waitFor()
  await page.getByText('Cancelled', { exact: true }).first().waitFor()
  assert.equal(await page.getByRole('button', { name: 'Cancel the login' }).count(), 0)
  await recorded(server, { action: 'cancel_login', app: 'demo', details: { id: sessionId } })
  const opened = await server.phone('open', url, '--public-user-id', 'user-1', '--confirm')
  assert.notEqual(opened.code, 0)
  // One that has ended has no button.
  const ended = await startLogin(server, '--deny')
  await page.goto(new URL(`/logins/${ended}`, page.url()).href)
  await page.getByRole('heading', { name: 'What happened' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Cancel the login' }).count(), 0)
})

consoleTest('a phone that is set up without the app is shown until it has its key, or is cancelled', async ({ server, data, open }) => {
  const { shop } = data
  const changed = await server.run('app', 'update', 'shop', '--link-host', 'login.shop.example', '--web-phone', 'on')
  assert.equal(changed.code, 0, changed.err)
  const kept = await shop.register('user-3', 'zoe@example.com')
  const { page } = await open('/apps/shop/people')
  await page.getByLabel('User ID in the app').fill('user-3')
  await page.keyboard.press('Enter')
  const table = page.getByRole('table', { name: 'Phones without the app' })
  await table.getByRole('row', { name: /^Not opened yet ?zoe@example\.com Waiting for a phone/ }).waitFor()
  // The page follows what happens.
  const digits = await shop.openOnPhone(kept)
  await table.getByRole('row', { name: /^Safari on iOS ?zoe@example\.com Shows the digits/ }).waitFor()
  assert.ok(!(await page.locator('main').innerText()).split(/\s/).includes(digits))
  await shop.typeDigits(kept, digits)
  const done = table.getByRole('row', { name: /^Safari on iOS ?zoe@example\.com ✓? ?Completed/ })
  await done.waitFor()
  assert.equal(await done.getByRole('button').count(), 0)
  const { out } = await server.run('app', 'keys', 'list', 'shop', '--user', 'user-3', '--json')
  const { items: [{ keyId }] } = JSON.parse(out)
  await done.getByText(keyId).waitFor()
  await page.reload()
  await page.getByLabel('User ID in the app').fill('user-3')
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: `${keyId} Browser · Safari on iOS` }).waitFor()
  // One that somebody else opened is cancelled.
  const other = await shop.register('user-3')
  await shop.openOnPhone(other)
  await table.getByRole('row', { name: /Shows the digits/ }).getByRole('button', { name: 'Cancel: Safari on iOS' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop it' }).click()
  await page.getByText('No phone can complete this any longer.').waitFor()
  await table.getByRole('row', { name: /Failed ?Cancelled/ }).waitFor()
  await recorded(server, { action: 'cancel_phone_registration', details: { id: other.registrationId } })
  const again = await server.run('app', 'phone-registrations', 'list', 'shop', '--user', 'user-3', '--json')
  assert.deepEqual(JSON.parse(again.out).items.map(({ state }) => state), ['failed', 'completed'])
})
