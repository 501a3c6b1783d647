// The real server, the program in COUNTERSIGN_BIN, and a proxy in front of it that cheats.

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { browserKey, unseal } from './world.mjs'

const PROGRAM = process.env.COUNTERSIGN_BIN

/** Declares a test with the real server. Without the program, the test is skipped and reported. */
export function serviceTest(name, run) {
  if (PROGRAM) return test(name, { timeout: 120_000 }, run)
  const line = `SKIPPED: ${name}: COUNTERSIGN_BIN is not set\n`
  process.stderr.write(line)
  if (process.env.COUNTERSIGN_SKIP_LOG) appendFileSync(process.env.COUNTERSIGN_SKIP_LOG, line)
  return test(name, { skip: 'COUNTERSIGN_BIN is not set' }, () => {})
}

/** Runs the program, and returns its output. Fails with what it prints as an error. */
async function run(words) {
  const child = spawn(PROGRAM, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.on('data', (text) => { out += text })
  child.stderr.on('data', (text) => { err += text })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(err)
  return out
}

/** Starts a server in local mode, which ends with the test. */
export async function startServer(t) {
  const parent = await mkdtemp(join(tmpdir(), 'countersign-authenticator-'))
  const data = join(parent, 'data')
  const child = spawn(PROGRAM, ['serve', '--listen', '127.0.0.1:0', '--data', data], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGTERM')
    await ended
    await rm(parent, { recursive: true, force: true })
  })
  let [said, log] = ['', '']
  child.stderr.on('data', (text) => { log += text })
  const ready = new Promise((resolve) => {
    child.stdout.on('data', (text) => {
      said += text
      if (said.includes('is ready')) resolve(true)
    })
  })
  if (!await Promise.race([ready, ended.then(() => false)])) throw new Error(`the server did not start:\n${log}`)
  const demo = JSON.parse(await readFile(join(data, 'demo.json'), 'utf8'))
  return { demo, parent, command: (...words) => run(['--data', data, ...words]) }
}

/** Calls the API as an app's server does, or as a browser with its token. */
export async function call({ demo }, method, path, { body, token } = {}) {
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(token === undefined || path === '/qr-sessions' ? { 'x-api-key': demo.apiKey } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const answer = await fetch(demo.url + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
}

/** A browser with a login. `keyless` has no key. */
export class Browser {
  static async open(server, { keyless = false, ...facts } = {}) {
    const browser = new Browser()
    const { point, privateKey } = await browserKey()
    browser.token = randomBytes(32).toString('base64url')
    const body = { origin: server.demo.url, ...(keyless ? {} : { browserPublicKey: point.toString('base64url') }), ...facts }
    const { status, body: login } = await call(server, 'POST', '/qr-sessions', { body, token: browser.token })
    if (status !== 200) throw new Error(JSON.stringify(login))
    return Object.assign(browser, { server, login, id: login.sessionId, link: login.url, privateKey })
  }

  /** Returns what the app's server reads about the login. */
  async inspect() {
    return (await call(this.server, 'GET', `/qr-sessions/${this.id}`)).body
  }

  /** Cancels the login, as a closing page does. */
  async cancel() {
    return call(this.server, 'DELETE', `/qr-sessions/${this.id}`, { token: this.token })
  }

  /** Redeems the payload of a confirmation, and decrypts it. */
  async redeem() {
    const receipt = randomBytes(16).toString('base64url')
    const { body } = await call(this.server, 'POST', `/qr-sessions/${this.id}/redeem`, { body: { receipt }, token: this.token })
    const { payload, encrypted, salt, proof } = body
    if (!encrypted) return { payload, salt, proof }
    return { ...await unseal(payload, { id: this.id, origin: this.server.demo.url }, this.privateKey), proof }
  }
}

/**
 * Starts a proxy in front of the server. `change` gets each answer's JSON by route and may return another one; `'lost'` ends
 * the connection after the request has taken effect.
 */
export async function startProxy(t, { demo }, change) {
  const seen = []
  const proxy = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const route = request.url.split('/').at(-1)
    const body = Buffer.concat(chunks)
    const { host, connection, 'content-length': length, ...headers } = request.headers
    const answer = await fetch(demo.url + request.url, { method: request.method, headers, body })
    const text = await answer.text()
    seen.push({ route, body: body.toString() })
    const changed = change(route, JSON.parse(text), seen)
    if (changed === 'lost') return request.socket.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    return response.end(JSON.stringify(changed))
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.after(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return { url: `http://127.0.0.1:${proxy.address().port}`, seen }
}
