// The page that asks for a confirmation, on a link host under the tests' control, with a virtual authenticator.

import assert from 'node:assert/strict'

import { assertAccessible } from './support/axe.mjs'
import { fits, keep } from './support/page.mjs'
import { ALGORITHMS, openPhone, overTheHost } from './support/phone-fake.mjs'

const confirmTest = overTheHost()

const PAYMENT = 'Pay 49 EUR\nto Bücher GmbH\nOrder 1234'
const FLAGS = [
  { code: 'same_network', severity: 'info', text: 'The browser and this phone use the same network.' },
  { code: 'countries_differ', severity: 'warn', text: 'The browser is in another country than this phone.' },
]

/** Sets the phone up for each of these users. */
async function setUp({ browser, host }, users = ['zoe'], options = {}) {
  const phone = await openPhone(browser, [host.url, 'https://shop.example'], options)
  const { page } = phone
  for (const user of users) {
    host.setup = { state: 'created', key: 'any', user, digits: '42' }
    await page.goto('about:blank')
    await page.goto(host.setupLink)
    for (const action of ['begin', 'make', 'try']) await page.locator(`[data-scene]:not(.off) [data-action=${action}]`).click()
    await page.locator('main[data-shown=digits]').waitFor()
    host.setup.state = 'completed'
    await page.locator('main[data-shown=done]').waitFor()
  }
  host.seen.length = 0
  return phone
}

const scroll = (phone) => phone.page.locator('.scroll').evaluate((part) => { part.scrollTop = part.scrollHeight })
const confirmButton = (phone) => phone.page.getByRole('button', { name: 'Confirm', exact: true })

/** Waits until the user may confirm, and confirms. */
async function confirm(phone) {
  await phone.page.locator('main[data-shown=ask]').waitFor()
  await scroll(phone)
  await phone.page.locator('[data-action=confirm]:enabled').click()
}

confirmTest('payment is confirmed with a passkey after its end was seen', async (own) => {
  const { host } = own
  host.login = { context: PAYMENT, flags: FLAGS }
  const phone = await setUp(own)
  await phone.page.goto(host.link)
  await phone.sees('Approve a request of shop.example?')
  await phone.page.getByText('Scroll to the end to confirm.').waitFor()
  assert.ok(await confirmButton(phone).isDisabled())
  for (const line of [...PAYMENT.split('\n'), 'https://shop.example', 'Firefox on Linux', ...FLAGS.map(({ text }) => text)]) {
    assert.ok((await phone.page.locator('.scroll').innerText()).replaceAll('\n', '').includes(line.replaceAll('\n', '')), line)
  }
  await confirm(phone)
  await phone.sees('You have confirmed')
  const { body } = host.seen.at(-1)
  assert.ok(body.encrypted)
  const [head, , , client] = body.proof.split('.')
  assert.match(Buffer.from(head, 'base64url').toString(), /^\{"alg":"WebAuthn-ES256","kid":"[\w-]{43}","typ":"countersign-login\+webauthn"\}$/)
  assert.equal(JSON.parse(Buffer.from(client, 'base64url')).origin, host.url)
  await phone.close(ALGORITHMS)
})

confirmTest('question waits a second, and again when the page was hidden, covered or resized', async (own) => {
  const phone = await setUp(own)
  await phone.page.clock.install()
  await phone.page.goto(own.host.link)
  await phone.sees('Log in to shop.example?')
  await scroll(phone)
  await phone.page.getByText('You can confirm in a moment.').waitFor()
  assert.ok(await confirmButton(phone).isDisabled())
  await phone.page.clock.runFor(1_001)
  assert.ok(await confirmButton(phone).isEnabled())
  for (const [name, isOfWindow] of [['visibilitychange', false], ['focus', true]]) {
    await phone.page.evaluate(([name, isOfWindow]) => (isOfWindow ? window : document).dispatchEvent(new Event(name)), [name, isOfWindow])
    assert.ok(await confirmButton(phone).isDisabled(), name)
    await phone.page.clock.runFor(1_001)
    assert.ok(await confirmButton(phone).isEnabled())
  }
  await phone.page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  assert.ok(await confirmButton(phone).isDisabled())
  await phone.page.clock.runFor(1_001)
  await phone.page.setViewportSize({ width: 400, height: 700 })
  await phone.page.getByText('You can confirm in a moment.').waitFor()
  await phone.close(ALGORITHMS)
})

