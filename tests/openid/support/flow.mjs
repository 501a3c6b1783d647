// The authorization code flow without a browser: what a client sends, and what the provider's page sends.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'

import { createRemoteJWKSet, jwtVerify } from 'jose'

import { ask } from '../../browser/support/server.mjs'

const random = () => randomBytes(24).toString('base64url')

/** A client, and a person with a phone and a browser that keeps its cookie. */
export class Flow {
  constructor(provider, client, { number, method = 'GET' } = {}) {
    Object.assign(this, { provider, client, number, method, state: random(), nonce: random() })
    this.keys = createRemoteJWKSet(new URL(`${provider.url}/openid/jwks.json`))
  }

  /** Sends an authorization request, in which `undefined` removes a parameter. Returns the answer. */
  async authorize(other = {}) {
    const parameters = {
      client_id: this.client.clientId,
      redirect_uri: this.client.redirectUri,
      response_type: 'code',
      scope: 'openid',
      state: this.state,
      nonce: this.nonce,
      ...other,
    }
    const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined))
    const url = `${this.provider.url}/authorize`
    const headers = this.cookie ? { cookie: this.cookie } : {}
    let answer = this.method === 'GET'
      ? await ask(`${url}?${query}`, { headers })
      : await ask(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' }, body: `${query}` })
    // A form leads to the page, which the browser then loads.
    const { location } = answer.headers
    if (location?.startsWith('/')) answer = await ask(this.provider.url + location, { headers })
    const [cookie] = answer.headers['set-cookie'] ?? []
    if (cookie) this.cookie = cookie.split(';')[0]
    this.page = /data-request="([^"]+)"/.exec(answer.text)?.[1]
    return answer
  }

  /** Sends a request as the page does. */
  async call(path) {
    return ask(this.provider.url + path, {
      method: 'POST',
      headers: {
        cookie: this.cookie, origin: this.provider.url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json',
      },
      body: JSON.stringify({ request: this.page }),
    })
  }

  /** Proves the number on the page, and returns the address to which the browser returns. */
  async prove() {
    assert.ok(this.page, 'there is no page')
    const started = await this.call('/authorize/text')
    assert.equal(started.status, 200, started.text)
    await this.provider.text(started.json().confirmationMessage, this.number)
    const finished = await this.call('/authorize/finish')
    assert.equal(finished.status, 200, finished.text)
    return new URL(finished.json().location)
  }

  /** Logs in as far as the code. */
  async code(other = {}) {
    const answer = await this.authorize(other)
    assert.equal(answer.status, 200, answer.text)
    const returned = await this.prove()
    assert.equal(returned.origin + returned.pathname, this.client.redirectUri)
    assert.equal(returned.searchParams.get('state'), this.state)
    assert.equal(returned.searchParams.get('iss'), this.provider.url)
    return returned.searchParams.get('code')
  }

  /** Exchanges a code, with the secret in the header or in the body. */
  async exchange(code, { method = 'client_secret_basic', ...other } = {}) {
    const { clientId, clientSecret, redirectUri } = this.client
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...other }
    if (method === 'client_secret_basic') {
      headers.authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    } else {
      Object.assign(form, { client_id: clientId, client_secret: clientSecret })
    }
    return ask(`${this.provider.url}/token`, { method: 'POST', headers, body: `${new URLSearchParams(form)}` })
  }

  /** Logs in, and returns the tokens and the verified claims of the ID token. */
  async logIn(other = {}, exchange = {}) {
    const answer = await this.exchange(await this.code(other), exchange)
    assert.equal(answer.status, 200, answer.text)
    assert.match(answer.headers['content-type'], /^application\/json/)
    assert.equal(answer.headers['cache-control'], 'no-store')
    const tokens = answer.json()
    assert.equal(tokens.token_type, 'Bearer')
    const options = { issuer: this.provider.url, audience: this.client.clientId, algorithms: ['ES256'] }
    const { payload, protectedHeader } = await jwtVerify(tokens.id_token, this.keys, options)
    assert.equal(payload.nonce, 'nonce' in other ? other.nonce : this.nonce)
    return { tokens, claims: payload, header: protectedHeader }
  }

  /** Reads the claims with an access token. */
  userInfo(token, { method = 'GET', body } = {}) {
    const headers = body === undefined
      ? { authorization: `Bearer ${token}` }
      : { 'content-type': 'application/x-www-form-urlencoded' }
    return ask(`${this.provider.url}/userinfo`, { method, headers, body })
  }
}

/** Returns a PKCE verifier and its challenge. */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Asserts that an answer sends the browser back with an error. */
export function assertRefused(answer, error, flow) {
  assert.equal(answer.status, 303, answer.text)
  const returned = new URL(answer.headers.location)
  assert.equal(returned.origin + returned.pathname, flow.client.redirectUri)
  assert.equal(returned.searchParams.get('error'), error)
  assert.equal(returned.searchParams.get('state'), flow.state)
  assert.equal(returned.searchParams.get('iss'), flow.provider.url)
}

/** Asserts that an answer is an error on the provider's own page, from which the browser does not return by itself. */
export function assertErrorPage(answer) {
  assert.equal(answer.status, 400, answer.text)
  assert.match(answer.headers['content-type'], /^text\/html/)
  assert.equal(answer.headers.location, undefined)
}
