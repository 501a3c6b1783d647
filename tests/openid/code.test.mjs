// Users of unmodified OpenID clients log in by code, with a phone whose key their site has registered.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { startBrowser } from '../browser/support/page.mjs'
import { HANG } from '../browser/support/suite.mjs'
import { chromium, skipped } from '../browser/support/tools.mjs'
import { CLIENTS } from './support/clients.mjs'
import { startProvider } from './support/provider.mjs'
import { startSite } from './support/sites.mjs'
import { Visitor } from './support/visitor.mjs'

const own = {}

before(async () => {
  if (!chromium()) return
  own.provider = await startProvider()
  own.browser = await startBrowser()
}, HANG)

after(async () => {
  await own.browser?.close()
  await own.provider?.stop()
}, HANG)

/** Chooses the code, and returns its link. */
async function link({ page }) {
  await page.getByText('With the app').click()
  await page.waitForFunction(() => document.querySelector('countersign-login').link)
  return page.locator('countersign-login').evaluate((login) => login.link)
}

for (const name of ['openid-client', 'authlib', 'go-oidc']) {
  test(`${name}: a user logs in by code, or denies on the phone`, HANG, async () => {
    const lack = chromium() ? CLIENTS[name].missing() : 'no Chromium'
    if (lack) return skipped(`${name} by code`, lack)
    const site = await startSite(name, own.provider)
    try {
      const user = `${name}@shop.example`
      const open = await own.provider.registerPhone(name, { clientId: site.clientId, publicUserId: user })

      const denying = await Visitor.open(own.browser, own.provider, site, name)
      await denying.leave()
      await open(await link(denying), '--deny')
      await denying.sees(CLIENTS[name].cancelled)
      assert.equal(await denying.user(), null)
      await denying.close(CLIENTS[name].expected)

      const visitor = await Visitor.open(own.browser, own.provider, site, name)
      await visitor.leave()
      await open(await link(visitor), '--confirm')
      await visitor.client.loggedIn(visitor.page)
      const known = await visitor.user()
      assert.equal(known.sub, user)
      assert.ok(!known.phone_number, 'a number that nobody has proven')
      if (known.amr) assert.deepEqual(known.amr, ['swk'])
      await visitor.close(CLIENTS[name].expected)
    } finally {
      await site.stop()
    }
  })
}
