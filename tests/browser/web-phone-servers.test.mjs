// A phone without an app, and the servers of a shop with the libraries for Node.js, Python and Go: each sets a phone up, starts a
// payment, and judges the proofs that the page on the phone has made.

import assert from 'node:assert/strict'

import { openLogin } from './support/login.mjs'
import { ALGORITHMS, openPhone } from './support/phone-fake.mjs'
import { SHOPS, startShopIn } from './support/shops.mjs'
import { pageWith } from './support/site.mjs'
import { overTheServer } from './support/suite.mjs'
import { skipped } from './support/tools.mjs'
import { App } from './support/web-phone.mjs'

const BLANK = '<!doctype html><title>A page</title><link rel="icon" href="data:,">'
const PAYMENT = 'Pay 49 EUR\nto Bücher GmbH'
const overServer = overTheServer()
let users = 0

/** Declares a test for each language and each kind of key, which is called with a shop and a phone. */
function shopsTest(name, run) {
  for (const [language, { missing }] of Object.entries(SHOPS)) {
    for (const kind of ['browser', 'passkey']) {
      const title = `${language} server, ${kind} key: ${name}`
      overServer(title, async (all) => {
        const lack = missing()
        if (lack) return skipped(title, lack)
        const app = new App(all)
        await app.settings('--web-phone', 'on', '--web-phone-key', 'any')
        const shop = await startShopIn(language, all)
        try {
          await run({ ...all, app, shop, kind, user: `zoe-${users += 1}` })
        } finally {
          await shop.stop()
        }
      })
    }
  }
}

const tap = (phone, action) => phone.page.locator(`[data-scene]:not(.off) [data-action=${action}]`).click()

/** Sets a phone up with the shop's server. Returns the phone, the registration and what the webhook said. */
async function setUp(own, user = own.user) {
  const registration = await own.shop.call('/register', { publicUserId: user, label: 'Zoe' })
  const { app, browser, kind, server, site } = own
  const phone = await openPhone(browser, [app.linkHost, server.url, site.url], { passkeys: kind === 'passkey' })
  await phone.page.goto(registration.url)
  for (const action of ['begin', 'make', 'try']) await tap(phone, action)
  await phone.page.locator('main[data-shown=digits]').waitFor()
  await app.sendDigits(registration, await phone.page.locator('[data-field=digits]').innerText())
  await phone.page.locator('main[data-shown=done]').waitFor()
  return { phone, registration, event: await own.shop.says('phone') }
}

/** Opens a link on the phone, and confirms. */
async function confirm(phone, link) {
  await phone.page.goto(link)
  await phone.page.locator('main[data-shown=ask]').waitFor()
  await phone.page.locator('.scroll').evaluate((part) => { part.scrollTop = part.scrollHeight })
  await phone.page.locator('[data-action=confirm]:enabled').click()
  await phone.sees('You have confirmed')
}

const pay = ({ shop, site, user }) => shop.call('/start', { origin: site.url, context: PAYMENT, userId: user })

shopsTest('phone is set up, and pays 49 EUR once', async (own) => {
  const { app, browser, kind, server, shop, site, user } = own
  const { phone, registration, event } = await setUp(own)
  const { registrationId } = registration
  assert.deepEqual([event.id, event.user, event.kind], [registrationId, user, kind])
  const found = await shop.call('/registration', { id: registrationId })
  assert.deepEqual([found.state, found.keyId, found.kind], ['completed', event.keyId, kind])
  // The link is used up.
  const other = await openPhone(browser, [app.linkHost, server.url])
  await other.page.goto(registration.url)
  await tap(other, 'begin')
  await other.sees('Another phone has opened this link')
  await other.close(/status of 409/)

  const approved = { status: 'approved', userId: user, keyId: event.keyId, context: PAYMENT, origin: site.url }
  const { id, session } = await pay(own)
  await phone.page.goto(session.url)
  await phone.page.locator('[data-field=context]').getByText('Pay 49 EUR').waitFor()
  await confirm(phone, session.url)
  assert.deepEqual(await shop.says('approval'), { event: 'approval', id, ...approved })
  assert.equal((await shop.call('/result', { id })).status, 'already_reported')

  // From now on, only the shop's question tells.
  await shop.getsWebhooks(false)
  const second = await pay(own)
  assert.equal((await shop.call('/result', { id: second.id })).status, 'pending')
  await confirm(phone, second.session.url)
  assert.deepEqual(picked(await shop.call('/result', { id: second.id }), approved), approved)
  assert.equal((await shop.call('/result', { id: second.id })).status, 'already_reported')

  // A key that was revoked before the shop asked approves nothing.
  const late = await pay(own)
  await confirm(phone, late.session.url)
  await app.api('DELETE', `/association-keys/${event.keyId}`)
  const { status, reason } = await shop.call('/result', { id: late.id })
  assert.deepEqual([status, reason], ['denied', 'unverified'])
  await phone.close(ALGORITHMS)
})

/** Returns the members of an object that another one has. */
const picked = (all, { ...wanted }) => Object.fromEntries(Object.keys(wanted).map((name) => [name, all[name]]))

