// The playground's funnel page, which shows how far users get, with the real server.

import assert from 'node:assert/strict'

import { assertAccessible } from './support/axe.mjs'
import { fits, keep, openPlayground, openWindow } from './support/page.mjs'
import { ask } from './support/server.mjs'
import { overTheServer } from './support/suite.mjs'

const NUMBER = '+12025550100'
const OTHER = '+442079460018'

const funnelTest = overTheServer()

/** Opens the page in a new window. */
async function open({ browser, server }, options = {}) {
  const window = await openWindow(browser, [server.url], options)
  await window.page.goto(`${server.url}/playground/funnel`)
  return window
}

/** Waits until a table in a part of the page has exactly these rows. */
async function shows(area, table, ...expected) {
  const rows = area.getByRole('table', { name: table }).getByRole('rowgroup').nth(1).getByRole('row')
  for (const row of expected) await rows.and(area.getByRole('row', { name: row, exact: true })).waitFor()
  assert.equal(await rows.count(), expected.length, table)
}

/** Returns the widths of the bars of a funnel's steps, in pixels. */
function barsOf(area) {
  return area.locator('.steps-of .fill').evaluateAll((bars) => (
    bars.map((bar) => Math.round(bar.getBoundingClientRect().width))
  ))
}

async function command(server, ...words) {
  const { code, out, err } = await server.run(...words)
  assert.equal(code, 0, err)
  return out
}

funnelTest('every app is shown from the first confirmation to the last miss', async (own) => {
  const { browser, server } = own
  const { page, close } = await open(own)
  await page.getByRole('heading', { name: 'Nothing is counted yet' }).waitFor()
  await page.getByText(/since the server started \(\d+ \w+ \d+, \d\d:\d\d\)/).waitFor()
  await assertAccessible(page, 'without numbers')
  await keep(page, 'funnel-empty')

  // Meanwhile, a user tries the playground: one confirmation succeeds after a wrong text, and one is left
  // open.
  const playground = await openPlayground(browser, server)
  await playground.start('Acquisition')
  await playground.start('Confirmation', NUMBER)
  await playground.send(OTHER)
  await playground.sees('No effect: the confirmation is still open.')
  await playground.send(NUMBER)
  await playground.page.getByRole('cell', { name: '204' }).waitFor()
  await playground.page.getByRole('tab', { name: 'Login' }).click()
  await playground.page.getByRole('img', { name: 'QR code to log in with your phone' }).waitFor()
  await playground.page.getByRole('button', { name: 'Scan the code' }).click()
  await playground.page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await playground.page.getByText('Encrypted for this page', { exact: true }).waitFor()
  // Another app has one in Germany, and one text contains no code of any app.
  const created = await command(server, 'app', 'create', 'shop', '--sender', '+12025550199', '--json')
  const started = await ask(`${server.url}/make-confirmation`, {
    method: 'POST',
    headers: { 'x-api-key': JSON.parse(created).apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ phoneNumber: '+4915123456789', callbackUrl: `${server.url}/` }),
  })
  assert.equal(started.status, 200, started.text)
  const { sendTo } = server.demo
  await command(server, 'phone', 'text', '--from', OTHER, '--to', sendTo, '--message', 'STOP')

  // The page updates itself.
  const demo = page.getByRole('article', { name: 'App demo' })
  await demo.getByRole('row', { name: 'Redeemed 1 100 %' }).waitFor()
  await page.getByRole('article', { name: 'Texts without an app' }).waitFor()
  const numbers = demo.getByRole('region', { name: 'Phone numbers of demo' })
  await shows(numbers, 'How far they got', 'Created 2', 'Verified 1 50 %', 'Delivered 1 50 %')
  await shows(numbers, 'What went wrong', 'Another number sent it 1')
  await shows(numbers, 'By country', 'United States 2 1 0 1', 'United Kingdom 0 0 1 0')
  await shows(numbers, 'By provider', 'generic 1 1 1')
  const logins = demo.getByRole('region', { name: 'Logins of demo' })
  await shows(logins, 'How far they got', 'Created 1', 'Opened 1 100 %', 'Confirmed 1 100 %', 'Redeemed 1 100 %')
  await logins.getByText('Nothing so far.').waitFor()
  const shop = page.getByRole('article', { name: 'App shop' })
  await shows(shop, 'How far they got', 'Created 1', 'Verified 0 0 %', 'Delivered 0 0 %')
  await shows(shop, 'By country', 'Germany 1 0 0 0')
  const nobody = page.getByRole('article', { name: 'Texts without an app' })
  await shows(nobody, 'What went wrong', 'It has no code 1')
  await shows(nobody, 'By country', 'United Kingdom 1')
  assert.equal(await page.getByRole('heading', { name: 'Nothing is counted yet' }).count(), 0)

  const widths = await barsOf(numbers)
  assert.ok(widths[0] > 100 && Math.abs(widths[0] - 2 * widths[1]) <= 1, `bars of ${widths} pixels`)
  await assertAccessible(page, 'with numbers')
  await keep(page, 'funnel')
  await playground.close()
  await close()
})

funnelTest('small window shows the same tables, light or dark', async (own) => {
  for (const [width, colorScheme] of [[320, 'dark'], [375, 'light']]) {
    const { page, close } = await open(own, { viewport: { width, height: 720 }, colorScheme })
    const demo = page.getByRole('article', { name: 'App demo' })
    const numbers = demo.getByRole('region', { name: 'Phone numbers of demo' })
    await shows(numbers, 'How far they got', 'Created 2', 'Verified 1 50 %', 'Delivered 1 50 %')
    await shows(numbers, 'By country', 'United States 2 1 0 1', 'United Kingdom 0 0 1 0')
    const bars = await barsOf(demo.getByRole('region', { name: 'Logins of demo' }))
    assert.ok(bars[0] > 50 && bars.every((bar) => bar === bars[0]), `bars of ${bars} pixels for equal counts`)
    await fits(page)
    await assertAccessible(page, `${width} pixels, ${colorScheme}`)
    await keep(page, `funnel-${width}-${colorScheme}`)
    await close()
  }
})

funnelTest('playground and funnel lead to each other', async (own) => {
  const playground = await openPlayground(own.browser, own.server)
  const { page } = playground
  await page.getByRole('link', { name: 'Funnel' }).click()
  await page.getByRole('heading', { name: 'How far people get' }).waitFor()
  await page.getByRole('link', { name: 'Try it' }).click()
  await page.getByRole('heading', { name: 'Verify a phone number by text' }).waitFor()
  await playground.close()
})
