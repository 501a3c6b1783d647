// The playground in a browser, with the real server.

import assert from 'node:assert/strict'
import { createVerify } from 'node:crypto'
import { after, before, test } from 'node:test'

import { readCode } from './support/codes.mjs'
import { openPlayground, startBrowser } from './support/page.mjs'
import { ask, startServer } from './support/server.mjs'
import { HANG } from './support/suite.mjs'
import { chromium, skipped } from './support/tools.mjs'

const NUMBER = '+12025550100'
const OTHER = '+12025550111'

let browser
let server

const browserTest = (name, run) => test(name, HANG, async () => {
  if (chromium()) await run()
  else skipped(name, 'no Chromium')
})

before(async () => {
  if (!chromium()) return
  server = await startServer()
  browser = await startBrowser()
}, HANG)

after(async () => {
  await browser?.close()
  const code = await server?.stop()
  assert.ok(code === undefined || code === 0, `the server ended with ${code}`)
}, HANG)

/** Asserts that independent readers find the URI in a screenshot of the QR code. */
async function assertReadable(playground, uri, name) {
  const picture = await playground.page.locator('.code').screenshot()
  assert.equal(readCode(picture, name), uri)
}

browserTest('link to WhatsApp is there if the app names a number', async () => {
  const name = async (...change) => {
    const { code, err } = await server.run('app', 'update', 'demo', ...change)
    assert.equal(code, 0, err)
  }
  await name('--whatsapp', '+12025550177')
  const playground = await openPlayground(browser, server)
  const { confirmation } = await playground.start('Acquisition')
  await name('--no-whatsapp')
  const link = playground.page.getByRole('link', { name: 'WhatsApp', exact: true })
  assert.match(confirmation.confirmationUri.whatsapp, /^https:\/\/wa\.me\/12025550177\?text=CS-/)
  assert.equal(await link.getAttribute('href'), confirmation.confirmationUri.whatsapp)
  assert.equal(await link.getAttribute('rel'), 'noreferrer')
  await playground.close()
})

browserTest('acquisition ends with a webhook that the service signed', async () => {
  const playground = await openPlayground(browser, server)
  const { page } = playground
  await playground.keep('start')
  const { confirmation } = await playground.start('Acquisition')
  await playground.sees(confirmation.confirmationId)
  await playground.sees(confirmation.confirmationMessage)
  await assertReadable(playground, confirmation.confirmationUri.qr, 'a QR code')
  for (const [name, uri] of [['iOS', 'ios'], ['Android', 'android'], ['Others', 'sms']]) {
    const link = page.getByRole('link', { name, exact: true })
    assert.equal(await link.getAttribute('href'), confirmation.confirmationUri[uri])
  }
  assert.equal(await page.getByRole('link', { name: 'WhatsApp', exact: true }).count(), 0)
  assert.deepEqual((await playground.steps()).map((step) => step.split('\n')[0]), ['Open', 'Verified', 'Webhook'])
  assert.deepEqual(await playground.said(), ['The confirmation is open and waits for the text.'])
  await playground.keep('open')

  await playground.send()
  await playground.sees('The number is verified.')
  await playground.sees('Signature verified by the receiver')
  await playground.sees('Signature verified in this browser with WebCrypto')
  await playground.sees('It is about the confirmation started here')
  await playground.sees(/arrived \d+ ms after the text/)
  await page.getByRole('cell', { name: '204' }).waitFor()
  assert.deepEqual((await playground.said()).slice(1), [
    `Verified: ${NUMBER}.`,
    'Webhook 1 arrived, and its signature is verified.',
  ])
  assert.equal(await page.getByRole('button', { name: 'Cancel the confirmation' }).isDisabled(), true)
  await playground.keep('verified')

  const shown = page.getByLabel('Body of the webhook')
  const pretty = await shown.innerText()
  await page.getByText('Raw', { exact: true }).click()
  const raw = await shown.innerText()
  assert.deepEqual(JSON.parse(pretty), JSON.parse(raw))
  assert.equal(JSON.parse(raw).phoneNumber, NUMBER)
  const signature = await page.locator('.headers dt', { hasText: /^x-signature$/ }).locator('+ dd').innerText()
  const { text: key } = await ask(`${server.url}/public-key`)
  assert.ok(createVerify('sha256').update(raw).verify(key, signature, 'base64'))
  await playground.close()
})

