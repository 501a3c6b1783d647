// The modules of the OpenID Foundation's conformance suite, basic plan for providers, by their names (commit 12f2a4d, 20
// August 2026), for a client that may use a nonce instead of PKCE. Only these tests' assertions are ours.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { HANG } from '../browser/support/suite.mjs'
import { EXPECTED } from './suite/expected.mjs'
import { assertErrorPage, assertRefused, Flow, pkce } from './support/flow.mjs'
import { startProvider } from './support/provider.mjs'

const own = { numbers: 0 }

before(async () => {
  own.provider = await startProvider()
  const redirectUri = 'https://client.example/callback'
  const registered = await own.provider.register('foundation', { redirectUris: [redirectUri], pkce: 'nonce' })
  own.client = { ...registered, redirectUri }
}, HANG)

after(() => own.provider?.stop(), HANG)

const newNumber = () => `+12025550${100 + own.numbers++}`
const flow = (options) => new Flow(own.provider, own.client, { number: newNumber(), ...options })

/** The modules that the suite passes for this provider. */
const PASSED = {
  async 'server'(login) {
    const { claims, header, tokens } = await login.logIn()
    assert.ok(header.kid)
    assert.ok(header.typ === undefined || header.typ === 'JWT')
    for (const name of ['sub', 'aud', 'exp', 'iat', 'auth_time']) assert.ok(claims[name], name)
    assert.ok(Number.isInteger(claims.iat) && Number.isInteger(claims.exp))
    assert.equal(claims.phone_number, undefined, 'a claim that nobody asked for')
    assert.equal(tokens.scope, 'openid')
  },

  async 'server-client-secret-post'(login) {
    const { claims } = await login.logIn({}, { method: 'client_secret_post' })
    assert.ok(claims.sub)
  },

  async 'userinfo-get'(login) {
    const { claims, tokens } = await login.logIn()
    assert.deepEqual((await login.userInfo(tokens.access_token)).json(), { sub: claims.sub })
  },

  async 'userinfo-post-header'(login) {
    const { claims, tokens } = await login.logIn()
    assert.deepEqual((await login.userInfo(tokens.access_token, { method: 'POST' })).json(), { sub: claims.sub })
  },

  // The suite warns if a provider refuses this.
  async 'userinfo-post-body'(login) {
    const { claims, tokens } = await login.logIn()
    const answer = await login.userInfo(undefined, { method: 'POST', body: `access_token=${tokens.access_token}` })
    assert.deepEqual(answer.json(), { sub: claims.sub })
  },

  // With PKCE, because something has to bind the code to the browser.
  async 'ensure-request-without-nonce-succeeds-for-code-flow'(login) {
    const { verifier, challenge } = pkce()
    const other = { nonce: undefined, code_challenge: challenge, code_challenge_method: 'S256' }
    const { claims } = await login.logIn(other, { code_verifier: verifier })
    assert.equal(claims.nonce, undefined)
  },

  async 'scope-phone'(login) {
    const { claims, tokens } = await login.logIn({ scope: 'openid phone' })
    const expected = { phone_number: login.number, phone_number_verified: true }
    assert.deepEqual((await login.userInfo(tokens.access_token)).json(), { sub: claims.sub, ...expected })
    assert.equal(claims.phone_number, login.number)
    assert.equal(claims.phone_number_verified, true)
  },

  async 'alternate-happy-flow'(login) {
    const first = await login.logIn()
    const { claims } = await new Flow(login.provider, login.client, { number: login.number }).logIn()
    assert.equal(claims.sub, first.claims.sub)
  },

  'display-page': (login) => login.logIn({ display: 'page' }),
  'display-popup': (login) => login.logIn({ display: 'popup' }),

  async 'prompt-login'(login) {
    const first = await login.logIn()
    const second = await login.logIn({ prompt: 'login' })
    assert.equal(second.claims.sub, first.claims.sub)
    assert.ok(second.claims.auth_time >= first.claims.auth_time)
  },

  async 'prompt-none-not-logged-in'(login) {
    assertRefused(await login.authorize({ prompt: 'none' }), 'login_required', login)
  },

  async 'max-age-1'(login) {
    const first = await login.logIn()
    const second = await login.logIn({ max_age: '1' })
    assert.ok(second.claims.auth_time >= first.claims.auth_time)
  },

  'ensure-request-with-unknown-parameter-succeeds': (login) => login.logIn({ extra: 'foobar' }),
  'ui-locales': (login) => login.logIn({ ui_locales: 'se de' }),
  'claims-locales': (login) => login.logIn({ claims_locales: 'se' }),

  // The suite sends the first supported value, or two that no provider knows.
  async 'ensure-request-with-acr-values-succeeds'(login) {
    const { acr_values_supported: [known] } = await discovery(login)
    const { claims } = await login.logIn({ acr_values: known })
    assert.equal(claims.acr, known)
    assert.ok((await login.logIn({ acr_values: '1 2' })).claims.acr)
  },

  async 'codereuse'(login) {
    const code = await login.code()
    assert.equal((await login.exchange(code)).status, 200)
    const again = await login.exchange(code)
    assert.equal(again.status, 400)
    assert.equal(again.json().error, 'invalid_grant')
  },

  // The suite waits 30 seconds before the second use. Time makes no difference here.
  async 'codereuse-30seconds'(login) {
    const code = await login.code()
    const { access_token: token } = (await login.exchange(code)).json()
    assert.equal((await login.userInfo(token)).status, 200)
    assert.equal((await login.exchange(code)).status, 400)
    assert.equal((await login.userInfo(token)).status, 401, 'a token that its code\'s second use has not ended')
  },

  async 'ensure-registered-redirect-uri'(login) {
    assertErrorPage(await login.authorize({ redirect_uri: 'https://client.example/other' }))
  },

  async 'ensure-post-request-succeeds'() {
    await flow({ method: 'POST' }).logIn()
  },

  async 'ensure-request-object-with-redirect-uri'(login) {
    const request = unsigned({ ...parametersOf(login), redirect_uri: login.client.redirectUri })
    assertErrorPage(await login.authorize({ request, redirect_uri: 'https://client.example/other' }))
    assertRefused(await login.authorize({ request }), 'request_not_supported', login)
  },

  async 'unsigned-request-object-supported-correctly-or-rejected-as-unsupported'(login) {
    assertRefused(await login.authorize({ request: unsigned(parametersOf(login)) }), 'request_not_supported', login)
  },

  // The suite shows a page or accepts one of two errors.
  async 'response-type-missing'(login) {
    assertRefused(await login.authorize({ response_type: undefined }), 'invalid_request', login)
  },

  // A hint that is no number is ignored.
  'login-hint': (login) => login.logIn({ login_hint: `buffy@${new URL(own.provider.url).host}` }),

  // The suite warns because there is no claim `name`.
  async 'claims-essential'(login) {
    const { claims } = await login.logIn({ claims: JSON.stringify({ userinfo: { name: { essential: true } } }) })
    assert.equal(claims.name, undefined)
  },

  async 'ensure-request-with-valid-pkce-succeeds'(login) {
    const { verifier, challenge } = pkce()
    await login.logIn({ code_challenge: challenge, code_challenge_method: 'S256' }, { code_verifier: verifier })
  },
}

