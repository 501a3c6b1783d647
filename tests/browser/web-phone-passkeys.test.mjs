// Passkeys that cannot be made or used, on a link host under the tests' control, with virtual authenticators.

import assert from 'node:assert/strict'

import { assertAccessible } from './support/axe.mjs'
import { keep } from './support/page.mjs'
import { ALGORITHMS, openPhone, overTheHost } from './support/phone-fake.mjs'

const passkeyTest = overTheHost()

/** Opens the link, and goes on to the account. */
async function begin({ browser, host }, options) {
  const phone = await openPhone(browser, [host.url], options)
  await phone.page.goto(host.setupLink)
  await phone.press('Continue')
  return phone
}

/** Sets the phone up with a passkey. */
async function setUp(own, options) {
  const phone = await begin(own, options)
  for (const action of ['make', 'try']) await phone.page.locator(`[data-scene]:not(.off) [data-action=${action}]`).click()
  await phone.page.locator('main[data-shown=digits]').waitFor()
  own.host.setup.state = 'completed'
  await phone.sees('This phone is set up')
  return phone
}

/** Reads the question to its end, and confirms. */
async function confirm({ page }) {
  await page.locator('main[data-shown=ask]').waitFor()
  await page.locator('.scroll').evaluate((part) => { part.scrollTop = part.scrollHeight })
  await page.locator('[data-action=confirm]:enabled').click()
}

const confirmations = ({ seen }) => seen.filter(({ path }) => path.endsWith('/confirm')).length

passkeyTest('user who is not verified confirms nothing, and can confirm or deny later', async (own) => {
  const { host } = own
  host.login = { context: 'Pay 49 EUR' }
  const phone = await setUp(own, { patient: true })
  await phone.page.goto(host.link)
  await phone.verifies(false)
  await confirm(phone)
  await phone.page.locator('[data-scene=ask]').getByText('Unlock your phone and try again.').waitFor()
  assert.equal(confirmations(host), 0)
  assert.ok(await phone.page.getByRole('button', { name: 'Deny' }).isEnabled())
  await assertAccessible(phone.page, 'not verified')
  await keep(phone.page, 'web-phone-not-verified', { fullPage: false })
  await phone.verifies(true)
  await confirm(phone)
  await phone.sees('You have confirmed')
  assert.equal(confirmations(host), 1)
  await phone.close(ALGORITHMS)
})

passkeyTest('dialogue that the user leaves open holds the answer back', async (own) => {
  const { host } = own
  const phone = await setUp(own)
  await phone.page.goto(host.link)
  await phone.taps(false)
  await confirm(phone)
  await phone.page.locator('[data-scene=ask]').getByText('Sending your answer').waitFor()
  assert.equal(confirmations(host), 0)
  await phone.press('Cancel')
  await phone.sees('You have not decided')
  await phone.taps(true)
  await phone.page.reload()
  await confirm(phone)
  await phone.sees('You have confirmed')
  assert.equal(confirmations(host), 1)
  await phone.close(ALGORITHMS)
})

passkeyTest('passkey that was deleted in the phone’s settings', async (own) => {
  const { host } = own
  const phone = await setUp(own)
  await phone.forget()
  await phone.page.goto(host.link)
  await confirm(phone)
  await phone.sees('Open this link in your browser')
  assert.equal(confirmations(host), 0)
  await phone.close(ALGORITHMS)
})

passkeyTest('phone that has a passkey of the account already', async (own) => {
  const { host } = own
  const phone = await setUp(own)
  const [{ credentialId }] = await phone.credentials()
  host.setup = { state: 'created', key: 'any', user: 'zoe', digits: '42', excluded: [Buffer.from(credentialId, 'base64').toString('base64url')] }
  await phone.page.goto('about:blank')
  await phone.page.goto(host.setupLink)
  await phone.press('Continue')
  await phone.press('Set up this phone')
  await phone.sees('This phone is already set up')
  assert.equal((await phone.credentials()).length, 1)
  await assertAccessible(phone.page, 'exists')
  await keep(phone.page, 'web-phone-exists')
  await phone.close(ALGORITHMS)
})

passkeyTest('phone without a screen lock keeps a key of the browser', async (own) => {
  const authenticator = { hasUserVerification: false, isUserVerified: false }
  const phone = await begin(own, { authenticator })
  await phone.page.getByText('This works only in this browser. If its data is deleted, set this phone up again.').waitFor()
  await phone.press('Set up this phone')
  await phone.press('Try it once')
  await phone.sees(/^Type these two digits/)
  assert.deepEqual(await phone.credentials(), [])
  await phone.close()
  own.host.setup = { state: 'created', key: 'passkey', user: 'zoe', digits: '42' }
  const other = await begin(own, { authenticator })
  await other.sees('Shop only accepts passkeys')
  await other.close()
})

passkeyTest('browser whose passkeys are not discoverable makes none', async (own) => {
  const phone = await begin(own, { authenticator: { hasResidentKey: false, defaultBackupEligibility: false, defaultBackupState: false } })
  await phone.press('Set up this phone')
  await phone.sees('Open this link in your browser')
  assert.deepEqual(await phone.credentials(), [])
  assert.ok(!own.host.seen.some(({ path }) => path.endsWith('/sign')))
  await phone.close(ALGORITHMS)
})
