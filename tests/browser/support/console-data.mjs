// Confirmations, logins and changes of a server, made as its users make them.

import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

import { ask } from './server.mjs'

/** A text that a page must show as it is. */
export const FOREIGN = '<b>no</b> &amp; <script>alert(1)</script>'

/** Starts a receiver of webhooks. Its path is the status that it answers: `/204`, or `/500`. */
export async function startReceiver() {
  const server = createServer((request, response) => {
    request.resume()
    const status = Number(/^\/(\d{3})/.exec(request.url)?.[1] ?? 204)
    response.writeHead(status, { 'content-type': 'text/plain' })
    response.end(status === 204 ? undefined : FOREIGN)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

/** An app of a server, with what its own server does. */
class App {
  constructor(server, name, apiKey) {
    this.server = server
    this.name = name
    this.apiKey = apiKey
  }

  async #call(method, path, body) {
    const headers = { 'x-api-key': this.apiKey, 'content-type': 'application/json' }
    const answer = await ask(`${this.server.url}${path}`, { method, headers, body: JSON.stringify(body) })
    assert.equal(answer.status, 200, answer.text)
    return answer.json()
  }

  /** Starts a confirmation; of a known number, if there is one. */
  start(callbackUrl, number, metadata) {
    return number === undefined
      ? this.#call('POST', '/acquire-phone-number', { callbackUrl, metadata })
      : this.#call('POST', '/make-confirmation', { callbackUrl, metadata, phoneNumber: number })
  }

  /** Sends a confirmation's text from a phone. */
  async text({ sendTo, confirmationMessage }, from) {
    const words = ['text', '--from', from, '--to', sendTo, '--message', confirmationMessage]
    const { code, err } = await this.server.phone(...words)
    assert.equal(code, 0, err)
  }

  /** Waits until a confirmation has this status of delivery. */
  async delivery(id, status) {
    for (;;) {
      const { delivery } = await this.#call('GET', `/confirmations/${id}`)
      if (delivery?.status === status) return
      // sleep: the API has no event for a delivery's end.
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  /** Starts a confirmation and verifies it, and waits for its webhook. Returns its id. */
  async verified(callbackUrl, from, status, metadata) {
    const started = await this.start(callbackUrl, undefined, metadata)
    await this.text(started, from)
    await this.delivery(started.confirmationId, status)
    return started.confirmationId
  }

  /** Starts to set a phone up for a user. Returns the registration. */
  register(publicUserId, label) {
    return this.#call('POST', '/phone-registrations', { publicUserId, label })
  }

  /** Opens a registration's link on an iPhone, which makes a key and shows its digits. Returns them. */
  async openOnPhone({ registrationId, url }) {
    const token = randomBytes(32).toString('base64url')
    const call = async (route, body) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'user-agent': IPHONE }
      const answer = await ask(`${this.server.url}/phone-registrations/${registrationId}/${route}`, { method: 'POST', headers, body: JSON.stringify(body) })
      assert.equal(answer.status, 200, answer.text)
      return answer.json()
    }
    const { app, publicUserId } = await call('open', { secret: url.split('.').at(-1) })
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const text = Buffer.from(`countersign-association-key/1\n${app.key}\n${publicUserId}`)
    const { digits } = await call('sign', {
      publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      signature: sign('sha256', text, privateKey).toString('base64'),
    })
    return digits
  }

  /** Types the digits of a registration's phone. */
  async typeDigits({ registrationId, pageToken }, digits) {
    const headers = { authorization: `Bearer ${pageToken}`, 'content-type': 'application/json' }
    const url = `${this.server.url}/phone-registrations/${registrationId}/digits`
    const answer = await ask(url, { method: 'POST', headers, body: JSON.stringify({ digits }) })
    assert.equal(answer.status, 204, answer.text)
  }
}

/** Creates an app, with options of `app create`. */
export async function createApp(server, name, ...options) {
  const { code, out, err } = await server.run('app', 'create', name, '--json', ...options)
  assert.equal(code, 0, err)
  return new App(server, name, JSON.parse(out).apiKey)
}

/** Returns the app that every server in local mode has. */
export function demoApp(server) {
  return new App(server, 'demo', server.demo.apiKey)
}

/** Opens a login of the demo app, and lets a phone decide with these words, such as `--confirm`. Returns its id. */
export async function startLogin(server, ...decision) {
  const { code, out, err } = await server.run('login', 'start', '--json')
  assert.equal(code, 0, err)
  const { sessionId, url } = JSON.parse(out)
  if (decision.length > 0) {
    const opened = await server.phone('open', url, '--public-user-id', 'user-1', ...decision)
    assert.equal(opened.code, 0, opened.err)
  }
  return sessionId
}

/** Registers a new key of a user's phone with an app. Returns its id. */
export async function registerKey(server, app, user) {
  const made = await server.phone('keys', 'create', '--public-user-id', user, '--replace', '--json')
  assert.equal(made.code, 0, made.err)
  const { publicKey } = JSON.parse(made.out)
  const { code, out, err } = await server.run('app', 'keys', 'add', app, user, publicKey, '--json')
  assert.equal(code, 0, err)
  return JSON.parse(out).keyId
}

/** Returns the records of the audit log, newest first. */
export async function records(server) {
  const { code, out, err } = await server.run('audit', '--json')
  assert.equal(code, 0, err)
  return JSON.parse(out)
}

/** Asserts that the newest records are these, the newest first, under the name of the person who runs the command. */
export async function recorded(server, ...expected) {
  const newest = (await records(server)).slice(0, expected.length)
  const { out } = await server.run('audit', '--last', '100', '--json')
  const people = new Set(JSON.parse(out).map(({ by }) => by))
  assert.equal(people.size, 1)
  for (const [index, record] of expected.entries()) {
    const { action, app, details, result } = newest[index]
    assert.deepEqual({ action, app, details, result }, { result: 'done', app: 'shop', ...record })
  }
}
