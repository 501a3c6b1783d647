// The samples of docs/phone-numbers.md: their page in a browser, with the real server.

import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { after, before, test } from 'node:test'

import { assertAccessible } from './support/axe.mjs'
import { readCode } from './support/codes.mjs'
import { fits, keep, openWindow, startBrowser } from './support/page.mjs'
import { LANGUAGES, startSample } from './support/phone-number.mjs'
import { ask, startServer } from './support/server.mjs'
import { HANG } from './support/suite.mjs'
import { chromium, skipped } from './support/tools.mjs'

const NUMBER = '+12025550100'
const OTHER = '+12025550111'

const own = { samples: new Map() }

before(async () => {
  if (!chromium()) return
  own.server = await startServer()
  own.browser = await startBrowser()
}, HANG)

after(async () => {
  await own.browser?.close()
  for (const sample of own.samples.values()) sample.stop()
  const code = await own.server?.stop()
  assert.ok(code === undefined || code === 0, `the server ended with ${code}`)
}, HANG)

/** Declares a test for each sample. All share a server, and those in one language a sample. */
function samplesTest(name, run) {
  for (const [language, sample] of Object.entries(LANGUAGES)) {
    const title = `${language} sample: ${name}`
    test(title, HANG, async () => {
      const missing = chromium() ? sample.missing() : 'no Chromium'
      if (missing) return skipped(title, missing)
      if (!own.samples.has(language)) own.samples.set(language, await startSample(sample, own.server))
      return run({ ...own, sample: own.samples.get(language), language: sample })
    })
  }
}

/** The sample's page, with methods for what a user does on it. */
class Proof {
  constructor(server, sample, { page, close }) {
    Object.assign(this, { server, sample, page, close })
  }

  /** Opens the page in a new window. `prepare` is called with it while it is still empty. */
  static async open({ server, browser, sample }, { prepare, ...options } = {}) {
    const proof = new Proof(server, sample, await openWindow(browser, [sample.url], options))
    await prepare?.(proof.page)
    await proof.page.goto(`${sample.url}/`)
    return proof
  }

  /** Starts a check, and returns the sample's answer to the page. */
  async start(number = '') {
    await this.page.getByLabel('The number to check').fill(number)
    const answered = this.page.waitForResponse((response) => response.url().endsWith('/checks'))
    await this.page.getByRole('button', { name: 'Start', exact: true }).click()
    return (await answered).json()
  }

  /** Sends the text that the page shows. */
  async text(from = NUMBER) {
    const [message, to] = await this.page.locator('#open strong').allInnerTexts()
    await this.send({ from, to, message })
  }

  /** Sends any text. */
  async send({ from = NUMBER, to, message }) {
    const { code, err } = await this.server.run('phone', 'text', '--from', from, '--to', to, '--message', message)
    assert.equal(code, 0, err)
  }

  async says(text) {
    await this.page.getByRole('status').getByText(text, { exact: true }).waitFor()
  }

  async isOpen() {
    await this.page.getByRole('timer').waitFor()
  }

  /** Asserts that the sample still shows the check as open, not just the page. */
  async staysOpen() {
    await this.page.reload()
    await this.isOpen()
  }
}

samplesTest('acquired number is shown once its text arrived', async (setup) => {
  const proof = await Proof.open(setup)
  await assertAccessible(proof.page, 'the start')
  const { uri, message } = await proof.start()
  assert.equal(readCode(await proof.page.locator('#code').screenshot(), 'a QR code'), uri.qr)
  assert.match(await proof.page.getByRole('timer').innerText(), /^[45]:\d\d$/)
  assert.ok(await proof.page.getByText(message).isVisible())
  await assertAccessible(proof.page, 'an open check')
  await keep(proof.page, 'phone-number-open')
  await proof.text()
  await proof.says(`${NUMBER} is verified.`)
  await keep(proof.page, 'phone-number-verified')
  await proof.page.reload()
  await proof.says(`${NUMBER} is verified.`)
  await proof.page.getByRole('button', { name: 'That is not my number' }).click()
  await proof.page.getByRole('button', { name: 'Start', exact: true }).waitFor()
  const { answer } = await setup.sample.relay.next()
  assert.deepEqual([answer.status, answer.text], [200, 'accepted'])
  await proof.close()
})

