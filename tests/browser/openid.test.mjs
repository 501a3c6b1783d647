// The page of the OpenID provider, with the real server, its simulated texts and the test phone.

import assert from 'node:assert/strict'

import { devices } from 'playwright-core'

import { claims, NUMBER, openAuthorize, startClient } from './support/authorize.mjs'
import { keep } from './support/page.mjs'
import { overTheServer } from './support/suite.mjs'

const pageTest = overTheServer()

pageTest('text logs in, and the site learns the number', async (own) => {
  const client = await startClient(own)
  const { state, url, verifier } = client.url()
  const page = await openAuthorize(own, url)
  await page.page.getByText(/^localhost:\d+ will learn your phone number\.$/).waitFor()
  await page.send()
  const { code, iss, state: returned } = await page.back()
  assert.deepEqual({ iss, returned }, { iss: own.server.url, returned: state })
  const token = await claims(own, { code, verifier, callback: client.callback })
  assert.equal(token.phone_number, NUMBER)
  assert.deepEqual(token.amr, ['sms'])
  // The page took its own place in the history.
  await page.page.goBack()
  assert.equal(page.page.url(), 'about:blank')
  await page.close()
})

pageTest('site that did not ask for the number is said not to learn it', async (own) => {
  const client = await startClient(own)
  const { url, verifier } = client.url({ scope: 'openid' })
  const page = await openAuthorize(own, url)
  await page.page.getByText(/will not learn your phone number/).waitFor()
  await page.send()
  const { code } = await page.back()
  const token = await claims(own, { code, verifier, callback: client.callback })
  assert.equal(token.phone_number, undefined)
  await page.close()
})

pageTest('number that the site names has to send the text', async (own) => {
  const client = await startClient(own)
  const { url, verifier } = client.url({ login_hint: `tel:${NUMBER}` })
  const page = await openAuthorize(own, url, devices['Pixel 7'])
  await page.page.getByText(/^Send the text from the phone with the number \+1 .*00\.$/).waitFor()
  assert.ok(!(await page.page.content()).includes(NUMBER), 'the page has the whole number')
  const text = await page.text()
  await page.send('+12025550101', text)
  await page.page.getByText('The text came from another number. Send it from the right phone.').waitFor()
  await keep(page.page, 'openid-wrong-number')
  await page.send(NUMBER, text)
  const { code } = await page.back()
  assert.equal((await claims(own, { code, verifier, callback: client.callback })).phone_number, NUMBER)
  await page.close()
})

pageTest('cancelling goes back with an error', async (own) => {
  const client = await startClient(own)
  const { state, url } = client.url()
  const page = await openAuthorize(own, url)
  await page.text()
  await page.press(`Cancel and go back to ${new URL(client.callback).host}`)
  const { error, iss, state: returned } = await page.back()
  assert.deepEqual({ error, iss, returned }, { error: 'access_denied', iss: own.server.url, returned: state })
  await page.close()
})

pageTest('reload keeps the text that may already have been sent', async (own) => {
  const client = await startClient(own)
  const page = await openAuthorize(own, client.url().url)
  const before = await page.text()
  await page.page.reload()
  assert.deepEqual(await page.text(), before)
  await page.send(NUMBER, before)
  assert.ok((await page.back()).code)
  await page.close()
})

pageTest('two tabs log in independently', async (own) => {
  const client = await startClient(own)
  const [one, two] = [client.url(), client.url()]
  const first = await openAuthorize(own, one.url)
  const opened = await first.page.context().newPage()
  await opened.goto(two.url)
  const second = Object.assign(Object.create(Object.getPrototypeOf(first)), first, { page: opened })
  const [text, other] = [await first.text(), await second.text()]
  assert.notEqual(text.message, other.message)
  await second.send(NUMBER, other)
  assert.equal((await second.back()).state, two.state)
  await first.send(NUMBER, text)
  assert.equal((await first.back()).state, one.state)
  await first.close()
})

pageTest('form of another site does not end the login in another tab', async (own) => {
  const client = await startClient(own)
  const [one, two] = [client.url(), client.url()]
  const first = await openAuthorize(own, one.url)
  const text = await first.text()
  const opened = await first.page.context().newPage()
  const address = new URL(two.url)
  const fields = [...address.searchParams].map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
  const form = `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Shop</title>
    <form method="post" action="${address.origin}/authorize">${fields.join('')}<button>Log in</button></form>`
  // Another host, and so another site.
  await opened.goto(own.site.put(form).replace('localhost', '127.0.0.1'))
  await opened.getByRole('button', { name: 'Log in' }).click()
  const second = Object.assign(Object.create(Object.getPrototypeOf(first)), first, { page: opened })
  const other = await second.text()
  assert.equal(new URL(opened.url()).searchParams.get('state'), two.state)
  await first.send(NUMBER, text)
  assert.equal((await first.back()).state, one.state)
  await second.send(NUMBER, other)
  assert.equal((await second.back()).state, two.state)
  await first.close()
})

pageTest('button for back leads to a new request, also after the login', async (own) => {
  const client = await startClient(own)
  const page = await openAuthorize(own, client.url().url)
  await page.text()
  await page.page.goto(client.callback)
  await page.page.goBack()
  await page.send()
  assert.ok((await page.back()).code)
  await page.close()
})

pageTest('page ends after five minutes, and starts again', async (own) => {
  const client = await startClient(own)
  const page = await openAuthorize(own, client.url().url, { prepare: (page) => page.clock.install() })
  const { message } = await page.text()
  await page.page.clock.fastForward('05:01')
  // A text may be on its way.
  await page.page.getByText('Time is up. Checking whether your text arrived…').waitFor()
  await page.page.clock.fastForward('00:31')
  await page.sees('Your five minutes are over')
  assert.equal(await page.page.evaluate(() => document.activeElement.localName), 'h2')
  await keep(page.page, 'openid-expired')
  await page.press('Start again')
  const again = await page.text()
  assert.notEqual(again.message, message)
  await page.send(NUMBER, again)
  assert.ok((await page.back()).code)
  await page.close()
})

pageTest('page that is over still goes back to the site', async (own) => {
  const client = await startClient(own)
  const page = await openAuthorize(own, client.url().url, { prepare: (page) => page.clock.install() })
  await page.text()
  await page.page.clock.fastForward('06:02')
  await page.sees('Your five minutes are over')
  await page.press(`Cancel and go back to ${new URL(client.callback).host}`)
  assert.equal((await page.back()).error, 'access_denied')
  await page.close()
})
