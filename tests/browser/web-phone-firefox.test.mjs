// A phone without an app whose browser is Firefox.

import assert from 'node:assert/strict'

import { startFirefox } from './support/firefox.mjs'
import { CONTEXT, confirm, testsIn } from './support/other-phones.mjs'
import { failSlowly } from './support/phone-fake.mjs'
import { firefox } from './support/tools.mjs'
import { App } from './support/web-phone.mjs'

const phoneTest = testsIn({ name: 'Firefox', missing: () => !firefox() && 'no Firefox', start: startFirefox })

const AUTHENTICATOR = {
  protocol: 'ctap2_1', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserConsenting: true, isUserVerified: true,
}

/** Firefox on Linux refuses authenticators that are built in, although its virtual one is. */
function acceptAnyAuthenticator() {
  const { create } = CredentialsContainer.prototype
  CredentialsContainer.prototype.create = function ({ publicKey: { authenticatorSelection: { authenticatorAttachment, ...selection }, ...rest } }) {
    return create.call(this, { publicKey: { ...rest, authenticatorSelection: selection } })
  }
}

phoneTest('passkey is set up, and approves 49 EUR of a user who is verified', async (all) => {
  const { phone, site } = all
  const app = new App(all)
  await app.settings('--web-phone', 'on', '--web-phone-key', 'passkey')
  const authenticatorId = await phone.send('WebAuthn:AddVirtualAuthenticator', AUTHENTICATOR)
  const registration = await app.register('pia')
  await phone.open(registration.url)
  await phone.tap('begin')
  await phone.shows('account')
  assert.equal(await phone.text('[data-kind]:not(.off)'), 'Your phone will offer to save a passkey. From then on, you confirm by unlocking the phone.')
  await phone.evaluate(acceptAnyAuthenticator)
  for (const action of ['make', 'try']) await phone.tap(action)
  await phone.shows('digits')
  await app.sendDigits(registration, await phone.text('[data-field=digits]'))
  await phone.shows('done')
  const [key] = await app.keysOf('pia')
  assert.deepEqual([key.kind, key.rpId, key.origin], ['passkey', 'localhost', app.linkHost])

  const start = () => app.countersign.approvals.start({ origin: site.url, context: CONTEXT, userId: 'pia' })
  const { id, session } = await start()
  await phone.open(session.url)
  // Another test has set this phone up for another user.
  await phone.click('[data-list=accounts] button:first-child')
  await confirm(phone)
  await phone.shows('confirmed')
  const result = await app.countersign.approvals.result(id)
  assert.deepEqual([result.status, result.userId, result.context, result.keyId], ['approved', 'pia', CONTEXT, key.keyId])

  const { session: next } = await start()
  await phone.send('WebAuthn:SetUserVerified', { authenticatorId, isUserVerified: false })
  await phone.open(next.url)
  await phone.click('[data-list=accounts] button:first-child')
  await phone.shows('ask')
  await phone.evaluate(failSlowly)
  await confirm(phone)
  await phone.until('the refusal', () => document.querySelector('[data-scene=ask] [data-field=status]').innerText === 'Unlock your phone and try again.')
  await phone.send('WebAuthn:RemoveVirtualAuthenticator', { authenticatorId })
  assert.deepEqual(await phone.faults(), [])
})
