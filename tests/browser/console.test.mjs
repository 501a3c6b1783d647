// The operator's console over a fake server: its session, its filters, its changes, and what it does when the server goes away.

import assert from 'node:assert/strict'

import { overTheConsole, refused } from './support/console.mjs'

const consoleTest = overTheConsole()

consoleTest('a link is good once, and its code leaves the address', async ({ serve, open, browser, expect }) => {
  const server = await serve({ size: 10 })
  const link = server.link('/confirmations?app=shop')
  const console = await open(server, '/confirmations?app=shop')
  await console.heading('Confirmations').waitFor()
  assert.equal(console.page.url(), `${server.url}/confirmations?app=shop`)
  // A reload keeps the session, which lies beside the cookie.
  await console.page.reload()
  await console.heading('Confirmations').waitFor()
  const other = await browser.newContext()
  const page = await other.newPage()
  await page.goto(link)
  await page.getByRole('heading', { name: 'Confirmations' }).waitFor()
  await other.clearCookies()
  await page.evaluate(() => localStorage.clear())
  await page.goto('about:blank')
  await page.goto(link)
  await page.getByText('This link was used already, or has expired.').waitFor()
  await page.getByText('countersign console', { exact: true }).waitFor()
  await other.close()
  expect(refused(403))
})

consoleTest('a page without a session asks for a link, and one whose session ends keeps what it shows', async ({ serve, open, browser, expect }) => {
  const server = await serve({ size: 10 })
  const stranger = await browser.newContext()
  const page = await stranger.newPage()
  await page.goto(`${server.url}/confirmations`)
  await page.getByText('This session has ended.').waitFor()
  assert.deepEqual(server.asked, [])
  await stranger.close()
  const console = await open(server, '/confirmations')
  await console.page.getByRole('table', { name: 'Confirmations' }).waitFor()
  server.fake.isEnded = true
  await console.page.getByText('This session has ended.').waitFor()
  await console.page.getByRole('table', { name: 'Confirmations' }).waitFor()
  await console.looks('ended')
  expect(refused(401))
})

consoleTest('filters are in the address, and the button goes back', async ({ serve, open }) => {
  const server = await serve({ size: 400 })
  const { page } = await open(server, '/confirmations')
  const rows = page.getByRole('table', { name: 'Confirmations' }).getByRole('row')
  await rows.nth(50).waitFor()
  await page.getByRole('button', { name: 'Expired' }).click()
  await page.waitForURL('**/confirmations?state=expired')
  await page.getByRole('link', { name: 'Next page' }).click()
  await page.waitForURL(/after=/)
  await page.getByRole('cell', { name: /Expired/ }).first().waitFor()
  assert.equal(await page.getByRole('cell', { name: 'Verified' }).count(), 0)
  await page.goBack()
  await page.waitForURL('**/confirmations?state=expired')
  await page.goBack()
  await page.waitForURL('**/confirmations')
  assert.equal(await page.getByRole('button', { name: 'Expired' }).getAttribute('aria-pressed'), 'false')
  // From a confirmation, the link back has the filters too.
  await page.getByRole('button', { name: 'Verified' }).click()
  await page.waitForURL('**/confirmations?state=verified')
  await page.getByRole('link', { name: /^\+/ }).first().click()
  await page.getByRole('heading', { name: 'What happened' }).waitFor()
  await page.getByRole('link', { name: 'Back to the list' }).click()
  await page.waitForURL('**/confirmations?state=verified')
})