samplesTest('link to WhatsApp is there if the app names a number', async (setup) => {
  const name = async (...change) => {
    const { code, err } = await setup.server.run('app', 'update', 'demo', ...change)
    assert.equal(code, 0, err)
  }
  const proof = await Proof.open(setup)
  const link = proof.page.getByRole('link', { name: 'Send it on WhatsApp' })
  await proof.start()
  assert.equal(await link.isVisible(), false)
  await proof.close()
  await name('--whatsapp', '+12025550177')
  const other = await Proof.open(setup)
  const { uri, message } = await other.start()
  await name('--no-whatsapp')
  const shown = other.page.getByRole('link', { name: 'Send it on WhatsApp' })
  await shown.waitFor()
  assert.equal(await shown.getAttribute('href'), uri.whatsapp)
  assert.equal(uri.whatsapp, `https://wa.me/12025550177?text=${encodeURIComponent(message)}`)
  await assertAccessible(other.page, 'an open check with WhatsApp')
  await other.close()
})

samplesTest('page says when its QR code cannot hold the text', async (setup) => {
  const words = `¿${'Ü'.repeat(130)}? {code}`
  const change = async (...how) => {
    const { code, err } = await setup.server.run('app', 'update', 'demo', ...how)
    assert.equal(code, 0, err)
  }
  await change('--message-template', words)
  const proof = await Proof.open(setup)
  const { message } = await proof.start()
  await change('--no-message-template')
  await proof.page.getByText('too long for this page').waitFor()
  assert.equal(await proof.page.locator('#code').isVisible(), false)
  assert.ok(await proof.page.getByText(message).isVisible())
  await assertAccessible(proof.page, 'an open check without a QR code')
  await keep(proof.page, 'phone-number-too-long')
  await proof.text()
  await proof.says(`${NUMBER} is verified.`)
  await setup.sample.relay.next()
  await proof.close()
})

samplesTest('known number is verified by a text from it alone', async (setup) => {
  const proof = await Proof.open(setup)
  await proof.start('+1 202 555-0111')
  await proof.text(NUMBER)
  await proof.staysOpen()
  await proof.text(OTHER)
  await proof.says(`${OTHER} is verified.`)
  await setup.sample.relay.next()
  await proof.close()
})

samplesTest('repeated webhook acts once, and a changed one is refused', async (setup) => {
  const { sample } = setup
  const proof = await Proof.open(setup)
  await proof.start()
  const number = '+12025550123'
  await proof.text(number)
  await proof.says(`${number} is verified.`)
  const { answer, ...webhook } = await sample.relay.next()
  assert.equal(answer.text, 'accepted')
  const again = await ask(`${sample.url}/webhook`, webhook)
  assert.deepEqual([again.status, again.text], [200, 'already ended'])
  const body = webhook.body.toString().replace(number, OTHER)
  const changed = await ask(`${sample.url}/webhook`, { ...webhook, body, headers: signedLike(webhook) })
  assert.equal(changed.status, 403)
  await proof.page.reload()
  await proof.says(`${number} is verified.`)
  assert.equal(sample.log().match(/verified \+12\*\*\*23/g).length, 1)
  await proof.close()
})

/** Returns a webhook's headers without those of its length. */
function signedLike({ headers }) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => /^x-signature/.test(name)))
}

samplesTest('forged webhooks change nothing', async (setup) => {
  const { sample, server } = setup
  const proof = await Proof.open(setup)
  await proof.start()
  // Whoever forges a webhook may know the id: it is not secret.
  const confirmationId = server.log().match(/cfm_[0-9a-f]{32}/g).at(-1)
  const body = JSON.stringify({ confirmationId, phoneNumber: OTHER, validationStatus: 'valid' })
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { keys: [{ kid }] } = await (await fetch(`${server.url}/.well-known/jwks.json`)).json()
  const signature = sign('sha256', Buffer.from(body), privateKey).toString('base64')
  for (const headers of [
    {},
    { 'x-signature': signature, 'x-signature-key-id': kid },
    { 'x-signature': '', 'x-signature-key-id': kid },
  ]) {
    const { status } = await ask(`${sample.url}/webhook`, { method: 'POST', headers, body })
    assert.equal(status, 403)
  }
  await proof.staysOpen()
  await proof.text()
  await proof.says(`${NUMBER} is verified.`)
  await sample.relay.next()
  await proof.close()
})

