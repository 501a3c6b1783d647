// The page that sets a phone up, on a link host under the tests' control, with a virtual authenticator.

import assert from 'node:assert/strict'

import { assertAccessible } from './support/axe.mjs'
import { fits, keep } from './support/page.mjs'
import { ALGORITHMS, openPhone, overTheHost } from './support/phone-fake.mjs'

const setupTest = overTheHost()

/** Opens the link, and goes on to the account. */
async function begin({ browser, host }, options = {}) {
  const phone = await openPhone(browser, [host.url], options)
  await phone.page.goto(host.setupLink)
  await phone.sees('Set up this phone for Shop')
  assert.ok(!host.seen.some(({ path }) => path.startsWith('/phone-registrations')), 'nothing is consumed before a tap')
  await phone.press('Continue')
  return phone
}

setupTest('passkey is discoverable, and set up once the digits were typed', async (own) => {
  const { host } = own
  host.setup.label = 'zoe@shop.example'
  const phone = await begin(own)
  await phone.sees('Is this your account?')
  await phone.page.getByText('zoe@shop.example').first().waitFor()
  await phone.page.getByText('Your phone will offer to save a passkey. From then on, you confirm by unlocking the phone.').waitFor()
  await phone.press('Set up this phone')
  await phone.sees('Try it once')
  const [credential] = await phone.credentials()
  assert.deepEqual([credential.isResidentCredential, credential.rpId, credential.userName], [true, 'localhost', 'zoe@shop.example'])
  await phone.press('Try it once')
  await phone.sees('Type these two digits where you are logged in to Shop')
  await phone.page.getByText('42').waitFor()
  host.setup.state = 'completed'
  await phone.sees('This phone is set up')
  assert.equal(phone.page.url(), `${host.url}/phone-setup`, 'the secret is not in the history')
  await phone.close(ALGORITHMS)
})

setupTest('tab that was discarded goes on where it was, without another dialogue', async (own) => {
  const phone = await begin(own)
  await phone.press('Set up this phone')
  await phone.sees('Try it once')
  await phone.page.reload()
  await phone.sees('Try it once')
  await phone.press('Try it once')
  await phone.sees(/^Type these two digits/)
  await phone.page.reload()
  await phone.page.getByText('42').waitFor()
  const signed = own.host.seen.filter(({ path }) => path.endsWith('/sign')).map(({ body }) => JSON.stringify(body))
  assert.equal(signed.length, 2)
  assert.equal(signed[0], signed[1])
  await phone.close(ALGORITHMS)
})

setupTest('browser forgets the passkey of a set-up that was cancelled', async (own) => {
  const phone = await begin(own)
  await phone.press('Set up this phone')
  await phone.sees('Try it once')
  assert.equal((await phone.credentials()).length, 1)
  await phone.press('Cancel')
  await phone.sees('This phone was not set up')
  assert.deepEqual(await phone.credentials(), [])
  await phone.close(ALGORITHMS)
})

setupTest('user who is not verified can try again', async (own) => {
  const phone = await begin(own, { patient: true })
  await phone.sees('Is this your account?')
  await phone.verifies(false)
  await phone.press('Set up this phone')
  await phone.page.locator('[data-scene=account]').getByText('Unlock your phone and try again.').waitFor()
  await phone.verifies(true)
  await phone.press('Set up this phone')
  await phone.sees('Try it once')
  await phone.verifies(false)
  await phone.press('Try it once')
  await phone.page.locator('[data-scene=try]').getByText('Unlock your phone and try again.').waitFor()
  await phone.verifies(true)
  await phone.press('Try it once')
  await phone.sees(/^Type these two digits/)
  await phone.close(ALGORITHMS)
})

setupTest('browser that refuses faster than a person is left for another one', async (own) => {
  const phone = await begin(own)
  await phone.sees('Is this your account?')
  await phone.verifies(false)
  await phone.press('Set up this phone')
  await phone.sees('Open this link in your browser')
  assert.equal(await phone.page.locator('[data-scene=in_browser] input').inputValue(), own.host.setupLink)
  await keep(phone.page, 'web-phone-in-browser')
  await phone.close(ALGORITHMS)
})