shopsTest('proof by the page counts for one payment or login, one key and one page', async (own) => {
  const { app, kind, shop, site, user } = own
  const { phone, event } = await setUp(own)
  const yan = await setUp(own, `yan-${user}`)
  await shop.getsWebhooks(false)
  const [first, second] = [await pay(own), await pay(own)]
  await confirm(phone, first.session.url)
  const { proof } = await app.api('GET', `/qr-sessions/${first.id}`)
  const keyOf = async (owner) => ({ ...(await app.keysOf(owner))[0], userId: owner })
  const key = await keyOf(user)
  const asked = { sessionId: first.id, proof, origin: site.url, context: PAYMENT }
  const proven = { userId: user, keyId: event.keyId }
  assert.deepEqual(await shop.call('/verify', asked), proven)
  assert.deepEqual(await shop.call('/verify', { ...asked, keys: [key] }), proven)
  const refuses = async (changed, reason) => {
    const { refused } = await shop.call('/verify', { ...asked, ...changed })
    assert.match(refused ?? 'not refused', reason, JSON.stringify(changed))
  }
  await refuses({ context: 'Pay 48 EUR\nto Bücher GmbH' }, /another context/)
  await refuses({ sessionId: second.id }, /another session/)
  await refuses({ origin: 'https://evil.example' }, /another origin|audience|not valid/i)
  await refuses({ keys: [await keyOf(`yan-${user}`)] }, /key is unknown/)
  await refuses({ keys: [{ ...key, userId: `yan-${user}` }] }, /another user/)
  const otherKind = { kind: kind === 'browser' ? 'passkey' : 'browser', rpId: 'localhost', origin: app.linkHost }
  await refuses({ keys: [{ ...key, ...otherKind }] }, /another form/)
  if (kind === 'passkey') {
    await refuses({ keys: [{ ...key, rpId: 'evil.example' }] }, /another domain/)
    await refuses({ keys: [{ ...key, origin: 'https://evil.example' }] }, /another page/)
    // A page that the link host would let other sites frame.
    const page = `${app.linkHost}/framed`
    await phone.page.route(page, (route) => route.fulfill({ contentType: 'text/html', body: BLANK }))
    assert.deepEqual(await shop.call('/verify', { ...asked, proof: await signOnPage(phone, page, proof) }), proven)
    await refuses({ proof: await signInFrame(own, phone, page, proof) }, /in a frame/)
    await refuses({ proof: await signOnPage(phone, site.put(BLANK), proof) }, /another page/)
  }
  await yan.phone.close(ALGORITHMS)
  await assertLoginsCount(own, phone, event.keyId)
  await phone.close(ALGORITHMS)
})

/** Lets the phone's passkey sign the claims of a proof in a page or frame. Returns the new proof. */
async function signIn(frame, phone, proof) {
  const [{ credentialId }] = await phone.credentials()
  const [head, claims] = proof.split('.')
  const parts = await frame.evaluate(async ([input, id]) => {
    const bytes = (base64) => Uint8Array.from(atob(base64.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
    const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
    const label = new TextEncoder().encode(`countersign/webauthn/1\0${input}`)
    const challenge = await crypto.subtle.digest('SHA-256', label)
    const { response } = await navigator.credentials.get({
      publicKey: { challenge, rpId: 'localhost', allowCredentials: [{ type: 'public-key', id: bytes(id) }], userVerification: 'required' },
    })
    return [response.authenticatorData, response.clientDataJSON, response.signature].map(text)
  }, [`${head}.${claims}`, credentialId])
  return [head, claims, ...parts].join('.')
}

/** Lets a page use the passkey: of the link host, or one that only shares its domain. */
async function signOnPage(phone, url, proof) {
  await phone.page.goto(url)
  return signIn(phone.page, phone, proof)
}

/** Lets a page use the passkey in another site's frame. */
async function signInFrame({ site }, phone, url, proof) {
  await phone.page.goto(site.put(`${BLANK}<iframe src="${url}" allow="publickey-credentials-get *"></iframe>`))
  return signIn(phone.page.frames().find((frame) => frame.url() === url), phone, proof)
}

/** Logs in twice on the shop's page. Each login counts once, and only with its own proof. */
async function assertLoginsCount(own, phone, keyId) {
  const { app, browser, server, shop, site, user } = own
  const details = []
  for (let count = 0; count < 2; count += 1) {
    const login = await openLogin(browser, server, site.put(pageWith(server)))
    await confirm(phone, await login.shownLink())
    await login.gets('scanned')
    details.push(await login.getsConfirmed())
    await login.close()
  }
  const [detail, next] = details
  const status = async (body, origin = site.url) => (await shop.post('/login', body, { origin })).status
  assert.equal(await status(detail, 'https://evil.example'), 403)
  assert.equal(await status({ ...detail, payload: 'another' }), 403)
  assert.equal(await status({ ...next, proof: detail.proof }), 403)
  const answer = await shop.post('/login', detail, { origin: site.url })
  assert.deepEqual([answer.status, answer.json()], [200, { userId: user, keyId }])
  assert.equal(await status(detail), 403)
  await app.api('DELETE', `/association-keys/${keyId}`)
  assert.equal(await status(next), 403)
}