samplesTest('genuine webhook of a confirmation that another server started is refused', async (setup) => {
  const { sample, server } = setup
  const proof = await Proof.open(setup)
  await proof.start()
  const answer = await ask(`${server.url}/acquire-phone-number`, {
    method: 'POST',
    headers: { 'x-api-key': server.demo.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ callbackUrl: `${sample.relay.url}/webhook` }),
  })
  const { confirmationId, confirmationMessage, sendTo } = answer.json()
  await server.run('phone', 'text', '--from', OTHER, '--to', sendTo, '--message', confirmationMessage)
  const webhook = await sample.relay.next()
  assert.equal(JSON.parse(webhook.body).confirmationId, confirmationId)
  assert.equal(webhook.answer.status, 404)
  await proof.staysOpen()
  await proof.close()
})

/** Tells the sample that the confirmation expires after this many seconds. The server keeps it for longer. */
const expiringAfter = (seconds) => (answer) => {
  return { ...answer, text: JSON.stringify({ ...answer.json(), expiresIn: seconds }) }
}

samplesTest('expired check ignores a late webhook and can be repeated', async ({ server, browser, language }) => {
  const sample = await startSample(language, server, { GRACE_SECONDS: '0' })
  try {
    const proof = await Proof.open({ server, browser, sample })
    const release = sample.relay.hold()
    sample.service.edits.push(expiringAfter(5))
    const { message, sendTo } = await proof.start()
    await proof.send({ to: sendTo, message })
    await proof.says('The time is up, and no text arrived. You can try again.')
    await keep(proof.page, 'phone-number-expired')
    release()
    const { answer } = await sample.relay.next()
    assert.equal(answer.text, 'already ended')
    await sample.logged(/too late: /)
    await proof.page.reload()
    await proof.says('The time is up, and no text arrived. You can try again.')

    const { message: second } = await proof.start()
    assert.notEqual(second, message)
    await proof.text()
    await proof.says(`${NUMBER} is verified.`)
    await sample.logged(/verified /)
    assert.equal(sample.log().match(/verified/g).length, 1)
    await proof.close()
  } finally {
    sample.stop()
  }
})

samplesTest('another browser cannot see the check', async (setup) => {
  const { sample } = setup
  const proof = await Proof.open(setup)
  const { id } = await proof.start()
  const other = await Proof.open(setup)
  await other.page.goto(`${sample.url}/#${id}`)
  await other.page.reload()
  await other.page.waitForURL(`${sample.url}/`)
  await other.page.getByRole('button', { name: 'Start', exact: true }).waitFor()
  const statuses = await other.page.evaluate((check) => Promise.all(
    [`/checks/${check}`, `/checks/${check}/events`].map(async (path) => (await fetch(path)).status),
  ), id)
  assert.deepEqual(statuses, [404, 404])
  await proof.text()
  await proof.says(`${NUMBER} is verified.`)
  assert.equal((await ask(`${sample.url}/checks/${id}`)).status, 404)
  await sample.relay.next()
  await proof.close()
  await other.close(/status of 404/)
})

samplesTest('check is started for this page and session alone', async (setup) => {
  const { sample } = setup
  const start = (headers) => ask(`${sample.url}/checks`, { method: 'POST', headers, body: '{}' })
  const page = await ask(`${sample.url}/`)
  const cookie = page.headers['set-cookie'][0].split(';')[0]
  assert.match(page.headers['set-cookie'][0], /; HttpOnly; SameSite=Lax$/)
  assert.equal((await start({ cookie })).status, 403)
  assert.equal((await start({ cookie, origin: 'http://shop.example' })).status, 403)
  assert.equal((await start({ origin: sample.url })).status, 403)
  assert.equal((await start({ cookie: 'session=short', origin: sample.url })).status, 403)
  const { id } = (await start({ cookie, origin: sample.url })).json()
  assert.equal((await start({ cookie, origin: sample.url })).json().id, id, 'one open check for a session')
  assert.equal((await ask(`${sample.url}/checks/${id}`, { headers: { cookie } })).json().state, 'open')
})

samplesTest('page polls if events do not arrive', async (setup) => {
  for (const block of [(route) => route.abort(), () => {}]) {
    const prepare = (page) => page.route('**/events', block)
    const proof = await Proof.open(setup, { prepare })
    await proof.start()
    await proof.text()
    await proof.says(`${NUMBER} is verified.`)
    await setup.sample.relay.next()
    await proof.close(/ERR_FAILED/)
  }
})

