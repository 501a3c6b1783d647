// The operator's console over a real server: its session, its addresses, its lists, and what one who only reads sees.

import assert from 'node:assert/strict'

import { overTheServersConsole, refused } from './support/console.mjs'
import { createApp, FOREIGN, registerKey, startLogin } from './support/console-data.mjs'

const NUMBERS = ['+12025550100', '+12025550101', '+442079460018']

/** Buttons that filter, copy or look. */
const READS = /^(Copy|Find|Search|Open|Verified|Cancelled|Expired|Failed delivery|No text arrived|Export this page as CSV|Clear filters|Check the link host|Waiting for a phone|Opened on a phone|Confirmed|Logged in|Denied|Blocked|user-1|Show everyone)$/

const consoleTest = overTheServersConsole(async ({ server, receiver }) => {
  const shop = await createApp(server, 'shop', '--sender', '+12025550199')
  const bank = await createApp(server, 'bank', '--sender', '+12025550199')
  const live = await createApp(server, 'live', '--sender', '+12025550199')
  const delivered = await shop.verified(`${receiver.url}/204`, NUMBERS[0], 'delivered', { order: 4711, note: FOREIGN })
  const failed = await shop.verified(`${receiver.url}/410`, NUMBERS[1], 'failed')
  const missed = await bank.start(`${receiver.url}/204`, NUMBERS[2])
  await bank.text(missed, NUMBERS[0])
  const open = await bank.start(`${receiver.url}/204`)
  const key = await registerKey(server, 'shop', 'user-1')
  const confirmed = await startLogin(server, '--confirm')
  const denied = await startLogin(server, '--deny')
  return { shop, bank, live, delivered, failed, missed: missed.confirmationId, open: open.confirmationId, key, confirmed, denied }
})

consoleTest('a link works once, its code leaves the address, and another tab has the session too', async ({ open, browser, expect }) => {
  const console = await open('/confirmations?app=shop')
  const { page, server } = console
  await console.heading('Confirmations').waitFor()
  assert.equal(page.url(), `${server.url}/confirmations?app=shop`)
  await page.reload()
  await console.heading('Confirmations').waitFor()
  const tab = await page.context().newPage()
  await tab.goto(`${server.url}/apps`)
  await tab.getByRole('link', { name: 'bank' }).waitFor()
  // The used link does no harm where the session is.
  await tab.goto('about:blank')
  await tab.goto(server.link('/audit'))
  await tab.getByRole('heading', { name: 'Audit' }).waitFor()
  const other = await browser.newContext()
  const stranger = await other.newPage()
  await stranger.goto(server.link('/audit'))
  await stranger.getByText(/link/).first().waitFor()
  await stranger.getByText('countersign console', { exact: true }).waitFor()
  assert.equal(await stranger.getByRole('table').count(), 0)
  await other.close()
  expect(refused(403))
})

consoleTest('a page without a session shows nothing and says what to do', async ({ open, browser }) => {
  const { server } = await open()
  const other = await browser.newContext()
  const page = await other.newPage()
  for (const path of ['/', '/confirmations', '/apps/shop/keys', '/no/such/page']) {
    await page.goto(`${server.url}${path}`)
    await page.getByText('This session has ended.').waitFor()
    assert.equal(await page.getByText('shop').count(), 0)
  }
  await other.close()
})

consoleTest('filters are in the address, and the browser goes back', async ({ open, data }) => {
  const { page } = await open('/confirmations')
  const table = page.getByRole('table', { name: 'Confirmations' })
  const row = (id) => table.getByRole('row', { name: id })
  const rows = table.getByRole('rowgroup').nth(1).getByRole('row')
  await table.waitFor()
  assert.equal(await rows.count(), 4)
  await page.getByRole('button', { name: 'Verified' }).click()
  await page.waitForURL('**/confirmations?state=verified')
  await row(data.delivered).waitFor()
  await row(data.open).waitFor({ state: 'detached' })
  await row(data.failed).waitFor()
  assert.equal(await rows.count(), 2)
  await page.getByRole('button', { name: 'Failed delivery' }).click()
  await page.waitForURL('**/confirmations?state=verified&failed=1')
  await row(data.delivered).waitFor({ state: 'detached' })
  await row(data.failed).waitFor()
  assert.equal(await rows.count(), 1)
  await page.goBack()
  await row(data.delivered).waitFor()
  await page.goBack()
  await page.waitForURL('**/confirmations')
  await row(data.open).waitFor()
  await page.getByLabel('App', { exact: true }).selectOption('bank')
  await page.waitForURL('**/confirmations?app=bank')
  await row(data.delivered).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'No text arrived' }).click()
  await row(data.missed).waitFor({ state: 'detached' })
  await row(data.open).waitFor()
  // From a confirmation, the link back has the filters too.
  await page.getByRole('link', { name: 'not known yet' }).click()
  await page.getByRole('heading', { name: 'What happened' }).waitFor()
  await page.getByRole('link', { name: 'Back to the list' }).click()
  await page.waitForURL('**/confirmations?app=bank&noText=1')
})

