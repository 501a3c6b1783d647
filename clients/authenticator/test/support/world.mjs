// A phone in front of a scripted service with one login, and a clock that only waits move.

import { createHash, createHmac, randomBytes } from 'node:crypto'

import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'

import { Authenticator, MemoryKeyStore, MemoryStorage, NetworkError } from '../../dist/index.js'

export const APP_KEY = 'cs_app_0123456789abcdefABCDEF'
export const ORIGIN = 'https://shop.example'
export const SERVICE = 'https://countersign.example'
export const CONTEXT = 'Pay 20 EUR\nto Bücher GmbH'
/** 2026-01-02T03:04:05.678Z. */
export const START = 1_767_323_045_678

export const SUITE = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })

/** Returns the concatenated parts, each preceded by its length in two bytes. */
export const framed = (...parts) => Buffer.concat(parts.flatMap((part) => {
  const bytes = Buffer.from(part)
  return [Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]
}))

export const bufferOf = (bytes) => new Uint8Array(bytes).buffer

/** Opens what a phone has sealed, as a browser does. */
export async function unseal(text, { id, origin }, recipientKey) {
  const bytes = Buffer.from(text, 'base64url')
  const opened = await SUITE.open(
    { recipientKey, enc: bufferOf(bytes.subarray(0, 65)), info: bufferOf(framed('countersign/qr/2', id, origin)) },
    bufferOf(bytes.subarray(65)),
  )
  return JSON.parse(Buffer.from(opened).toString())
}

/** Creates a browser's key. */
export async function browserKey() {
  const { publicKey, privateKey } = await SUITE.kem.generateKeyPair()
  return { point: Buffer.from(await SUITE.kem.serializePublicKey(publicKey)), privateKey }
}

export function sealedId({ appKey = APP_KEY, origin = ORIGIN, context = '', point }) {
  return `qrs_${createHash('sha256').update(framed('countersign/login-id/1', appKey, origin, context, point)).digest('hex').slice(0, 32)}`
}

const SCREEN = {
  title: 'Log in to shop.example?',
  message: 'Is it you?',
  widget: { location: 'Lyon', issue: 'In another country.' },
  mobile: { location: 'Köln' },
  userAgent: { name: 'Firefox on Linux' },
  flags: [{ code: 'country_differs', severity: 'warn', text: 'In another country.' }],
}

export const iso = (millis) => new Date(millis).toISOString()

export class World {
  time = 0
  storage = new MemoryStorage()
  keys = new MemoryKeyStore()
  calls = []
  fates = []
  decision = undefined
  options = { showsContexts: true }
  #phone
  #first

  /** `plain` is the login of a browser without a key. */
  static async of({ context, plain = false, point } = {}) {
    const world = new World()
    world.browser = await browserKey()
    const key = point ?? world.browser.point
    world.id = plain ? `qrp_${'ab'.repeat(16)}` : sealedId({ context, point: key })
    world.answer = {
      session: {
        iPAddressMobile: '198.51.100.9',
        iPAddressWidget: '203.0.113.7',
        riskAnalytics: {
          riskStatus: 'warn',
          riskFlagString: 'In another country.',
          geoData: { mobile: { city: 'Köln', countryCode: 'DE' }, browser: { countryCode: 'FR' } },
        },
        mobileTemplateResponse: structuredClone(SCREEN),
      },
      app: { name: 'shop' },
      origin: ORIGIN,
      ...(plain ? {} : { browserPublicKey: key.toString('base64url') }),
      ...(context === undefined ? {} : { context }),
    }
    return world
  }

  /** A new process of the app on the same phone. */
  phone(options = {}) {
    return new Authenticator({
      service: SERVICE,
      appKey: APP_KEY,
      linkHosts: ['login.shop.example', 'localhost:8787'],
      storage: this.storage,
      keys: this.keys,
      http: (request) => this.serve(request),
      sleep: async (millis, signal) => this.sleep(millis, signal),
      now: () => START + this.time,
      sinceBoot: () => this.time,
      ...this.options,
      ...options,
    })
  }

  open(user, options) {
    return this.phone(options).open(this.id, user === undefined ? {} : { user })
  }

  /** Time passes when a phone waits for a retry; limits of attempts do not end by themselves. */
  async sleep(millis, signal) {
    if (millis >= 10_000) await new Promise((resolve) => { this.silent ? (this.time += millis, resolve()) : signal.addEventListener('abort', resolve) })
    else this.time += millis
  }

  routes() {
    return this.calls.map(({ route }) => route)
  }

  bodies(route) {
    return this.calls.filter((call) => call.route === route).map(({ body }) => body)
  }

  async sealed() {
    return unseal(JSON.parse(this.decision.body).payload, { id: this.id, origin: ORIGIN }, this.browser.privateKey)
  }

  /** Answers a request. A fate is `lost`, `unsent`, `hopeless`, `long`, `silent`, `stale`, or an answer in its place. */
  async serve({ url, headers, body, signal }) {
    const [, id, route] = /^https:\/\/countersign\.example\/qr-sessions\/(\w+)\/(\w+)$/.exec(url)
    if (id !== this.id) throw new Error(`another login: ${id}`)
    this.calls.push({ route, headers, body })
    const fate = this.fates.shift()
    if (fate === 'unsent') throw new Error('unsent')
    if (fate === 'hopeless') throw new NetworkError('permanent', 'hopeless')
    if (fate === 'stale') return this.#first
    if (typeof fate === 'object') return { retryAfter: undefined, ...fate, body: typeof fate.body === 'string' ? fate.body : JSON.stringify(fate.body) }
    const answer = this.#decide(route, headers, body)
    this.#first ??= answer
    if (fate === 'lost') throw new Error('lost')
    if (fate === 'long') throw new NetworkError('answer_too_long', 'the answer is too long')
    if (fate === 'silent') {
      this.silent = true
      await new Promise((resolve) => { signal.addEventListener('abort', resolve) })
      this.silent = false
    }
    return answer
  }

  #decide(route, { authorization }, body) {
    const answer = (status, value) => ({ status, retryAfter: undefined, body: JSON.stringify(value) })
    const problem = (status, code) => answer(status, { title: 'No', code })
    this.#phone ??= authorization
    if (this.ended) return problem(410, this.ended)
    if (authorization !== this.#phone) return problem(409, 'second_phone')
    if (route === 'initiate') {
      if (this.decision) return problem(409, 'session_ended')
      const times = { serverTime: iso(START + this.time), expiresAt: iso(START + this.time + 180_000) }
      return answer(200, { ...this.answer, ...times })
    }
    this.decision ??= { route, body }
    const isSame = this.decision.route === route && this.decision.body === body
    return isSame ? answer(200, true) : problem(409, this.decision.route === 'confirm' ? 'session_confirmed' : 'session_denied')
  }
}

/** Returns the error of a promise, which must fail. */
export async function failure(promise) {
  const value = await promise.then(() => undefined, (error) => error)
  if (value === undefined) throw new Error('it did not fail')
  return value
}

export const hmacSha256 = (secret, data) => createHmac('sha256', secret).update(data).digest()
export { randomBytes }