confirmTest('user denies, cancels and looks again', async (own) => {
  const { host } = own
  const phone = await setUp(own)
  await phone.page.goto(host.link)
  await phone.press('Cancel')
  await phone.sees('You have not decided')
  assert.deepEqual(host.seen.filter(({ path }) => path.startsWith('/qr-sessions/')).map(({ path }) => path.split('/').at(-1)), ['initiate'])
  await phone.press('Look at it again')
  await phone.press('Deny')
  await phone.sees('You have denied')
  assert.deepEqual([host.seen.at(-1).path.split('/').at(-1), host.seen.at(-1).body], ['deny', { payload: '' }])
  await phone.close(ALGORITHMS)
})

confirmTest('risk that is too high only lets the user deny', async (own) => {
  own.host.login = { risk: 'deny', flags: [{ code: 'browser_attacker', severity: 'deny', text: 'The browser uses an address that attacks have come from.' }] }
  const phone = await setUp(own)
  await phone.page.goto(own.host.link)
  await phone.page.getByText('This login cannot be confirmed, because the risk is too high.').waitFor()
  assert.ok(!await phone.page.locator('[data-action=confirm]').isVisible())
  await assertAccessible(phone.page, 'danger')
  await keep(phone.page, 'web-phone-danger')
  await phone.close(ALGORITHMS)
})

confirmTest('check code is shown, and a site returned to', async (own) => {
  const { host } = own
  host.login = { checkCode: '07' }
  const phone = await setUp(own)
  await phone.page.goto(host.link)
  await confirm(phone)
  await phone.sees('Type this code at the browser:')
  assert.equal(await phone.page.locator('[data-field=check_code]').innerText(), '07')
  host.login = { context: 'Another one', returnUrl: 'https://shop.example/login#countersign=token' }
  await phone.page.route('https://shop.example/**', (route) => route.fulfill({ body: 'the shop', contentType: 'text/html' }))
  await phone.page.goto(host.link)
  await confirm(phone)
  await phone.page.waitForURL('https://shop.example/login#countersign=token')
  await phone.close(ALGORITHMS)
})

confirmTest('tab that was discarded resumes the same login, also after its answer', async (own) => {
  const { host } = own
  const phone = await setUp(own)
  await phone.page.goto(host.link)
  await phone.sees('Log in to shop.example?')
  await phone.page.reload()
  await phone.sees('Log in to shop.example?')
  const tokens = new Set(host.seen.filter(({ path }) => path.endsWith('/initiate')).map(({ token }) => token))
  assert.equal(tokens.size, 1)
  await confirm(phone)
  await phone.sees('You have confirmed')
  await phone.page.reload()
  await phone.sees('You have confirmed')
  const sent = host.seen.filter(({ path }) => path.endsWith('/confirm')).map(({ body }) => JSON.stringify(body))
  assert.equal(new Set(sent).size, 1)
  await phone.close(ALGORITHMS)
})

confirmTest('one of several users is chosen', async (own) => {
  const phone = await setUp(own, ['zoe', 'yan'])
  await phone.page.goto(own.host.link)
  await phone.sees('Which account?')
  assert.deepEqual(own.host.seen.filter(({ path }) => path.startsWith('/qr-sessions')), [])
  await assertAccessible(phone.page, 'accounts')
  await phone.press('yan')
  await phone.sees('Log in to shop.example?')
  assert.equal(own.host.seen.at(-1).body.publicUserId, 'yan')
  await phone.page.reload()
  await phone.sees('Log in to shop.example?')
  await phone.close(ALGORITHMS)
})

confirmTest('phone that is not set up opens nothing, and says where to set it up', async (own) => {
  const { browser, host } = own
  const phone = await openPhone(browser, [host.url])
  await phone.page.goto(host.link)
  await phone.sees('This phone is not set up for Shop')
  assert.equal(await phone.page.getByRole('link', { name: 'Set up this phone' }).getAttribute('href'), 'https://shop.example/phones')
  assert.deepEqual(host.seen.filter(({ path }) => path.startsWith('/qr-sessions')), [])
  await assertAccessible(phone.page, 'no key')
  await keep(phone.page, 'web-phone-no-key')
  await phone.page.goto(`${host.url}/`)
  await phone.sees('Scan a code from Shop')
  await phone.close()
})

confirmTest('passkey outlives the browser’s data', async (own) => {
  const { host } = own
  const phone = await setUp(own)
  const { publicKey } = host.signed
  await phone.page.evaluate(async () => {
    for (const { name } of await indexedDB.databases()) {
      await new Promise((resolve) => { indexedDB.deleteDatabase(name).onsuccess = resolve })
    }
  })
  host.identified = { publicUserId: 'zoe', keyId: 'key', publicKey }
  await phone.page.goto(host.link)
  await phone.press('I have set it up before')
  await phone.sees('Log in to shop.example?')
  const { body } = host.seen.find(({ path }) => path === '/passkeys/identify')
  assert.ok(Math.abs(body.at - Date.now()) < 60_000)
  await confirm(phone)
  await phone.sees('You have confirmed')
  host.identified = null
  await phone.close(ALGORITHMS)
})

