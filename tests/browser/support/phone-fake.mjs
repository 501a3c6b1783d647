// A link host under the tests' control: the web authenticator's pages, in front of registrations and a login.

import { createHash, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

import { after, before, test } from 'node:test'

import { openWindow, startBrowser } from './page.mjs'
import { HANG } from './suite.mjs'
import { chromium, ROOT, skipped } from './tools.mjs'

/** Chromium's advice to accept keys of RSA, too. */
export const ALGORITHMS = /pubKeyCredParams is missing at least one/

export const APP_KEY = 'cs_app_0123456789abcdefABCDEF'
export const REGISTRATION = `phr_${'ab'.repeat(16)}`
const SECRET = 'A'.repeat(22)
const PAGES = join(ROOT, 'shared/api/src/routes/phone_page')
const TYPES = { js: 'text/javascript', css: 'text/css' }
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; "
  + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
const SENTENCES = ['wait', 'read_to_end', 'sending', 'offline', 'copied', 'unknown_passkey']

/** Fills a page as the service does. */
function filled(name, lang, { setupUrl, app }) {
  const { authorize, phone } = JSON.parse(readFileSync(join(ROOT, `shared/domain/src/login/texts/${lang}.json`), 'utf8'))
  const text = (key) => (phone[key] ?? '').replaceAll('{app}', app)
  const names = [...SENTENCES, ...Object.keys(phone).filter((key) => key.startsWith('message_'))]
  const own = {
    lang, dir: lang === 'ar' ? 'rtl' : 'ltr', app_key: APP_KEY, app_name: app, time: String(Date.now()), setup_url: setupUrl,
    setup_hidden: setupUrl ? '' : ' hidden', no_script: authorize.no_script,
    sentences: names.map((key) => `<p data-text="${key}">${text(key)}</p>`).join('\n'),
  }
  return readFileSync(join(PAGES, `${name}.html`), 'utf8').replace(/\{\{(\w+)\}\}/g, (_, key) => own[key] ?? text(key))
}

const framed = (...parts) => Buffer.concat(parts.flatMap((part) => {
  const bytes = Buffer.from(part)
  return [Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]
}))

/** Starts the host. `setup` has the state of the registration, `login` what the service says about the login. */
export async function startPhoneHost() {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(26)
  const server = createServer((request, response) => host.answer(request, response))
  const host = {
    lang: 'en',
    app: 'Shop',
    setupUrl: 'https://shop.example/phones',
    setup: { state: 'created', key: 'any', user: 'zoe', digits: '42' },
    login: {},
    seen: [],
    /** Answers a request instead of the host, and returns `true`. */
    interfere: () => false,
    get origin() {
      return this.login.origin ?? 'https://shop.example'
    },
    get id() {
      const id = framed('countersign/login-id/1', APP_KEY, this.origin, this.login.context ?? '', point)
      return `qrs_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`
    },
    get link() {
      return `${host.url}/?sessionId=${host.id}`
    },
    get setupLink() {
      return `${host.url}/phone-setup#${REGISTRATION}.${SECRET}`
    },
    async answer(request, response) {
      const { pathname } = new URL(request.url, host.url)
      let body = ''
      for await (const chunk of request) body += chunk
      const call = { method: request.method, path: pathname, token: request.headers.authorization, body: body ? JSON.parse(body) : null }
      host.seen.push(call)
      const send = (status, value, type = 'application/json') => {
        response.writeHead(status, {
          'content-type': `${type}; charset=utf-8`,
          ...(type === 'text/html' ? { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' } : {}),
        })
        response.end(typeof value === 'string' ? value : JSON.stringify(value))
      }
      if (host.interfere(call, send, response)) return
      const [, file, kind] = /^\/phone\/(page\.(js|css))$/.exec(pathname) ?? []
      if (file) return send(200, readFileSync(join(ROOT, 'clients/phone/dist', file), 'utf8'), TYPES[kind])
      if (pathname === '/') return send(200, filled('confirm', host.lang, host), 'text/html')
      if (pathname === '/phone-setup') return send(200, filled('setup', host.lang, host), 'text/html')
      const [, step] = /^\/phone-registrations\/phr_\w+(\/\w+)?$/.exec(pathname) ?? []
      if (pathname.startsWith('/phone-registrations/')) return host.register(call, step ?? '', send)
      if (pathname === '/passkeys/identify' && host.identified) return send(200, host.identified)
      if (pathname === `/qr-sessions/${host.id}/initiate`) return send(200, host.opened())
      if (pathname.startsWith(`/qr-sessions/${host.id}/`)) return send(200, true)
      return send(404, { title: 'No', code: pathname.startsWith('/qr-sessions/') ? 'session_not_found' : 'not_found' })
    },
    register({ body, method, token }, step, send) {
      const { setup } = host
      if (method === 'DELETE') {
        setup.state = 'failed'
        return send(204, '')
      }
      if (step === '/open') {
        setup.token ??= token
        if (setup.token !== token) return send(409, { title: 'No', code: 'registration_opened' })
        setup.state = 'opened'
        const { hostname: rpId, origin } = new URL(host.url)
        return send(200, {
          app: { name: host.app, key: APP_KEY }, publicUserId: setup.user, ...(setup.label ? { label: setup.label } : {}), key: setup.key, rpId, origin,
          userHandle: Buffer.alloc(32, 7).toString('base64url'), excludeCredentials: setup.excluded ?? [],
        })
      }
      if (step === '/sign') {
        setup.state = 'signed'
        host.signed = body
        return send(200, { digits: setup.digits })
      }
      return send(200, { state: setup.state })
    },
    /** What the service answers to a phone that opens the login. */
    opened() {
      const { context, flags = [], risk, checkCode, returnUrl, left = 180_000, ...other } = host.login
      return {
        session: {
          ...(risk ? { riskAnalytics: { riskStatus: risk } } : {}),
          mobileTemplateResponse: {
            title: context ? 'Approve a request of shop.example?' : 'Log in to shop.example?',
            message: 'A login to shop.example was started with Firefox on Linux in Berlin, DE. Confirm only if you started it yourself, on a screen in front of you.',
            widget: { location: 'Berlin, DE' },
            mobile: { location: 'Berlin, DE' },
            userAgent: { name: 'Firefox on Linux' },
            flags,
            ...other.screen,
          },
        },
        app: { name: host.app },
        origin: host.origin,
        browserPublicKey: point.toString('base64url'),
        ...(context ? { context } : {}),
        ...(checkCode ? { checkCode } : {}),
        ...(returnUrl ? { returnUrl } : {}),
        expiresAt: new Date(Date.now() + left).toISOString(),
        serverTime: new Date().toISOString(),
      }
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  host.url = `http://localhost:${server.address().port}`
  return host
}

/** Options of a virtual authenticator that is built into a phone and syncs its passkeys. */
const AUTHENTICATOR = {
  protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true,
  automaticPresenceSimulation: true, defaultBackupEligibility: true, defaultBackupState: true,
}

/** Makes dialogues that fail take as long as a person. */
export function failSlowly() {
  for (const name of ['create', 'get']) {
    const ask = CredentialsContainer.prototype[name]
    CredentialsContainer.prototype[name] = function (options) {
      return ask.call(this, options).catch(async (error) => {
        await new Promise((resolve) => { setTimeout(resolve, 400) }) // sleep: the time in which a person reads a dialogue.
        throw error
      })
    }
  }
}

/**
 * The window of a phone, with passkeys unless `passkeys` is false. `authenticator` has other options of the virtual
 * authenticator. With `patient`, dialogues that fail take their time.
 */
export async function openPhone(browser, urls, { passkeys = true, authenticator = {}, patient = false, ...options } = {}) {
  const phone = { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true, locale: 'en-GB', ...options }
  const window = await openWindow(browser, urls, phone)
  const session = await window.page.context().newCDPSession(window.page)
  let authenticatorId
  if (passkeys) {
    await session.send('WebAuthn.enable')
    ;({ authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', { options: { ...AUTHENTICATOR, ...authenticator } }))
  }
  const { page } = window
  // The virtual authenticator fails at once. A person needs longer.
  if (patient) await page.addInitScript(failSlowly)
  return {
    ...window,
    /** Waits for a title, which has the focus. */
    async sees(title) {
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
    },
    press: (name) => page.getByRole('button', { name, exact: true }).click(),
    /** Whether the user's finger or face is recognized. */
    verifies: (isUserVerified) => session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    /** Whether the user does at once what dialogues ask. */
    taps: (enabled) => session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    /** Deletes all passkeys. */
    forget: () => session.send('WebAuthn.clearCredentials', { authenticatorId }),
    credentials: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
  }
}

/** Declares tests, each with a host of its own, over one browser. */
export function overTheHost() {
  const own = {}

  before(async () => {
    if (chromium()) own.browser = await startBrowser()
  }, HANG)

  after(() => own.browser?.close(), HANG)

  return (name, run) => test(name, HANG, async () => {
    if (!chromium()) return skipped(name, 'no Chromium')
    const host = await startPhoneHost()
    try {
      await run({ ...own, host })
    } finally {
      host.stop()
    }
  })
}
