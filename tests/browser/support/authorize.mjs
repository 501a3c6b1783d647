// A site that logs people in by OpenID Connect, and the provider's page in a browser.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'

import { openWindow } from './page.mjs'
import { ask } from './server.mjs'

/** The number of the simulated phone. */
export const NUMBER = '+12025550100'

/** The element with the text to send. */
const TEXT = 'countersign-phone'

/**
 * Gives the demo app a page to return to, and these settings. Returns that page, and a function that returns the address
 * of a new request.
 */
export async function startClient({ server, site }, ...settings) {
  const callback = site.put('<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Shop</title><h1>Back at the shop</h1></html>')
  const words = ['app', 'update', 'demo', '--add-redirect-uri', callback, '--openid-client', 'public', ...settings]
  const { code, err } = await server.run(...words)
  assert.equal(code, 0, err)
  const url = (parameters = {}) => {
    const verifier = randomBytes(32).toString('base64url')
    const request = {
      client_id: server.demo.appKey,
      redirect_uri: callback,
      response_type: 'code',
      scope: 'openid phone',
      state: randomBytes(8).toString('hex'),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...parameters,
    }
    const given = Object.entries(request).filter(([, value]) => value !== null)
    return { url: `${server.url}/authorize?${new URLSearchParams(given)}`, state: request.state, verifier }
  }
  return { callback, url }
}

/** Opens the provider's page in a new window. */
export async function openAuthorize({ browser, server, site }, url, { prepare, ...options } = {}) {
  const window = await openWindow(browser, [server.url, site.url], options)
  await prepare?.(window.page)
  await window.page.goto(url)
  return new AuthorizePage({ server, site }, window)
}

/** The provider's page, with methods for a person's actions. */
export class AuthorizePage {
  constructor(own, { page, close }) {
    this.own = own
    this.page = page
    this.close = close
  }

  /** Waits for the text to send, and returns it and its recipient. */
  async text() {
    const element = this.page.locator(TEXT)
    await element.locator('[part=value]').nth(1).filter({ hasText: /CS-/ }).waitFor()
    const [sendTo, message] = await element.locator('[part=value]').allInnerTexts()
    return { sendTo, message: message.replaceAll('\u2060', '') }
  }

  /** Sends the text that the page shows. */
  async send(from = NUMBER, text = undefined) {
    const { message, sendTo } = text ?? await this.text()
    const words = ['phone', 'text', '--from', from, '--to', sendTo, '--message', message]
    const { code, err } = await this.own.server.run(...words)
    assert.equal(code, 0, err)
  }

  /** Waits until the browser is back at the site, and returns the parameters that it brought. */
  async back() {
    await this.page.getByRole('heading', { name: 'Back at the shop' }).waitFor()
    return Object.fromEntries(new URL(this.page.url()).searchParams)
  }

  /** Waits for a scene of the page by its title. */
  async sees(title) {
    await this.page.getByRole('heading', { name: title, exact: true }).waitFor()
  }

  press(name) {
    return this.page.getByRole('button', { name, exact: true }).click()
  }
}

/** Exchanges a code for the claims of the ID token, as a public client does. */
export async function claims({ server }, { code, verifier, callback }) {
  const body = new URLSearchParams({
    grant_type: 'authorization_code', code, redirect_uri: callback, client_id: server.demo.appKey, code_verifier: verifier,
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await ask(`${server.url}/token`, { method: 'POST', headers, body: body.toString() })
  assert.equal(answer.status, 200, answer.text)
  const [, payload] = answer.json().id_token.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url'))
}

/** Registers the key of the server's simulated phone for a user. */
export async function registerPhone({ server }, publicUserId) {
  const words = ['keys', 'create', '--if-absent', '--public-user-id', publicUserId, '--app-key', server.demo.appKey, '--json']
  const { code, err, out } = await server.phone(...words)
  assert.equal(code, 0, err)
  const { publicKey, signature } = JSON.parse(out)
  const answer = await ask(`${server.url}/association-keys`, {
    method: 'POST',
    headers: { 'x-api-key': server.demo.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ publicUserId, publicKey, signature }),
  })
  assert.ok(answer.status < 300, answer.text)
}