browserTest('confirmation waits for a text from its own number', async () => {
  const playground = await openPlayground(browser, server, { colorScheme: 'dark' })
  await playground.start('Confirmation', NUMBER)
  await playground.send(OTHER)
  await playground.sees('No effect: the confirmation is still open.')
  assert.match((await playground.steps())[1], /^Verified.*waits for the text$/s)
  await playground.sees(new RegExp(`^A text with this code came at .*, but not from \\${NUMBER}\\.$`))
  assert.match((await playground.said()).at(-1), /^A text with this code came at/)
  assert.equal(await playground.page.locator('.webhook').count(), 0)
  await playground.keep('wrong-sender-dark')

  await playground.send(NUMBER)
  await playground.sees('Signature verified in this browser with WebCrypto')
  await playground.sees(/arrived \d+ ms after the text/)
  await playground.keep('verified-dark')
  await playground.send(NUMBER)
  await playground.sees('No effect: the number is already verified.')
  await playground.close()
})

browserTest('code is readable, light or dark', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const playground = await openPlayground(browser, server, { colorScheme })
    const { confirmation } = await playground.start('Acquisition')
    await assertReadable(playground, confirmation.confirmationUri.qr, `a QR code, ${colorScheme}`)
    const paper = await playground.page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const [red] = paper.match(/\d+/g).map(Number)
    assert.equal(red < 128, colorScheme === 'dark', paper)
    await playground.keep(`open-${colorScheme}`)
    await playground.close()
  }
})

browserTest('webhook is sent again with the same id', async () => {
  const playground = await openPlayground(browser, server)
  const { page } = playground
  await playground.start('Acquisition')
  await playground.send()
  await playground.sees(/arrived \d+ ms after the text/)
  await page.getByRole('button', { name: 'Send the webhook again' }).click()
  await playground.sees('Webhook 2')
  await playground.sees('Repeated, same webhook-id')
  await page.getByRole('cell', { name: '204' }).nth(1).waitFor()
  await page.locator('.webhook').nth(1).locator('summary').click()
  const ids = await page.locator('.headers dt', { hasText: /^webhook-id$/ }).locator('+ dd').allInnerTexts()
  assert.equal(ids.length, 2)
  assert.equal(ids[0], ids[1])
  await playground.keep('sent-again')
  await playground.close()
})

browserTest('cancelled confirmation ignores a late text', async () => {
  const playground = await openPlayground(browser, server)
  const { page } = playground
  await playground.start('Acquisition')
  await page.getByRole('button', { name: 'Cancel the confirmation' }).click()
  await playground.sees('cancelled by the app')
  assert.equal((await playground.steps()).length, 2)
  assert.match((await playground.said()).at(-1), /cancelled/)
  await playground.send()
  await playground.sees('No effect: the confirmation was cancelled.')
  await playground.sees(/^None: a confirmation that ends/)
  await playground.keep('cancelled')
  await playground.close()
})

browserTest('confirmation expires by itself', async () => {
  const hasty = await startServer(['--validity', '2s'])
  try {
    const playground = await openPlayground(browser, hasty)
    await playground.start('Acquisition')
    await playground.sees('no text verified it in time')
    assert.match((await playground.said()).at(-1), /expired/)
    assert.equal(await playground.page.getByRole('button', { name: 'Cancel the confirmation' }).isDisabled(), true)
    await playground.keep('expired')
    await playground.close()
  } finally {
    assert.equal(await hasty.stop(), 0)
  }
})

browserTest('refusal shows the detail of the problem', async () => {
  const playground = await openPlayground(browser, server)
  const { page } = playground
  await playground.start('Confirmation', '0151 23456')
  const alert = page.getByRole('alert').first()
  await alert.waitFor()
  const { json } = await ask(`${server.url}/make-confirmation`, {
    method: 'POST',
    headers: { 'x-api-key': server.demo.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ phoneNumber: '0151 23456', callbackUrl: `${server.url}/` }),
  })
  assert.equal(await alert.innerText(), json().detail)
  await playground.keep('refused')

  await page.getByText('Metadata', { exact: true }).click()
  await page.getByLabel('A JSON object that the webhook returns').fill('{')
  await page.getByRole('button', { name: 'Start a confirmation' }).click()
  await playground.sees(/^The metadata is not JSON/)
  await playground.close(/status of 422/)
})

browserTest('metadata comes back in the webhook', async () => {
  const playground = await openPlayground(browser, server)
  const { page } = playground
  await page.getByText('Metadata', { exact: true }).click()
  await page.getByLabel('A JSON object that the webhook returns').fill('{"order": "1234", "sum": 1.50}')
  await playground.start('Acquisition')
  await playground.send()
  await playground.sees('Signature verified in this browser with WebCrypto')
  const { metadata } = JSON.parse(await page.getByLabel('Body of the webhook').innerText())
  assert.deepEqual(metadata, { order: '1234', sum: 1.5 })
  await playground.close()
})