setupTest('browser without passkeys keeps a key of its own, unless the app demands a passkey', async (own) => {
  const phone = await begin(own, { passkeys: false })
  await phone.page.getByText('This works only in this browser. If its data is deleted, set this phone up again.').waitFor()
  await phone.press('Set up this phone')
  await phone.press('Try it once')
  await phone.sees(/^Type these two digits/)
  const { body } = own.host.seen.at(-1)
  assert.deepEqual(Object.keys(body ?? {}), ['publicKey', 'signature'])
  await phone.close()
})

setupTest('app that demands a passkey says so', async (own) => {
  own.host.setup.key = 'passkey'
  const phone = await begin(own, { passkeys: false })
  await phone.sees('Shop only accepts passkeys')
  await phone.close()
})

setupTest('second phone reads that the link was opened', async (own) => {
  const first = await begin(own)
  await first.sees('Is this your account?')
  own.host.seen.length = 0
  const second = await begin(own)
  await second.sees('Another phone has opened this link')
  await keep(second.page, 'web-phone-opened')
  await Promise.all([first.close(ALGORITHMS), second.close(/409/)])
})

setupTest('window of another app without passkeys offers the link to copy', async (own) => {
  const userAgent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148'
  const phone = await begin(own, { passkeys: false, userAgent, permissions: ['clipboard-read', 'clipboard-write'] })
  await phone.sees('Open this link in your browser')
  await phone.press('Copy the link')
  await phone.page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await phone.page.evaluate(() => navigator.clipboard.readText()), own.host.setupLink)
  await phone.close()
})

setupTest('service that is down or offline can be tried again', async (own) => {
  const phone = await openPhone(own.browser, [own.host.url])
  await phone.page.goto(own.host.setupLink)
  await phone.sees('Set up this phone for Shop')
  await phone.page.context().setOffline(true)
  await phone.press('Continue')
  await phone.sees('That did not work')
  await phone.page.context().setOffline(false)
  await phone.sees('Is this your account?')
  await phone.press('Cancel')
  await phone.sees('This phone was not set up')
  assert.equal(own.host.seen.at(-1).method, 'DELETE')
  await phone.close(ALGORITHMS, /ERR_INTERNET_DISCONNECTED/)
})

for (const { lang, locale, width, app = 'Bücherversand Musterstadt', passkeys = true } of [
  { lang: 'de', locale: 'de-DE', width: 320 },
  { lang: 'en', locale: 'en-GB', width: 340, app: 'Shop', passkeys: false },
  { lang: 'ar', locale: 'ar-EG', width: 390 },
  { lang: 'ja', locale: 'ja-JP', width: 320 },
]) {
  for (const colorScheme of ['light', 'dark']) {
    setupTest(`page has one height and fits: ${lang}, ${colorScheme}${passkeys ? '' : ', without passkeys'}`, async ({ browser, host }) => {
      Object.assign(host, { lang, app })
      const phone = await openPhone(browser, [host.url], { passkeys, locale, colorScheme, viewport: { width, height: 640 } })
      const { page } = phone
      await page.goto(host.setupLink)
      const height = () => page.evaluate(() => document.documentElement.scrollHeight)
      const shows = async (scene) => {
        await page.locator(`main[data-shown=${scene}]`).waitFor()
        assert.equal(await page.evaluate(() => scrollY), 0, `${scene} begins at its top`)
        await assertAccessible(page, `${lang} ${scene}`)
        await fits(page)
        await keep(page, `web-phone-setup-${lang}-${colorScheme}-${scene}`)
        return height()
      }
      const heights = [await shows('start')]
      for (const [action, scene] of [['begin', 'account'], ['make', 'try'], ['try', 'digits']]) {
        await page.locator(`[data-scene]:not(.off) [data-action=${action}]`).click()
        heights.push(await shows(scene))
      }
      assert.deepEqual(new Set(heights).size, 1, heights.join())
      await phone.close(ALGORITHMS)
    })
  }
}