consoleTest('a number is found by its last digits, in a walk that says how far it came', async ({ serve, open }) => {
  const server = await serve({ size: 30_000 })
  const wanted = server.fake.at(25_000 + [...Array(100).keys()].find((index) => server.fake.at(25_000 + index).plain))
  const digits = wanted.plain.replace(/\D/g, '').slice(-7)
  const { page } = await open(server, '/confirmations')
  await page.getByRole('searchbox', { name: 'ID or last digits' }).fill(digits)
  await page.keyboard.press('Enter')
  for (let step = 0; step < 2; step += 1) {
    await page.getByText(/Looked at 10,000 so far/).waitFor()
    await page.getByRole('link', { name: 'Search on in older ones' }).click()
    await page.waitForURL(new RegExp(`after=${step + 1}0000`))
  }
  await page.getByText(wanted.id).waitFor()
  assert.ok(!page.url().includes(wanted.plain.replaceAll(' ', '')))
  await page.getByRole('searchbox', { name: 'ID or last digits' }).fill(wanted.id)
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`q=${wanted.id}`))
  await page.getByRole('table', { name: 'Confirmations' }).getByRole('link', { name: /^\+/ }).waitFor()
})

consoleTest('a number is shown with a reason, and hidden again after a minute', async ({ serve, open }) => {
  const server = await serve({ size: 100 })
  const item = server.fake.find_confirmations({ states: ['verified'] }).items[0]
  const plain = server.fake.find(item.id).plain.replaceAll(' ', '')
  const { page } = await open(server, '/confirmations')
  await page.clock.install()
  await page.goto(`${server.url}/confirmations/${item.id}`)
  await page.getByRole('button', { name: 'Show the number' }).click()
  await page.getByRole('dialog', { name: 'Show this number?' }).waitFor()
  await page.getByLabel('Reason').selectOption('Another reason')
  await page.getByLabel('Your reason').fill('ticket 4711')
  await page.keyboard.press('Enter')
  await page.getByText(plain, { exact: true }).waitFor()
  assert.deepEqual(server.fake.records[0].details, { id: item.id, reason: 'ticket 4711' })
  assert.ok(!page.url().includes(plain.slice(-4)))
  await page.clock.fastForward(61_000)
  await page.getByText(plain, { exact: true }).waitFor({ state: 'detached' })
})

consoleTest('foreign texts are shown as text', async ({ serve, open }) => {
  const server = await serve({ size: 300 })
  const item = server.fake.find_confirmations({ failed: true }).items[0]
  const { page } = await open(server, `/confirmations/${item.id}`)
  await page.getByText('112 ms: <b>Internal Server Error</b> &amp; <script>alert(1)</script>').first().waitFor()
  assert.equal(await page.locator('main b, main script').count(), 0)
})