samplesTest('each platform gets its own link', async (setup) => {
  const touchScreen = (page) => page.addInitScript(() => {
    Object.defineProperty(navigator, 'maxTouchPoints', { value: 5 })
  })
  for (const [link, userAgent] of [
    ['sms', 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/142.0.0.0 Mobile Safari/537.36'],
    ['ios', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148'],
    ['ios', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15'],
  ]) {
    const options = { viewport: { width: 320, height: 640 }, userAgent, prepare: touchScreen }
    const proof = await Proof.open(setup, options)
    const { uri } = await proof.start()
    const button = proof.page.getByRole('link', { name: 'Open the text message' })
    assert.equal(await button.getAttribute('href'), uri[link])
    assert.equal(await proof.page.getByRole('img').isVisible(), false)
    await fits(proof.page)
    await keep(proof.page, `phone-number-${link}`)
    await proof.close()
  }
})

samplesTest('lost answer and brief trouble are repeated and start one confirmation', async ({ server, browser, language }) => {
  const sample = await startSample(language, server)
  const { service } = sample
  try {
    const proof = await Proof.open({ server, browser, sample })
    service.losses = 1
    await proof.start()
    const exchanges = [await service.next(), await service.next()]
    assert.equal(new Set(exchanges.map(({ headers }) => headers['idempotency-key'])).size, 1)
    assert.equal(new Set(exchanges.map(({ answer }) => answer.json().confirmationId)).size, 1)
    await proof.text()
    await proof.says(`${NUMBER} is verified.`)

    await proof.page.getByRole('button', { name: 'That is not my number' }).click()
    service.answers.push({ status: 503, text: '{"code":"service_unavailable"}' })
    await proof.start()
    await proof.isOpen()
    await proof.close()
  } finally {
    sample.stop()
  }
})

samplesTest('trouble of the service is told without its details', async ({ server, browser, language }) => {
  const sample = await startSample(language, server)
  const { service } = sample
  try {
    const proof = await Proof.open({ server, browser, sample })
    const problem = (status, code) => ({ status, text: JSON.stringify({ code, requestId: 'req_1', detail: 'secret' }) })
    const press = () => proof.page.getByRole('button', { name: 'Start', exact: true }).click()
    // The libraries try three times.
    service.answers.push(...Array(3).fill(problem(429, 'app_rate_exceeded')))
    await press()
    await proof.says('Please try again in a minute.')
    await sample.logged(/app_rate_exceeded \(req_1\)/)
    service.answers.push(problem(401, 'api_key_revoked'))
    await press()
    await proof.says('This does not work at the moment.')
    service.answers.push({ status: 502, text: '<html>' }, ...Array(2).fill(problem(503, 'storage_low')))
    await press()
    await proof.says('Please try again in a minute.')
    service.losses = 3
    await press()
    await proof.says('This does not work at the moment.')
    await proof.close(/status of 503/)
  } finally {
    sample.stop()
  }
})

samplesTest('another number cancels the open confirmation', async ({ server, browser, language }) => {
  const sample = await startSample(language, server)
  try {
    const proof = await Proof.open({ server, browser, sample })
    const { id } = await proof.start(NUMBER)
    await proof.page.getByRole('button', { name: 'Start again' }).click()
    assert.equal((await proof.start(NUMBER)).id, id)
    await proof.page.getByRole('button', { name: 'Start again' }).click()
    assert.notEqual((await proof.start(OTHER)).id, id)
    const { method, answer } = await sample.service.nextTo(/^\/confirmations\//)
    assert.deepEqual([method, answer.json().status], ['DELETE', 'cancelled'])
    await proof.text(OTHER)
    await proof.says(`${OTHER} is verified.`)
    await proof.close()
  } finally {
    sample.stop()
  }
})

samplesTest('impossible number is refused with a sentence for people', async (setup) => {
  const proof = await Proof.open(setup)
  await proof.page.getByLabel('The number to check').fill('0151 23456')
  await proof.page.getByRole('button', { name: 'Start', exact: true }).click()
  await proof.says('This is not a phone number in international form, such as +1 202 555 0100.')
  await proof.close(/status of 422/)
})
