// Unmodified OpenID clients log in with the real server: in a browser, from a site that is written as the client's
// documentation says.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { startBrowser } from '../browser/support/page.mjs'
import { HANG } from '../browser/support/suite.mjs'
import { chromium, ROOT, skipped } from '../browser/support/tools.mjs'
import { CLIENTS } from './support/clients.mjs'
import { startProvider } from './support/provider.mjs'
import { startSite } from './support/sites.mjs'
import { Visitor } from './support/visitor.mjs'

const own = { numbers: 0 }

before(async () => {
  if (!chromium()) return
  own.provider = await startProvider()
  own.browser = await startBrowser()
}, HANG)

after(async () => {
  await own.browser?.close()
  await own.provider?.stop()
}, HANG)

const newNumber = () => `+12025550${100 + own.numbers++}`

/** Describes the tests of a client's site, each of which is called with a function that opens a visitor. */
function clientTests(title, name, options, tests) {
  const lack = () => chromium() ? CLIENTS[name].missing() : 'no Chromium'
  describe(title, () => {
    let site
    before(async () => {
      if (!lack()) site = await startSite(name, own.provider, options)
    }, HANG)
    after(() => site?.stop(), HANG)
    for (const [what, run] of Object.entries(tests)) {
      test(what, HANG, async () => {
        if (lack()) return skipped(`${title}: ${what}`, lack())
        await run({ site, open: () => Visitor.open(own.browser, own.provider, site, name) })
      })
    }
  })
}

/** What every client's site can do. */
const common = (name) => ({
  async 'a user logs in, and again as the same user'({ open, site }) {
    const number = newNumber()
    const first = await open()
    assert.equal(await first.user(), null)
    const user = await first.logIn(number)
    assert.match(user.sub, /^[\x21-\x7e]{20,255}$/)
    if ('phone_number' in user) assert.equal(user.phone_number, number)
    assert.ok(!user.sub.includes(number.slice(1)))
    await first.close(CLIENTS[name].expected)

    const second = await open()
    assert.deepEqual(await second.logIn(number), user)
    await second.close(CLIENTS[name].expected)

    const other = await open()
    assert.notEqual((await other.logIn(newNumber())).sub, user.sub)
    await other.close(CLIENTS[name].expected)
    if (site.clientSecret) assert.ok(!site.log().includes(site.clientSecret), 'the secret in a log')
  },

  async 'a user cancels'({ open }) {
    const visitor = await open()
    await visitor.leave()
    await visitor.cancel()
    await visitor.sees(CLIENTS[name].cancelled)
    assert.equal(new URL(visitor.page.url()).origin, visitor.site.url)
    assert.equal(await visitor.user(), null)
    await visitor.close(CLIENTS[name].expected)
  },
})

/** What only one of the sites does. */
const more = {
  async 'a second factor takes only the number that the user has'({ open }) {
    const [number, other] = [newNumber(), newNumber()]
    const visitor = await open()
    await visitor.leave(`/login?number=${encodeURIComponent(number)}`)
    await visitor.text(other)
    assert.equal(await visitor.user(), null)
    await visitor.text(number)
    await visitor.client.loggedIn(visitor.page)
    assert.equal((await visitor.user()).phone_number, number)
    await visitor.close()
  },

  async 'a user logs out, and is back at the site'({ open, site }) {
    const visitor = await open()
    await visitor.logIn(newNumber())
    await visitor.page.getByText('Log out').click()
    await visitor.sees('Not logged in')
    assert.equal(visitor.page.url(), `${site.url}/`)
    assert.equal(await visitor.user(), null)
    await visitor.close()
  },
}

for (const name of Object.keys(CLIENTS)) clientTests(name, name, {}, { ...common(name), ...(name === 'openid-client' ? more : {}) })
for (const name of ['openid-client', 'authlib', 'oauth2-proxy']) {
  clientTests(`${name} without a secret`, name, { publicClient: true }, common(name))
}

clientTests('next-auth with a nonce instead of PKCE', 'next-auth', { pkce: 'nonce' }, {
  ...common('next-auth'),
  async 'a request has a nonce and no challenge'({ open }) {
    const visitor = await open()
    await visitor.leave()
    const { searchParams } = new URL(visitor.page.url())
    assert.ok(searchParams.get('nonce'))
    assert.ok(!searchParams.has('code_challenge'))
    await visitor.close()
  },
})

test('the documentation names the versions that are tested', async () => {
  const read = (path) => readFile(join(ROOT, path), 'utf8')
  const page = await read('docs/openid-clients.md')
  const { devDependencies: npm } = JSON.parse(await read('tests/openid/package.json'))
  const python = await read('scripts/setup/openid.in')
  const go = await read('tests/openid/clients/go-oidc/go.mod')
  const proxy = await read('tests/openid/clients/oauth2-proxy/go.mod')
  const spring = await read('tests/openid/clients/spring/pom.xml')
  const keycloak = await read('tests/openid/clients/keycloak/pom.xml')
  for (const [client, version] of Object.entries({
    'openid-client': npm['openid-client'],
    'Auth.js': npm['@auth/express'],
    'next-auth': npm['next-auth'],
    'Better Auth': npm['better-auth'],
    Authlib: /^authlib==(.+)$/m.exec(python)[1],
    'mozilla-django-oidc': /^mozilla-django-oidc==(.+)$/m.exec(python)[1],
    'go-oidc': /go-oidc\/v3 v(\S+)/.exec(go)[1],
    'oauth2-proxy': /oauth2-proxy\/v7 v(\S+)/.exec(proxy)[1],
    'Spring Security': /<version>(.+)<\/version>/.exec(spring)[1],
    Keycloak: /keycloak-quarkus-dist<\/artifactId>\s*<version>(.+)<\/version>/.exec(keycloak)[1],
  })) {
    const row = page.split('\n').find((line) => line.startsWith(`| [${client}]`))
    assert.ok(row.split('|')[2].split(/[ ,]/).includes(version), `${client} ${version}`)
  }
})
