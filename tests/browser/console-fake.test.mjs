// The operator's console over a fake server, for what a real one does rarely or not on demand.

import assert from 'node:assert/strict'

import { NARROW, overTheConsole, refused } from './support/console.mjs'

const consoleTest = overTheConsole()

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

consoleTest('a number is found by its last digits, in a walk that says how far it came', async ({ serve, open }) => {
  const server = await serve({ size: 30_000 })
  const wanted = server.fake.at(25_000 + [...Array(100).keys()].find((index) => server.fake.at(25_000 + index).plain))
  const digits = wanted.plain.replace(/\D/g, '').slice(-7)
  const { page } = await open(server, '/confirmations')
  await page.getByRole('searchbox', { name: 'ID or last digits' }).fill(digits)
  await page.keyboard.press('Enter')
  for (let step = 0; step < 2; step += 1) {
    await page.getByText(/Searched 10,000 so far/).waitFor()
    await page.getByRole('link', { name: 'Search older ones' }).click()
    await page.waitForURL(new RegExp(`after=${step + 1}0000`))
  }
  await page.getByText(wanted.id).waitFor()
  assert.ok(!page.url().includes(wanted.plain.replaceAll(' ', '')))
  await page.getByRole('searchbox', { name: 'ID or last digits' }).fill(wanted.id)
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`q=${wanted.id}`))
  await page.getByRole('table', { name: 'Confirmations' }).getByRole('link', { name: /^\+/ }).waitFor()
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
  await page.getByRole('button', { name: 'Keep the current value' }).click()
  await page.getByText(/^Theirs: CS-/).waitFor()
  expect(refused(409))
})

consoleTest('what failed is sent again, in a bounded number', async ({ serve, open }) => {
  const server = await serve({ size: 10 })
  const { page } = await open(server, '/apps/shop/webhooks')
  await page.getByLabel('Failed since').selectOption('One week ago')
  await page.getByRole('button', { name: 'Send them again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send them again' }).click()
  await page.getByText('Webhooks sent again: 42.').waitFor()
  const { app, since } = server.asked.findLast(({ name }) => name === 'redeliver_failed').body
  assert.equal(app, 'shop')
  assert.ok(Math.abs(Date.now() - Date.parse(since) - 168 * 3_600_000) < 120_000, since)
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

consoleTest('the bars of a plot are read one by one with the keyboard', async ({ serve, open }) => {
  const server = await serve({ size: 10 })
  const console = await open(server, '/?range=24h&by=app')
  const { page } = console
  const bars = page.getByRole('slider', { name: 'Started, hour by hour' })
  await bars.focus()
  const said = () => bars.getAttribute('aria-valuetext')
  const press = async (key) => {
    const before = await said()
    await page.keyboard.press(key)
    await page.waitForFunction((words) => document.activeElement.getAttribute('aria-valuetext') !== words, before)
    return said()
  }
  const latest = await said()
  assert.match(latest, /^\d+ \w+, \d\d:00: \d+ \(.*bank-example \d+.*\)$/)
  const first = await press('Home')
  assert.notEqual(first, latest)
  assert.equal(await bars.getAttribute('aria-valuenow'), '0')
  const second = await press('ArrowRight')
  await press('PageUp')
  assert.equal(await bars.getAttribute('aria-valuenow'), '7')
  await press('PageDown')
  assert.equal(await said(), second)
  assert.equal(await press('ArrowLeft'), first)
  // What a screen reader hears stands below the bars too.
  await page.getByText(first).waitFor()
  await console.looks('plot-keys')
  assert.equal(await press('End'), latest)
  // The table and the days have every number, too.
  await page.getByLabel('Time', { exact: true }).selectOption('Last 90 days')
  await page.getByRole('slider', { name: 'Started, day by day' }).waitFor()
})

consoleTest('phones without the app, and keys in every place', async ({ serve, open }) => {
  for (const [name, language] of [['phones', {}], ['phones-narrow', NARROW], ['phones-german', { locale: 'de-DE' }]]) {
    const console = await open(await serve({ size: 10, readOnly: name === 'phones-narrow' }), '/apps/shop/people', language)
    const { page } = console
    await page.getByRole('button', { name: 'user-2' }).first().click()
    await page.getByText('Lagos, NG').waitFor()
    await page.getByText('Passkey · Chrome on Android').waitFor()
    await console.looks(name)
  }
})

const LATER = ['list_attention', 'show_history', 'list_providers', 'show_provider', 'test_provider', 'show_system', 'redeliver_failed', 'show_webhooks', 'check_link_host']

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