confirmTest('passkey that the service does not know is not offered again', async (own) => {
  const { host } = own
  const phone = await setUp(own)
  await phone.page.evaluate(async () => {
    for (const { name } of await indexedDB.databases()) {
      await new Promise((resolve) => { indexedDB.deleteDatabase(name).onsuccess = resolve })
    }
  })
  host.interfere = ({ path }, send) => path === '/passkeys/identify' && (send(404, { title: 'No', code: 'passkey_unknown' }), true)
  await phone.page.goto(host.link)
  await phone.press('I have set it up before')
  await phone.page.locator('[data-scene=no_key]').getByText('Shop does not know this passkey. Set this phone up again.').waitFor()
  assert.deepEqual(await phone.credentials(), [])
  await phone.close(ALGORITHMS, /404/)
})

confirmTest('request for another account', async (own) => {
  const { host } = own
  const phone = await setUp(own, ['zoe', 'yan'])
  host.interfere = ({ body, path }, send) => (
    path.endsWith('/initiate') && body.publicUserId === 'zoe' && (send(403, { title: 'No', code: 'user_mismatch' }), true)
  )
  await phone.page.goto(host.link)
  await phone.press('zoe')
  await phone.sees('This request is for another account')
  await phone.page.locator('[data-scene=other_account] dd').getByText('zoe').waitFor()
  await assertAccessible(phone.page, 'another account')
  await fits(phone.page)
  await keep(phone.page, 'web-phone-other-account')
  await phone.press('yan')
  await phone.sees('Log in to shop.example?')
  await phone.close(ALGORITHMS, /403/)
})

confirmTest('login that is over, or whose page was replaced', async (own) => {
  const { host } = own
  const phone = await setUp(own)
  await phone.page.goto(`${host.url}/?sessionId=qrs_${'0'.repeat(32)}`)
  await phone.sees('This cannot be confirmed')
  await phone.page.locator('[data-scene=ended]').getByText('There is no such login, or its code is too old. Scan the code on the screen.').waitFor()
  const real = host.link
  host.interfere = ({ path }, send) => path.endsWith('/initiate') && (send(200, { ...host.opened(), origin: 'https://evil.example' }), true)
  await phone.page.goto(real)
  await phone.page.locator('[data-scene=ended]').getByText('Somebody may be trying to read along. Nothing was sent. Do not log in this way.').waitFor()
  assert.deepEqual(host.seen.at(-1).body, { payload: '', reason: 'key_mismatch' })
  await phone.close(ALGORITHMS, /404/)
})

for (const { colorScheme, font, lang, locale, width } of [
  { lang: 'en', locale: 'en-GB', colorScheme: 'light', width: 390 },
  { lang: 'en', locale: 'en-GB', colorScheme: 'dark', width: 320 },
  { lang: 'de', locale: 'de-DE', colorScheme: 'light', width: 320, font: 200 },
  { lang: 'ar', locale: 'ar-EG', colorScheme: 'light', width: 390 },
  { lang: 'ja', locale: 'ja-JP', colorScheme: 'dark', width: 390 },
]) {
  confirmTest(`question fits: ${lang}, ${colorScheme}, ${width} px${font ? `, letters ${font} %` : ''}`, async (own) => {
    const { host } = own
    const origin = 'https://a-very-long-name-of-a-shop-in-one-single-label.shop.example:8443'
    host.login = { context: PAYMENT, flags: FLAGS, origin }
    host.lang = lang
    const phone = await setUp(own, ['zoe'], { locale, colorScheme, viewport: { width, height: 700 } })
    const { page } = phone
    await page.goto(host.link)
    await page.locator('main[data-shown=ask]').waitFor()
    if (font) await page.evaluate((size) => { document.documentElement.style.setProperty('font-size', `${size}%`); dispatchEvent(new Event('resize')) }, font)
    await fits(page)
    await assertAccessible(page, `question ${lang}`)
    // No line of the address ends inside a name.
    const broken = await page.locator('.address span').evaluateAll((parts) => parts.filter((part) => part.getClientRects().length !== 1).length)
    assert.equal(broken, 0)
    assert.equal(await page.locator('.address').getAttribute('dir'), 'ltr')
    await keep(page, `web-phone-ask-${lang}-${colorScheme}-${width}`, { fullPage: false })
    await scroll(phone)
    await keep(page, `web-phone-ask-${lang}-${colorScheme}-${width}-end`, { fullPage: false })
    await phone.close(ALGORITHMS)
  })
}