consoleTest('a confirmation is found by its id and by its last digits', async ({ open, data, expect }) => {
  const { page } = await open('/confirmations')
  const row = (id) => page.getByRole('table', { name: 'Confirmations' }).getByRole('row', { name: id })
  const search = async (typed) => {
    await page.getByRole('searchbox', { name: 'ID or last digits' }).fill(typed)
    await page.keyboard.press('Enter')
  }
  await search('0100')
  await row(data.failed).waitFor({ state: 'detached' })
  await row(data.delivered).waitFor()
  await page.getByText('Searched all 4 confirmations.').waitFor()
  await search('+1 (202) 555-0101')
  await row(data.failed).waitFor()
  await search(data.missed)
  await row(data.missed).waitFor()
  await row(data.failed).waitFor({ state: 'detached' })
  await search('Anna')
  await page.getByText('This is neither an ID nor the end of a number').waitFor()
  await search('cfm_00000000000000000000000000000000')
  await page.getByText('No confirmation matches').waitFor()
  expect(refused(400))
})

consoleTest('one confirmation tells its story, with foreign texts as texts', async ({ open, data, receiver }) => {
  const { page, server } = await open(`/confirmations/${data.failed}`)
  await page.getByText('Attempt 1: the receiver answered 410').waitFor()
  await page.getByText(FOREIGN, { exact: false }).first().waitFor()
  assert.equal(await page.locator('main b, main script').count(), 0)
  await page.getByText(`${receiver.url}/410`).waitFor()
  await page.goto(`${server.url}/confirmations/${data.delivered}`)
  await page.getByText('Attempt 1: the receiver accepted it with 204').waitFor()
  await page.getByText('"order": 4711').waitFor()
  await page.goto(`${server.url}/confirmations/${data.missed}`)
  await page.getByRole('heading', { name: 'Why it is not verified' }).waitFor()
  await page.getByText('The text came from another number than the one to confirm.').first().waitFor()
  await page.getByRole('heading', { name: 'What to tell the customer' }).waitFor()
})

consoleTest('a text that comes while the page is open appears without a click', async ({ open, data, receiver }) => {
  const started = await data.live.start(`${receiver.url}/204`)
  const { page } = await open('/confirmations?app=live')
  const row = page.getByRole('row', { name: started.confirmationId })
  await row.getByText('Open', { exact: true }).waitFor()
  await data.live.text(started, NUMBERS[1])
  await row.getByText('Verified', { exact: true }).waitFor()
  await row.getByText('Delivered', { exact: true }).waitFor()
  await row.getByRole('link').first().click()
  await page.getByText('Verified by a text').waitFor()
})

consoleTest('what comes into a live list moves neither the focus nor what is marked', async ({ open, data, receiver }) => {
  const first = await data.live.start(`${receiver.url}/204`)
  const { page } = await open('/confirmations?app=live')
  const row = (id) => page.getByRole('row', { name: id })
  await row(first.confirmationId).getByRole('link').first().focus()
  await row(first.confirmationId).getByRole('code').selectText()
  const second = await data.live.start(`${receiver.url}/204`)
  await row(second.confirmationId).waitFor()
  await data.live.text(first, NUMBERS[1])
  await row(first.confirmationId).getByText('Delivered', { exact: true }).waitFor()
  assert.equal(await page.evaluate(() => getSelection().toString().trim()), first.confirmationId)
  assert.equal(await row(first.confirmationId).getByRole('link').first().evaluate((link) => link === document.activeElement), true)
})

