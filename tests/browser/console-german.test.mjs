// The operator's console in German over a real server: nothing that the page or the server says is left in English.

import assert from 'node:assert/strict'

import { overTheServersConsole, refused } from './support/console.mjs'
import { createApp, demoApp, startLogin } from './support/console-data.mjs'

const GERMAN = { locale: 'de-DE', timezoneId: 'Europe/Berlin' }

async function fill({ server, receiver }) {
  const shop = await createApp(server, 'shop', '--sender', '+12025550199', '--link-host', 'login.shop.example', '--ios', 'ABCDE12345.com.example.shop', '--web-phone', 'on')
  const failed = await shop.verified(`${receiver.url}/410`, '+12025550100', 'failed')
  const missed = await shop.start(`${receiver.url}/204`, '+4917012345678')
  await shop.text(missed, '+12025550100')
  const untexted = await shop.start(`${receiver.url}/204`)
  await demoApp(server).verified(`${receiver.url}/204`, '+12025550101', 'delivered')
  const login = await startLogin(server, '--confirm')
  const phone = await shop.register('zoe')
  await shop.typeDigits(phone, await shop.openOnPhone(phone))
  await shop.register('zoe', 'zoe@example.com')
  await server.run('app', 'webhook-secret', 'shop', '--rotate')
  return { failed, missed: missed.confirmationId, untexted: untexted.confirmationId, login }
}

const consoleTest = overTheServersConsole(fill)

/** Returns what stands in English on the page, without data, code, and parts that say that they are English. */
function english(page) {
  return page.evaluate(() => {
    const skipped = 'noscript, code, pre, option, [lang="en"], .value, .message, .detail, .target-name'
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found = []
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode
      if (parentElement.closest(skipped) === null && /\b(the|and|were|with|from|not|is|of|by|to|no|has)\b/i.test(textContent)) found.push(textContent)
    }
    return found
  })
}

consoleTest('no screen has words of another language', async ({ open, data }) => {
  const console = await open('/', GERMAN)
  await console.loaded()
  await console.to('/apps/shop/people')
  await console.page.getByRole('button', { name: 'zoe' }).click()
  await console.page.getByRole('cell', { name: 'Abgeschlossen' }).waitFor()
  await console.page.getByRole('cell', { name: 'Browser · Safari on iOS' }).waitFor()
  assert.deepEqual(await english(console.page), [])
  const screens = [
    '/', '/?range=90d&by=app', '/confirmations', '/confirmations?failed=1', `/confirmations/${data.failed}`, `/confirmations/${data.missed}`, `/confirmations/${data.untexted}`,
    '/logins', `/logins/${data.login}`, '/apps', '/apps/shop', '/apps/shop/keys', '/apps/shop/people', '/apps/shop/webhooks', '/providers',
    '/providers/generic', '/providers/twilio', '/audit', '/system', '/no/such/page',
  ]
  for (const path of screens) {
    await console.to(path)
    await console.loaded()
    assert.deepEqual(await english(console.page), [], path)
  }
})

consoleTest('what the server says is in German', async ({ open, data, receiver, expect }) => {
  const console = await open('/', GERMAN)
  const { page } = console
  await page.getByRole('heading', { name: `${receiver.url} nimmt die Webhooks von shop nicht an` }).waitFor()
  await page.getByText('Webhooks der letzten 24 Stunden: 1 aufgegeben. Die letzte Antwort war 410.').waitFor()
  await page.getByRole('heading', { name: 'Für shop gelten zwei Webhook-Geheimnisse' }).waitFor()
  await page.getByText('countersign app webhook-secret shop --retire').waitFor()
  await console.looks('real-german-attention')
  await console.to(`/confirmations/${data.missed}`)
  await page.getByText('Die SMS kam von einer anderen Nummer als der, die bestätigt werden soll.').first().waitFor()
  await page.getByText('Bitten Sie den Kunden, sie von der eingegebenen Nummer zu senden.').waitFor()
  await console.to('/apps/demo')
  await page.getByRole('button', { name: 'Rückkehrseiten ändern' }).click()
  await page.getByLabel('Rückkehrseiten', { exact: true }).fill('https://other.example/x')
  await page.getByRole('button', { name: 'Speichern' }).click()
  await page.getByRole('alert').getByText('Zu https://other.example/x kann die App nicht zurückkehren').waitFor()
  assert.deepEqual(await english(page), [])
  await page.getByRole('button', { name: 'Abbrechen' }).click()
  // A rule of the domain has only an English sentence, and says so.
  await page.getByRole('button', { name: 'Nummern, die SMS empfangen ändern' }).click()
  await page.getByLabel('Nummern, die SMS empfangen', { exact: true }).fill('12025550199')
  await page.getByRole('button', { name: 'Speichern' }).click()
  await page.getByRole('alert').getByText('Dieser Wert ist nicht gültig.').waitFor()
  await page.getByRole('alert').locator('[lang="en"]').getByText(/^A recipient is a number/).waitFor()
  await page.getByRole('button', { name: 'Link-Host prüfen' }).click()
  await page.getByText('Im lokalen Betrieb gibt es keines').waitFor()
  assert.deepEqual(await english(page), [])
  await console.to('/providers/generic')
  await page.getByRole('button', { name: 'Probeaufruf senden' }).click()
  await page.getByText(/hat die signierte SMS angenommen \(200 OK\)/).waitFor()
  await console.looks('real-german-trial')
  expect(refused(400, 409))
})
