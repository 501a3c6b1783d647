// Login by code on the page of the OpenID provider, with the real server and a phone whose key is registered.

import assert from 'node:assert/strict'

import { devices } from 'playwright-core'

import { claims, NUMBER, openAuthorize, registerPhone, startClient } from './support/authorize.mjs'
import { assertAccessible } from './support/axe.mjs'
import { fits, keep } from './support/page.mjs'
import { ask } from './support/server.mjs'
import { overTheServer } from './support/suite.mjs'

const pageTest = overTheServer()
const USER = 'user-7'

/** Gives the demo app both ways to log in, in this order. The app does not list the service's own origin. */
async function start(own, methods) {
  if (!own.unlisted) {
    const { code, err } = await own.server.run('app', 'update', 'demo', '--remove-origin', own.server.url)
    assert.equal(code, 0, err)
    own.unlisted = true
  }
  return startClient(own, '--openid-methods', methods)
}

/** Returns the link in the code once there is one other than `before`. */
async function link({ page }, before = null) {
  const element = page.locator('countersign-login')
  await page.waitForFunction(
    (before) => ![null, undefined, before].includes(document.querySelector('countersign-login').link),
    before,
  )
  return element.evaluate((login) => login.link)
}

async function phone(own, ...words) {
  const { code, err } = await own.server.phone('open', ...words)
  assert.equal(code, 0, err)
}

pageTest('phone that is not registered does not log in, and a text still does', async (own) => {
  const client = await start(own, 'code,text')
  const page = await openAuthorize(own, client.url().url)
  await phone(own, await link(page), '--confirm')
  await page.page.getByText('demo does not know this phone. Log in to the app on it first.').waitFor()
  await keep(page.page, 'openid-code-refused')
  await page.page.getByText('With a text').click()
  await page.page.getByText(/will learn your phone number/).waitFor()
  await page.send(NUMBER)
  assert.ok((await page.back()).code)
  await page.close(/status of 4\d\d/)
})

pageTest('registered phone logs in, and the site learns its user', async (own) => {
  const client = await start(own, 'code,text')
  await registerPhone(own, USER)
  const { state, url, verifier } = client.url()
  const page = await openAuthorize(own, url)
  await page.page.getByText(/will learn which user of demo you are/).waitFor()
  const radios = page.page.getByRole('radio')
  assert.deepEqual(await radios.evaluateAll((all) => all.map(({ value }) => value)), ['code', 'text'])
  const shown = await link(page)
  await assertAccessible(page.page, 'the page with a code')
  await keep(page.page, 'openid-code')
  await phone(own, shown, '--public-user-id', USER, '--confirm')
  const { code, iss, state: returned } = await page.back()
  assert.deepEqual({ iss, returned }, { iss: own.server.url, returned: state })
  const token = await claims(own, { code, verifier, callback: client.callback })
  assert.equal(token.sub, USER)
  assert.deepEqual(token.amr, ['swk'])
  assert.equal(token.acr, 'urn:countersign:key')
  assert.equal(token.phone_number, undefined)
  await page.close()
})

pageTest('site chooses the login by code, which has no text beside it', async (own) => {
  const client = await start(own, 'text,code')
  await registerPhone(own, USER)
  const { url, verifier } = client.url({ acr_values: 'urn:countersign:key', scope: 'openid' })
  const page = await openAuthorize(own, url, devices['Pixel 7'])
  const shown = await link(page)
  assert.equal(await page.page.locator('countersign-phone').count(), 0)
  await fits(page.page)
  await keep(page.page, 'openid-code-phone')
  await phone(own, shown, '--public-user-id', USER, '--confirm')
  const { code } = await page.back()
  assert.equal((await claims(own, { code, verifier, callback: client.callback })).sub, USER)
  await page.close()
})

pageTest('denying on the phone goes back with an error', async (own) => {
  const client = await start(own, 'code')
  const { state, url } = client.url()
  const page = await openAuthorize(own, url)
  await phone(own, await link(page), '--deny')
  const { error, iss, state: returned } = await page.back()
  assert.deepEqual({ error, iss, returned }, { error: 'access_denied', iss: own.server.url, returned: state })
  await page.close()
})

pageTest('cancelling ends the code that a phone could still open', async (own) => {
  const client = await start(own, 'code')
  const page = await openAuthorize(own, client.url().url)
  const shown = await link(page)
  await page.press(`Cancel and go back to ${new URL(client.callback).host}`)
  assert.equal((await page.back()).error, 'access_denied')
  const id = new URL(shown).searchParams.get('sessionId')
  const { status, text } = await ask(`${own.server.url}/qr-sessions/${id}`, { headers: { 'x-api-key': own.server.demo.apiKey } })
  assert.equal(status, 200, text)
  assert.equal(JSON.parse(text).state, 'cancelled')
  await page.close()
})

pageTest('reload keeps the code that a phone may already have opened', async (own) => {
  const client = await start(own, 'code')
  await registerPhone(own, USER)
  const { url, verifier } = client.url()
  const page = await openAuthorize(own, url)
  const shown = await link(page)
  await page.page.reload()
  assert.equal(await link(page), shown)
  await phone(own, shown, '--public-user-id', USER, '--confirm')
  const { code } = await page.back()
  assert.equal((await claims(own, { code, verifier, callback: client.callback })).sub, USER)
  await page.close()
})

pageTest('choice is made with the keyboard, and a reload keeps it', async (own) => {
  const client = await start(own, 'text,code')
  const page = await openAuthorize(own, client.url().url)
  await page.text()
  await page.page.keyboard.press('Tab')
  assert.equal(await page.page.evaluate(() => document.activeElement.value), 'text')
  await page.page.keyboard.press('ArrowRight')
  await link(page)
  await page.page.getByText(/will learn which user of demo you are/).waitFor()
  await page.page.reload()
  await link(page)
  assert.ok(await page.page.getByRole('radio', { name: 'With the app' }).isChecked())
  await page.close()
})

pageTest('page with both ways has one height in all states', async (own) => {
  const client = await start(own, 'code,text')
  for (const [name, options] of [['desktop', {}], ['phone', devices['Pixel 7']]]) {
    const page = await openAuthorize(own, client.url().url, options)
    const height = () => page.page.evaluate(() => document.documentElement.scrollHeight)
    await link(page)
    const heights = { code: await height() }
    await page.page.getByText('With a text').click()
    await page.text()
    heights.text = await height()
    await fits(page.page)
    await keep(page.page, `openid-both-${name}`)
    for (const scene of ['leaving', 'expired', 'over', 'unknown', 'failed']) {
      await page.page.evaluate((scene) => {
        document.querySelector('main').dataset.shown = scene
        for (const section of document.querySelectorAll('[data-scene]')) section.classList.toggle('off', section.dataset.scene !== scene)
      }, scene)
      heights[scene] = await height()
    }
    assert.equal(new Set(Object.values(heights)).size, 1, `${name}: ${JSON.stringify(heights)}`)
    await page.close()
  }
})
