// Mix-up (RFC 9700, section 4.4): an attacker's provider passes a client's request on to the real one, so that the client
// takes the real provider's code to the attacker.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'

import { startBrowser } from '../browser/support/page.mjs'
import { ask } from '../browser/support/server.mjs'
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

/** Starts the attacker's provider, at which a site is a client as well. */
async function startAttacker(provider) {
  const attacker = { tokens: [], clientId: 'at-the-attacker', clientSecret: 'known-to-the-attacker' }
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, attacker.url)
    const at = (path) => attacker.url + path
    if (pathname === '/.well-known/openid-configuration') {
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify({
        issuer: attacker.url,
        authorization_endpoint: at('/authorize'),
        token_endpoint: at('/token'),
        userinfo_endpoint: at('/userinfo'),
        jwks_uri: at('/jwks'),
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256'],
      }))
    }
    if (pathname === '/authorize') {
      searchParams.set('client_id', attacker.honest.clientId)
      response.writeHead(302, { location: `${provider.url}/authorize?${searchParams}` })
      return response.end()
    }
    let body = ''
    for await (const part of request) body += part
    if (pathname === '/token') attacker.tokens.push(new URLSearchParams(body))
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end('{"error":"invalid_grant"}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  attacker.url = `http://127.0.0.1:${server.address().port}`
  // The site is registered with both, under the same redirect URI.
  attacker.register = async (app, options) => {
    attacker.honest = { ...await provider.register(app, options), redirectUri: options.redirectUris[0] }
    return { clientId: attacker.clientId, clientSecret: attacker.clientSecret }
  }
  attacker.stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return attacker
}

/** Lets a user of a site log in with the attacker's provider, who leads them to the real one. */
async function mixUp(name, check) {
  const lack = chromium() ? CLIENTS[name].missing() : 'no Chromium'
  if (lack) return skipped(`mix-up: ${name}`, lack)
  const attacker = await startAttacker(own.provider)
  const site = await startSite(name, attacker)
  try {
    const visitor = await Visitor.open(own.browser, own.provider, site, name)
    await visitor.leave()
    await visitor.text('+12025550100')
    await visitor.page.waitForURL((url) => url.origin === site.url)
    await visitor.sees('Not logged in')
    assert.equal(await visitor.user(), null)
    await check(attacker)
    await visitor.close(CLIENTS[name].expected, /^outside: /)
  } finally {
    await site.stop()
    attacker.stop()
  }
}

test('client that compares the issuer keeps the code to itself', HANG, () => mixUp('openid-client', (attacker) => {
  assert.deepEqual(attacker.tokens, [])
}))

test('code that a client gave away is useless without its secret, and is not used up', HANG, () => mixUp('authlib', async (attacker) => {
  const [stolen] = attacker.tokens
  assert.equal(attacker.tokens.length, 1)
  const { clientId, clientSecret, redirectUri } = attacker.honest
  const exchange = async (more) => {
    const form = new URLSearchParams({
      grant_type: 'authorization_code', code: stolen.get('code'), code_verifier: stolen.get('code_verifier'),
      redirect_uri: redirectUri, client_id: clientId, ...more,
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await ask(`${own.provider.url}/token`, { method: 'POST', headers, body: `${form}` })
    return [answer.status, answer.json().error]
  }
  assert.ok(stolen.get('code_verifier'), 'the attacker has the verifier too')
  for (const more of [{}, { client_secret: attacker.clientSecret }]) {
    assert.deepEqual(await exchange(more), [401, 'invalid_client'])
  }
  assert.deepEqual(await exchange({ client_secret: clientSecret }), [200, undefined])
}))
