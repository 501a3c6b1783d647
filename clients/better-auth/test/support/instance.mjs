// Better Auth with the plugin and a database, and browsers that use it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { testUtils } from 'better-auth/plugins'

import { countersign } from '../../dist/index.js'
import { openDatabase } from './database.mjs'
import { API_KEY, APP_KEY, FakeService, WEBHOOK_SECRET } from './service.mjs'

const ORIGIN = 'http://localhost:3000'

/** Returns a path for a database that ends with the test. */
export function databasePath(t) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-better-auth-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'auth.db')
}

/**
 * Starts an instance. `plugin` has options of this plugin, `options` those of Better Auth. `path` names a database that
 * it shares with other instances, and `service` a service.
 */
export async function startInstance(t, { plugin = {}, plugins = [], options = {}, path = databasePath(t), service = new FakeService() } = {}) {
  const logged = []
  const log = (level, message, ...rest) => { logged.push([level, message, ...rest]) }
  const auth = betterAuth({
    baseURL: ORIGIN,
    secret: 'a secret that is only for tests, and long enough',
    database: openDatabase(path, (database) => t.after(() => database.close())),
    emailAndPassword: { enabled: true, password: { hash: async (text) => `plain:${text}`, verify: async ({ hash, password }) => hash === `plain:${password}` } },
    logger: { log, level: 'warn' },
    telemetry: { enabled: false },
    ...options,
    plugins: [
      countersign({ url: 'https://countersign.example', apiKey: API_KEY, appKey: APP_KEY, webhookSecret: WEBHOOK_SECRET, fetch: service.fetch, ...plugin }),
      testUtils(),
      ...plugins,
    ],
  })
  const { runMigrations } = await getMigrations(auth.options)
  await runMigrations()
  const context = await auth.$context
  return { auth, context, service, path, logged, browser: () => new Browser(auth) }
}

/** A browser with its cookies, on a page of the server. */
export class Browser {
  cookies = new Map()
  /** Attributes of the cookies, as the server set them. */
  attributes = new Map()

  constructor(auth, origin = new URL(auth.options.baseURL).origin) {
    this.auth = auth
    this.origin = origin
  }

  async send(path, { method = 'POST', body, headers = {} } = {}) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await this.auth.handler(new Request(`${new URL(this.auth.options.baseURL).origin}/api/auth${path}`, {
      method,
      headers: {
        ...(method === 'GET' ? {} : { origin: this.origin, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(cookie ? { cookie } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }))
    for (const line of answer.headers.getSetCookie()) {
      const [pair, ...attributes] = line.split('; ')
      const at = pair.indexOf('=')
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
      if (value === '' || attributes.includes('Max-Age=0')) this.cookies.delete(name)
      else this.cookies.set(name, value)
      this.attributes.set(name, attributes)
    }
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, json: text ? JSON.parse(text) : undefined }
  }

  /** Posts, and returns the status and the JSON. */
  async post(path, body) {
    const { status, json } = await this.send(path, { body })
    return [status, json]
  }

  /** Returns who is logged in, or nothing. */
  async user() {
    const { json } = await this.send('/get-session', { method: 'GET' })
    return json?.user
  }

  /** Signs up with a password. */
  async signUp(email, extra = {}) {
    const answer = await this.send('/sign-up/email', { body: { email, password: 'password of a test', name: 'Zoe', ...extra } })
    return answer.json.user
  }

  /** Starts, sends the text from a number, and returns the confirmation. */
  async startAndText(service, phoneNumber) {
    const [status, started] = await this.post('/sign-in/text/start', {})
    if (status !== 200) throw new Error(`start answered ${status}`)
    const answer = await this.auth.handler(service.webhook(started, phoneNumber))
    if (answer.status !== 200) throw new Error(`the webhook got ${answer.status}`)
    return started
  }
}