/** The modules that the suite skips for this provider, with the reason. */
const SKIPPED = {
  'scope-profile': scopeUnsupported('profile', 'name'),
  'scope-email': scopeUnsupported('email', 'email'),
  'scope-address': scopeUnsupported('address', 'address'),

  async 'scope-all'(login) {
    const { claims } = await login.logIn({ scope: 'openid profile email address phone' })
    assert.equal(claims.phone_number, login.number)
    assert.equal(claims.email, undefined)
  },

  // There are no refresh tokens: a login is over when the site says so.
  async 'refresh-token'(login) {
    const { tokens } = await login.logIn({ scope: 'openid offline_access' })
    assert.equal(tokens.refresh_token, undefined)
    const { grant_types_supported: supported } = await discovery(login)
    assert.deepEqual(supported, ['authorization_code'])
  },
}

/** The modules that the suite fails, because they want a second login without the person. */
const FAILED = {
  async 'prompt-none-logged-in'(login) {
    await login.logIn()
    assertRefused(await login.authorize({ prompt: 'none' }), 'login_required', login)
  },

  async 'id-token-hint'(login) {
    const { tokens } = await login.logIn()
    assertRefused(await login.authorize({ prompt: 'none', id_token_hint: tokens.id_token }), 'login_required', login)
  },

  // The second login shows the page again, so that its time differs.
  async 'max-age-10000'(login) {
    const first = await login.logIn({ max_age: '10000' })
    const second = await login.logIn({ max_age: '10000' })
    assert.equal(second.claims.sub, first.claims.sub)
  },
}

/** The modules that the suite does not run for a client that an operator has registered. */
const NOT_APPLICABLE = {
  'idtoken-signature': 'the client registers itself to get RS256',
  'idtoken-unsigned': 'the client registers itself to get tokens without a signature',
  'request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': 'the client registers its request URIs',
}

/** Returns the test of a scope that the provider ignores. */
function scopeUnsupported(scope, claim) {
  return async (login) => {
    const { scopes_supported: supported } = await discovery(login)
    assert.ok(!supported.includes(scope))
    const { claims } = await login.logIn({ scope: `openid ${scope}` })
    assert.equal(claims[claim], undefined)
  }
}

async function discovery({ provider }) {
  return (await fetch(`${provider.url}/.well-known/openid-configuration`)).json()
}

const parametersOf = ({ client }) => ({ client_id: client.clientId, response_type: 'code', scope: 'openid' })

/** Returns a request object without a signature. */
function unsigned(claims) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none' })}.${part(claims)}.`
}

for (const modules of [PASSED, SKIPPED, FAILED]) {
  for (const [name, run] of Object.entries(modules)) {
    test(`oidcc-${name}`, HANG, () => run(flow()))
  }
}

test('the plan has 38 modules', () => {
  const names = [PASSED, SKIPPED, FAILED, NOT_APPLICABLE].flatMap(Object.keys)
  assert.equal(new Set(names).size, 38)
  assert.equal(names.length, 38)
})

test('the weekly run of the suite expects the same results', () => {
  const failing = Object.entries(EXPECTED).filter(([, results]) => results.includes('FAILED'))
  assert.deepEqual(failing.map(([name]) => name).sort(), Object.keys(FAILED).sort())
  const known = [PASSED, SKIPPED, FAILED, NOT_APPLICABLE].flatMap(Object.keys)
  assert.deepEqual(Object.keys(EXPECTED).filter((name) => !known.includes(name)), [])
  for (const modules of [SKIPPED, NOT_APPLICABLE]) {
    assert.deepEqual(Object.keys(modules).filter((name) => !EXPECTED[name]?.includes('SKIPPED')), [])
  }
})

test('a request URI is refused', HANG, async () => {
  const login = flow()
  assertRefused(await login.authorize({ request_uri: 'https://client.example/request' }), 'request_uri_not_supported', login)
})
