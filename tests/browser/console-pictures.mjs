// Writes the pictures of docs/console.md: a real server with a day of confirmations and logins, in Chromium.
//
//     apt-get install faketime pngquant
//     npm run pictures        # in clients/console, after `cargo build`
//
// The server runs again and again at other hours of the last day, so that its history is one.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { openConsole } from './support/console.mjs'
import { createApp, registerKey, startLogin, startReceiver } from './support/console-data.mjs'
import { startBrowser } from './support/page.mjs'
import { startServer } from './support/server.mjs'
import { ROOT } from './support/tools.mjs'

const OUT = join(ROOT, 'docs/console')
const FAKETIME = process.env.LIBFAKETIME ?? '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'
const HOURS = 24

/** Fictional numbers of several countries. */
const PHONES = ['+12025550100', '+12025550171', '+447700900118', '+4915735990042', '+33612345678', '+393331234567']

/** Lets programs that start from now on run some hours ago. */
function goBack(hours) {
  if (hours === 0) {
    delete process.env.LD_PRELOAD
    delete process.env.FAKETIME
  } else {
    process.env.LD_PRELOAD = FAKETIME
    process.env.FAKETIME = `-${hours}h`
  }
}

/** Returns how busy the hour is, with more at noon than at night. */
function weight(hoursAgo) {
  const hour = (new Date().getUTCHours() - hoursAgo + 48) % 24
  return 2 + Math.round(7 * Math.max(0, Math.sin((hour - 5) / 24 * 2 * Math.PI)))
}

/** Lets people use the apps for an hour. */
async function anHour({ server, shop, bank, receiver }, hoursAgo) {
  let person = hoursAgo
  for (let number = 0; number < weight(hoursAgo); number += 1) {
    const app = number % 4 === 3 ? bank : shop
    const url = `${receiver.url}/${app === bank && hoursAgo < 3 ? 503 : 204}`
    const started = await app.start(url, undefined, { order: 4700 + hoursAgo * 10 + number })
    person += 1
    if (number % 5 !== 4) await app.text(started, PHONES[person % PHONES.length])
  }
  for (let number = 0; number < weight(hoursAgo) / 3; number += 1) await startLogin(server, '--confirm')
}

async function fill(server, receiver) {
  goBack(HOURS)
  const shop = await createApp(server, 'shop', '--sender', '+12025550199', '--message-template', 'My code for the shop is {code}.', '--max-open-confirmations', '5000')
  const bank = await createApp(server, 'bank-example', '--sender', '+12025550199')
  for (let hoursAgo = HOURS - 1; hoursAgo >= 0; hoursAgo -= 1) {
    assert.equal(await server.halt(), 0)
    goBack(hoursAgo)
    await server.resume()
    await anHour({ server, shop, bank, receiver }, hoursAgo)
    if (hoursAgo % 8 === 1) assert.equal((await server.run('backup', join(server.data, '..', `countersign-${hoursAgo}.backup`))).code, 0)
  }
  await server.run('app', 'webhook-secret', 'shop', '--rotate')
  await registerKey(server, 'shop', 'zoe@example.com')
  const missed = await bank.start(`${receiver.url}/204`, '+4915735990077')
  await bank.text(missed, PHONES[3])
  return { missed: missed.confirmationId }
}

/** Saves a part of the page, with few colours, so that a page loads quickly. */
async function picture(page, name, selector) {
  await page.waitForFunction(() => document.querySelector('.loading') === null)
  const path = join(OUT, `${name}.png`)
  await page.locator(selector).screenshot({ path, scale: 'css' })
  execFileSync('pngquant', ['--force', '--strip', '--output', path, '64', path])
}

await mkdir(OUT, { recursive: true })
const browser = await startBrowser()
const receiver = await startReceiver()
goBack(HOURS)
const server = await startServer()
try {
  const { missed } = await fill(server, receiver)
  const console = await openConsole(browser, ['--data', server.data], '/?by=app', { viewport: { width: 1180, height: 700 } })
  const { page } = console
  const card = (title) => `.card:has(h2:text-is("${title}"))`
  await page.getByRole('slider').waitFor()
  await picture(page, 'overview', '.frame')
  await picture(page, 'attention', card('What needs attention'))
  await console.to('/?by=country&measure=verified')
  await page.getByRole('slider').focus()
  for (const key of ['PageDown', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key)
  await picture(page, 'history', card('How far people get'))
  await page.setViewportSize({ width: 1280, height: 700 })
  await console.to(`/confirmations/${missed}`)
  await picture(page, 'confirmation', '.frame')
  await console.to('/system')
  await page.getByRole('heading', { name: 'Counters since the start' }).waitFor()
  await picture(page, 'system', '.frame')
  await console.closeWindow()
  await console.server.stop()
} finally {
  await browser.close()
  receiver.stop()
  await server.stop()
}
