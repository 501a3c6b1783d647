// Clients whose clocks are wrong by some seconds, as in virtual machines, still log their users in.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'

import { startBrowser } from '../browser/support/page.mjs'
import { HANG } from '../browser/support/suite.mjs'
import { chromium, skipped } from '../browser/support/tools.mjs'
import { CLIENTS } from './support/clients.mjs'
import { startProvider } from './support/provider.mjs'
import { FAKETIME, startSite } from './support/sites.mjs'
import { Visitor } from './support/visitor.mjs'

/** The clients whose programs read the clock by the C library, which faketime replaces. */
const NAMES = ['openid-client', 'auth-js', 'next-auth', 'better-auth', 'authlib', 'django', 'spring']

/** The error of a client's clock, in seconds. */
const SKEW = 4

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

for (const name of NAMES) {
  for (const skew of [-SKEW, SKEW]) {
    test(`${name}: a clock that is ${skew < 0 ? 'slow' : 'fast'}`, HANG, async () => {
      const lack = !chromium() ? 'no Chromium' : spawnSync(FAKETIME, ['--version']).error ? 'no faketime' : CLIENTS[name].missing()
      if (lack) return skipped(`${name}: clock`, lack)
      const site = await startSite(name, own.provider, { skew })
      try {
        const visitor = await Visitor.open(own.browser, own.provider, site, name)
        const user = await visitor.logIn('+12025550100')
        assert.ok(user.sub)
        await visitor.close(CLIENTS[name].expected)
      } finally {
        await site.stop()
      }
    })
  }
}