consoleTest('a confirmation is redelivered, cancelled and erased after a question', async ({ serve, open }) => {
  const server = await serve({ size: 300 })
  const of = (filter) => server.fake.find_confirmations({ ...filter, limit: 100 }).items[0]
  const failed = of({ failed: true })
  const { page, looks } = await open(server, `/confirmations/${failed.id}`)
  assert.equal(await page.getByRole('button', { name: 'Cancel', exact: true }).count(), 0)
  await page.getByRole('button', { name: 'Send the webhook again' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(failed.app).waitFor()
  // Escape changes nothing.
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  assert.equal(server.fake.find(failed.id).delivery, 'failed')
  await page.getByRole('button', { name: 'Send the webhook again' }).click()
  await dialog.getByRole('button', { name: 'Send the webhook again' }).click()
  await page.getByText('The webhook is on its way.').waitFor()
  await page.getByText('Delivered', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Erase personal data' }).click()
  await dialog.getByRole('button', { name: 'Erase', exact: true }).click()
  await page.getByText('Erased', { exact: true }).first().waitFor()
  const opened = of({ states: ['open'] })
  await page.goto(`${server.url}/confirmations/${opened.id}`)
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await dialog.getByRole('button', { name: 'Cancel the confirmation' }).click()
  await page.getByText('The confirmation is cancelled.').waitFor()
  const actions = server.fake.records.slice(0, 3).map(({ action }) => action)
  assert.deepEqual(actions, ['cancel_confirmation', 'redact_confirmation', 'redeliver_webhook'])
  assert.ok(looks)
})

consoleTest('two operators change one app at the same time, and neither change is lost', async ({ serve, open }) => {
  const server = await serve({ size: 10 })
  const one = await open(server, '/apps/shop')
  const other = await open(server, '/apps/shop')
  const edit = async ({ page }, name, value) => {
    await page.getByRole('button', { name: `Change: ${name}`, exact: true }).click()
    await page.getByLabel(name, { exact: true }).fill(value)
  }
  // Different settings: both hold.
  await edit(one, 'Default callback URL', 'https://one.example/hook')
  await edit(other, 'Letters before codes', 'SHOP')
  await one.page.getByRole('button', { name: 'Save' }).click()
  await one.page.getByText('Saved. It holds from now on.').waitFor()
  await other.page.getByRole('button', { name: 'Save' }).click()
  await other.page.getByText('Saved. It holds from now on.').waitFor()
  assert.equal(server.fake.apps.get('shop').callbackUrl, 'https://one.example/hook')
  assert.equal(server.fake.apps.get('shop').codePrefix, 'SHOP')
  // One list: both additions hold.
  const listed = 'https://shop.example\nhttps://www.shop.example'
  await edit(one, 'Pages that open logins', `${listed}\nhttps://one.example`)
  await edit(other, 'Pages that open logins', `${listed}\nhttps://other.example`)
  for (const { page } of [one, other]) {
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved. It holds from now on.').waitFor()
  }
  assert.deepEqual(server.fake.apps.get('shop').login.origins, [...listed.split('\n'), 'https://one.example', 'https://other.example'])
  // The same setting: the second operator sees the first one's value, and chooses.
  await edit(one, 'Message', 'One: {code}')
  await edit(other, 'Message', 'Other: {code}')
  await one.page.getByRole('button', { name: 'Save' }).click()
  await one.page.getByText('Saved. It holds from now on.').waitFor()
  await other.page.getByRole('button', { name: 'Save' }).click()
  const conflict = other.page.getByRole('alert')
  await conflict.getByText('Someone changed this meanwhile').waitFor()
  await conflict.getByText('One: {code}').waitFor()
  await other.looks('conflict')
  assert.equal(server.fake.apps.get('shop').messageTemplate, 'One: {code}')
  await conflict.getByRole('button', { name: 'Save mine instead' }).click()
  await other.page.getByText('Saved. It holds from now on.').waitFor()
  assert.equal(server.fake.apps.get('shop').messageTemplate, 'Other: {code}')
})

consoleTest('a change between the look and the request is a conflict too', async ({ serve, open, expect }) => {
  const server = await serve({ size: 10 })
  const { page } = await open(server, '/apps/shop')
  await page.getByRole('button', { name: 'Change: Message', exact: true }).click()
  await page.getByLabel('Message', { exact: true }).fill('Mine: {code}')
  const update = server.fake.update_app
  server.fake.update_app = function late(body) {
    this.apps.get('shop').messageTemplate = 'Theirs: {code}'
    this.update_app = update
    return update.call(this, body)
  }
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('Theirs: {code}').waitFor()
  await page.getByRole('button', { name: 'Keep the present value' }).click()
  await page.getByText(/^Theirs: CS-/).waitFor()
  expect(refused(409))
})

consoleTest('what the rules refuse is said where the operator is', async ({ serve, open, expect }) => {
  const server = await serve({ size: 10 })
  const { page } = await open(server, '/apps/shop')
  server.fake.update_app = () => { throw Object.assign(new Error(), { message: 'a link host on this machine is for local mode' }) }
  await page.getByRole('button', { name: 'Change: Link host' }).click()
  await page.getByLabel('Link host', { exact: true }).fill('localhost:1')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText(/a link host on this machine is for local mode/).waitFor()
  assert.equal(await page.getByLabel('Link host', { exact: true }).inputValue(), 'localhost:1')
  expect(refused(500))
})

consoleTest('keys are issued once and revoked, and a lost phone is one step', async ({ serve, open }) => {
  const server = await serve({ size: 10 })
  const console = await open(server, '/apps/shop/keys')
  const { page } = console
  await page.getByRole('button', { name: 'Issue a key' }).click()
  await page.getByLabel('Label').fill('staging')
  await page.getByRole('checkbox', { name: /^Test key/ }).check()
  await page.getByRole('button', { name: 'Issue', exact: true }).click()
  await page.getByText(/^cs_test_/).waitFor()
  await console.looks('new-key')
  await page.getByRole('button', { name: 'Close' }).click()
  assert.equal(await page.getByText(/^cs_test_/).count(), 0)
  await page.getByRole('row', { name: /staging/ }).getByText('Test', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Revoke: production, Frankfurt' }).click()
  await page.getByText('It is the last active live key').waitFor()
  await console.looks('revoke')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('The key is revoked.').waitFor()
  await page.getByRole('link', { name: 'People’s keys' }).click()
  await page.getByLabel('The app’s id of the user').fill('user-1')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'The phone was lost' }).click()
  await page.getByText('All 2 keys of user-1 stop working now.').waitFor()
  await page.getByRole('button', { name: 'Revoke 2 keys' }).click()
  await page.getByText('2 keys are revoked.').waitFor()
  assert.deepEqual(server.fake.people, [])
  assert.ok(!page.url().includes('user-1'))
})

consoleTest('a signing secret is rotated, told once and retired', async ({ serve, open }) => {
  const server = await serve({ size: 10 })
  const { page } = await open(server, '/apps/shop/webhooks')
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('button', { name: 'Make a new secret' }).click()
  await page.getByText(/^whsec_bmV3c2/).waitFor()
  await page.getByText(/Two secrets are in force/).waitFor()
  await page.reload()
  await page.getByText(/Two secrets are in force/).waitFor()
  assert.equal(await page.getByText(/whsec_/).count(), 0)
  await page.getByRole('button', { name: 'Retire the old secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Retire the old secret' }).click()
  await page.getByText('Webhooks are signed only with the newest secret.', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('The receiver answered 204 after 87 ms.').waitFor()
  assert.ok(!server.asked.some(({ name }) => name === 'show_webhook_secret'))
  await page.getByLabel('Failed since').selectOption('One week ago')
  await page.getByRole('button', { name: 'Send them again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send them again' }).click()
  await page.getByText('Webhooks that are sent again: 42.').waitFor()
  const { app, since } = server.asked.findLast(({ name }) => name === 'redeliver_failed').body
  assert.equal(app, 'shop')
  assert.ok(Math.abs(Date.now() - Date.parse(since) - 168 * 3_600_000) < 120_000, since)
})

consoleTest('a reader sees no buttons that change anything', async ({ serve, open }) => {
  const server = await serve({ size: 300, readOnly: true })
  const item = server.fake.find_confirmations({ failed: true }).items[0]
  const { page } = await open(server)
  await page.getByText('Read only').waitFor()
  const paths = [`/confirmations/${item.id}`, '/apps/shop', '/apps/shop/keys', '/apps/shop/people', '/apps/shop/webhooks', '/providers/twilio', '/system']
  for (const path of paths) {
    await page.goto(`${server.url}${path}`)
    await page.locator('main h2').first().waitFor()
    await page.waitForFunction(() => document.querySelector('.loading') === null)
    const buttons = await page.locator('main').getByRole('button').allInnerTexts()
    assert.deepEqual(buttons.filter((words) => !/^(Copy|Find|Check the link host)$/.test(words)), [], path)
  }
})

consoleTest('a server that stops and comes back is said, and nothing on the page is lost', async ({ serve, open, expect }) => {
  const server = await serve({ size: 100 })
  const { page } = await open(server, '/confirmations')
  await page.getByRole('table', { name: 'Confirmations' }).waitFor()
  server.fake.isStopped = true
  await page.getByText('The server has stopped or is busy.').waitFor()
  await page.getByRole('table', { name: 'Confirmations' }).waitFor()
  server.fake.isStopped = false
  await page.getByText('The server has stopped or is busy.').waitFor({ state: 'detached' })
  await server.close()
  await page.getByText('does not answer').waitFor()
  await page.getByRole('table', { name: 'Confirmations' }).waitFor()
  expect(refused(503), /ERR_CONNECTION_REFUSED|Failed to load resource|ERR_/)
})

consoleTest('the zone and the language are chosen once', async ({ serve, open }) => {
  const server = await serve({ size: 10, now: Date.UTC(2026, 0, 15, 12) })
  const { page } = await open(server, '/audit')
  await page.getByRole('cell', { name: '15 Jan, 11:58:00' }).waitFor()
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo')
  await page.getByRole('cell', { name: '15 Jan, 20:58:00' }).waitFor()
  await page.getByLabel('Language').selectOption('Deutsch')
  await page.getByRole('heading', { name: 'Protokoll' }).waitFor()
  await page.reload()
  await page.getByRole('cell', { name: /20:58:00/ }).waitFor()
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'de')
})

consoleTest('a plot has a sentence, and a table one button away', async ({ serve, open }) => {
  const server = await serve({ size: 10 })
  const { page } = await open(server, '/?range=7d&by=app')
  await page.getByRole('img', { name: /^Started: [\d,]+ in all\. Most: \d+ at .+\. Latest: \d+\.$/ }).waitFor()
  await page.getByRole('button', { name: 'As a table' }).click()
  const table = page.getByRole('table', { name: 'Started' })
  await table.getByRole('columnheader', { name: 'bank-example' }).waitFor()
  assert.equal(await table.getByRole('row').count(), 169)
  await page.getByRole('button', { name: /^Verified/ }).click()
  await page.getByRole('table', { name: 'Verified' }).waitFor()
})

consoleTest('everything is reached with the keyboard', async ({ serve, open }) => {
  const server = await serve({ size: 100 })
  const { page } = await open(server, '/confirmations')
  await page.getByRole('table', { name: 'Confirmations' }).waitFor()
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the content')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor()
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Apps')
  // An editor takes the focus, and gives it back.
  await page.goto(`${server.url}/apps/shop`)
  await page.getByRole('button', { name: 'Change: Link host' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Link host', { exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Change: Link host' }).and(page.locator(':focus')).waitFor()
  // So does a dialog.
  await page.goto(`${server.url}/apps/shop/keys`)
  await page.getByRole('button', { name: 'Issue a key' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Issue a key' }).and(page.locator(':focus')).waitFor()
})

const LATER = ['list_attention', 'show_history', 'list_providers', 'show_provider', 'test_provider', 'show_system', 'redeliver_failed', 'check_link_host']

consoleTest('what a target lacks is not on the page', async ({ serve, open }) => {
  const server = await serve({ size: 300, lacks: LATER })
  const console = await open(server)
  const { page } = console
  // Without an overview, the first screen is the list.
  await page.getByRole('table', { name: 'Confirmations' }).waitFor()
  const screens = await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').allInnerTexts()
  assert.deepEqual(screens, ['Confirmations', 'Logins', 'Apps', 'Audit', 'System'])
  await console.to('/apps/shop/webhooks')
  await page.getByRole('heading', { name: 'Signing secret' }).waitFor()
  assert.equal(await page.getByText('Failed webhooks').count(), 0)
  await console.to('/apps/shop')
  await page.getByRole('heading', { name: 'Link host' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Check the link host' }).count(), 0)
  await console.to('/system')
  await page.getByRole('heading', { name: 'Signing keys' }).waitFor()
  await page.getByText('/var/lib/countersign').first().waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
  await console.looks('lacking-system')
})