browserTest('shown curl command matches the request and hides the API key', async () => {
  const playground = await openPlayground(browser, server)
  const { request } = await playground.start('Confirmation', NUMBER)
  const command = await playground.page.getByLabel('curl command').innerText()
  assert.ok(command.includes(`${server.url}${request.path}`))
  assert.ok(command.includes('"x-api-key: $API_KEY"'))
  assert.ok(command.includes(`'${JSON.stringify(request.body)}'`))
  assert.ok(!command.includes(server.demo.apiKey))
  await playground.close()
})

browserTest('reload finds the confirmation again and reports a lost one', async () => {
  const playground = await openPlayground(browser, server)
  const { page } = playground
  const { confirmation } = await playground.start('Acquisition')
  await page.reload()
  await playground.sees(confirmation.confirmationId)
  await playground.send()
  await playground.sees('Signature verified in this browser with WebCrypto')

  await page.goto(`${server.url}/#phone-number/unknown`)
  await page.reload()
  await playground.sees('The playground no longer knows this confirmation. Start a new one.')
  assert.equal(new URL(page.url()).hash, '')
  await playground.close(/status of 404/)
})

browserTest('page notices a stopped server, and the server does not wait for it', async () => {
  const brief = await startServer()
  const playground = await openPlayground(browser, brief)
  await playground.start('Acquisition')
  await playground.sees('The confirmation is open and waits for the text.')
  assert.equal(await brief.stop(), 0)
  await playground.sees('The server does not answer. Trying again…')
  assert.doesNotMatch(brief.log(), /did not finish in time/)
  await playground.close(/ERR_CONNECTION_(REFUSED|RESET)|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE/)
})

browserTest('page shows a change made elsewhere', async () => {
  const playground = await openPlayground(browser, server)
  const { confirmation } = await playground.start('Acquisition')
  const answer = await ask(`${server.url}/confirmations/${confirmation.confirmationId}`, {
    method: 'DELETE',
    headers: { 'x-api-key': server.demo.apiKey },
  })
  assert.ok(answer.status < 300, answer.text)
  await playground.sees('cancelled by the app')
  await playground.close()
})

browserTest('page leads operators to the console of its server', async () => {
  const playground = await openPlayground(browser, server)
  const words = playground.page.locator('footer code')
  await words.getByText(server.data).waitFor()
  assert.match(await words.innerText(), / --data '.+' console$/)
  await playground.close()
})

browserTest('small window scrolls in one direction only', async () => {
  for (const width of [320, 375]) {
    const playground = await openPlayground(browser, server, { viewport: { width, height: 720 } })
    await playground.fits()
    await playground.start('Confirmation', NUMBER)
    await playground.page.locator('.code svg').waitFor()
    await playground.fits()
    await playground.keep(`open-${width}`)
    await playground.send(OTHER)
    await playground.sees('No effect: the confirmation is still open.')
    await playground.send(NUMBER)
    await playground.page.getByRole('cell', { name: '204' }).waitFor()
    await playground.sees('Signature verified in this browser with WebCrypto')
    await playground.fits()
    await playground.keep(`verified-${width}`)
    await playground.close()
  }
})

browserTest('page works with a keyboard', async () => {
  const playground = await openPlayground(browser, server, { reducedMotion: 'reduce' })
  const { page } = playground
  const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key) }
  const focused = () => page.evaluate(() => document.activeElement.textContent || document.activeElement.name)
  await press('Tab')
  assert.equal(await focused(), 'Skip to content')
  await press('Enter', 'Tab')
  assert.equal(await focused(), 'flow')
  await press('ArrowDown', 'Tab')
  assert.equal(await focused(), 'phoneNumber')
  await press('Enter')
  await playground.sees('The confirmation is open and waits for the text.')
  assert.match(await focused(), /^Confirmation cfm_/)
  for (let steps = 0; await focused() !== 'message'; steps += 1) {
    assert.ok(steps < 20, 'the message is not reached')
    await press('Tab')
  }
  await press('Enter')
  await playground.sees('Signature verified in this browser with WebCrypto')
  await playground.close()
})

browserTest('page gets no secrets of the app', async () => {
  const playground = await openPlayground(browser, server)
  await playground.start('Acquisition')
  await playground.send()
  await playground.sees(/arrived \d+ ms after the text/)
  const bodies = await Promise.all(playground.bodies)
  assert.ok(bodies.length > 10)
  const shown = await playground.page.content()
  for (const secret of [server.demo.apiKey, server.demo.inboundSecret]) {
    assert.ok(![...bodies, shown].some((text) => text.includes(secret)))
  }
  await playground.close()
})