consoleTest('a login tells its story', async ({ open, data }) => {
  const { page } = await open('/logins')
  const table = page.getByRole('table', { name: 'Logins' })
  await table.getByRole('row', { name: data.confirmed }).getByText('Confirmed').waitFor()
  await table.getByRole('row', { name: data.denied }).getByText('Denied').waitFor()
  await page.getByRole('button', { name: 'Denied' }).click()
  await page.waitForURL('**/logins?state=denied')
  await table.getByRole('row', { name: data.confirmed }).waitFor({ state: 'detached' })
  await table.getByRole('link').first().click()
  await page.getByRole('heading', { name: 'What happened' }).waitFor()
  const story = page.getByRole('list', { name: 'What happened' })
  assert.equal(await story.getByRole('listitem').count(), 3)
})

consoleTest('one who only reads sees no number and no button that changes anything', async ({ open, data }) => {
  const { page, server } = await open('/', { options: ['--read-only'] })
  await page.getByText('Read only').waitFor()
  const paths = [
    '/confirmations', `/confirmations/${data.failed}`, `/confirmations/${data.open}`, '/logins', `/logins/${data.confirmed}`, '/apps', '/apps/shop',
    '/apps/shop/keys', '/apps/shop/people', '/apps/shop/webhooks', '/audit', '/system',
  ]
  for (const path of paths) {
    await page.goto(`${server.url}${path}`)
    await page.locator('main h1').waitFor()
    await page.waitForFunction(() => document.querySelector('.loading') === null)
    const buttons = await page.locator('main').getByRole('button').allInnerTexts()
    assert.deepEqual(buttons.filter((words) => !READS.test(words)), [], path)
    const text = await page.locator('body').innerText()
    for (const number of NUMBERS) assert.ok(!text.replaceAll(/[\s•]/g, '').includes(number.slice(1)), path)
  }
  // The keys of a user may be seen, not revoked.
  await page.goto(`${server.url}/apps/shop/people`)
  await page.getByLabel('User ID in the app').fill('user-1')
  await page.keyboard.press('Enter')
  await page.getByRole('cell', { name: data.key, exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: /Revoke|lost/ }).count(), 0)
})

consoleTest('the zone and the language are chosen once, and stay', async ({ open }) => {
  const { page } = await open('/audit')
  const time = page.getByRole('table', { name: 'Audit' }).getByRole('time').first()
  await time.waitFor()
  const at = new Date(await time.getAttribute('datetime'))
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo')
  const tokyo = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Tokyo', hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(at)
  await page.getByRole('cell', { name: tokyo }).first().waitFor()
  await page.getByLabel('Language').selectOption('Deutsch')
  await page.getByRole('heading', { name: 'Protokoll' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Protokoll' }).waitFor()
  await page.getByRole('cell', { name: tokyo }).first().waitFor()
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'de')
})

consoleTest('a long list goes on page by page, and each confirmation is on one of them', async ({ server, receiver, open }) => {
  const many = await createApp(server, 'many', '--sender', '+12025550199')
  const started = new Set()
  for (let number = 0; number < 60; number += 1) started.add((await many.start(`${receiver.url}/204`)).confirmationId)
  const { page } = await open('/confirmations?app=many')
  const ids = async () => {
    await page.waitForFunction(() => document.querySelector('.loading') === null)
    return page.getByRole('table', { name: 'Confirmations' }).getByRole('code').allInnerTexts()
  }
  await page.getByRole('table', { name: 'Confirmations' }).waitFor()
  const first = await ids()
  assert.ok(first.length < 60, String(first.length))
  await page.getByRole('link', { name: 'Next page' }).click()
  await page.waitForURL(/after=/)
  await page.getByRole('row', { name: first[0] }).waitFor({ state: 'detached' })
  const second = await ids()
  assert.deepEqual(new Set([...first, ...second]), started)
  assert.equal(first.length + second.length, 60)
  await page.getByRole('link', { name: 'First page' }).click()
  await page.getByRole('row', { name: first[0] }).waitFor()
})

consoleTest('everything is reached with the keyboard', async ({ open }) => {
  const { page, server } = await open('/confirmations')
  await page.getByRole('table', { name: 'Confirmations' }).waitFor()
  const focused = () => page.evaluate(() => document.activeElement.textContent)
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'Skip to the content')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement.type), 'search')
  // Each control of the list, in order, until the first confirmation.
  for (let step = 0; step < 40 && !/^\+|not known/.test(await focused()); step += 1) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'What happened' }).waitFor()
  await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor()
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
