// A service whose users sign up by phone number and log in with their phone, in Node.js 20 or later.
// docs/quickstart.md explains it step by step.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

import { Countersign, ProblemError, RecordMissingError } from '@countersign/server'
import { login, webhook } from '@countersign/server/express'

const {
  COUNTERSIGN_URL: service,
  COUNTERSIGN_API_KEY: apiKey,
  COUNTERSIGN_APP_KEY: appKey,
  COUNTERSIGN_WEBHOOK_SECRET: webhookSecret,
  PORT: port = '3000',
} = process.env
const origin = `http://localhost:${port}`
const callbackUrl = `http://127.0.0.1:${port}/webhook`

const countersign = new Countersign({ url: service, apiKey, appKey, webhookSecret })

// A real service stores these three in its database.
/**
 * Sessions by their cookie: `{ started, ends }` while the user signs up, then `{ user }`, with `registration` while they
 * set a phone up.
 */
const sessions = new Map()
/** Confirmations by their id: `{ number }` once it is verified. */
const confirmations = new Map()
/** The public keys of users' phones, by key id. */
const phoneKeys = new Map()

const routes = new Map(Object.entries({
  'GET /': page('index.html'),
  'GET /sign-up': page('sign-up.html'),
  'GET /login': page('login.html'),
  'GET /static/index.js': page('static/index.js', 'text/javascript'),
  'GET /static/sign-up.js': page('static/sign-up.js', 'text/javascript'),
  'GET /static/login.js': page('static/login.js', 'text/javascript'),
  'GET /static/style.css': page('static/style.css', 'text/css'),
  'GET /account': (request, response) => json(response, 200, { user: sessionOf(request)?.user ?? null }),
  'POST /sign-up/phone': startSignUp,
  'POST /sign-up/finish': finishSignUp,
  'POST /phone-keys': addPhoneKey,
  'POST /phones': startPhone,
  'POST /phones/finish': finishPhone,
  'POST /log-out': (request, response) => {
    startSession(request, response, {})
    json(response, 200, {})
  },
  // Runs once for each confirmation that this server started, however often its webhook arrives.
  'POST /webhook': webhook(countersign, {
    onVerified({ confirmationId, phoneNumber }) {
      const confirmation = confirmations.get(confirmationId)
      // Otherwise, the number would be lost: the webhook is only sent again if this throws.
      if (!confirmation) throw new RecordMissingError(confirmationId)
      confirmation.number = phoneNumber
    },
  }),
  // Runs once for each login whose proof was made with one of our keys and matches the data from this
  // browser.
  'POST /login': login(countersign, {
    origin,
    findKey: (keyId) => phoneKeys.get(keyId),
    onLogin: ({ userId }, request, response) => startSession(request, response, { user: userId }),
  }),
}))

/**
 * Starts a confirmation for this browser. The element shows the answer, and asks the service for the status.
 */
async function startSignUp(request, response) {
  // Phones discard pages that the messages app covers. A page that is reloaded waits for the text of the first
  // page.
  const open = sessionOf(request)
  const expiresIn = Math.floor((open?.ends - Date.now()) / 1000)
  if (expiresIn > 0) return json(response, 200, { ...open.started, expiresIn })
  const now = Date.now()
  const started = await countersign.confirmations.acquire({
    callbackUrl,
    clientChannel: true,
    // Before the page can show it, so a text cannot arrive earlier.
    onStarted: ({ confirmationId }) => confirmations.set(confirmationId, {}),
  })
  startSession(request, response, { started, ends: now + started.expiresIn * 1000 })
  json(response, 200, started)
}

/** Logs the browser in if the webhook of its confirmation has arrived. The page's own report is not trusted. */
function finishSignUp(request, response) {
  const user = confirmations.get(sessionOf(request)?.started?.confirmationId)?.number
  if (!user) return json(response, 202, {})
  // A text is not enough for an account that has a phone: its owner may have been talked into sending it.
  if (phoneOf(user)) {
    startSession(request, response, {})
    return text(response, 409, 'This number has an account.')
  }
  startSession(request, response, { user })
  json(response, 200, { user })
}

/** Stores the key of the user's first phone. From then on, proofs by it log this user in. */
async function addPhoneKey(request, response) {
  const { user } = sessionOf(request) ?? {}
  if (!user) return text(response, 401, 'Please log in.')
  try {
    const { publicKey, signature } = JSON.parse(await bodyOf(request)) ?? {}
    // The signature shows that the phone has the private key. Without it, a phone could claim another phone's
    // key.
    if (!signature) return text(response, 422, 'The signature is missing.')
    if ((phoneOf(user)?.publicKey ?? publicKey) !== publicKey) return text(response, 409, 'This account has a phone.')
    const { keyId } = await countersign.associationKeys.register({ publicUserId: user, publicKey, signature })
    phoneKeys.set(keyId, { publicKey, userId: user })
    json(response, 200, { keyId })
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof ProblemError)) throw error
    text(response, 422, 'This is not a key of this account.')
  }
}

/** Starts to set up a phone without an app for this user. The element shows the answer. */
async function startPhone(request, response) {
  const session = sessionOf(request)
  if (!session?.user) return text(response, 401, 'Please log in.')
  if (phoneOf(session.user)) return text(response, 409, 'This account has a phone.')
  const started = await countersign.phoneRegistrations.create({ publicUserId: session.user })
  session.registration = started.registrationId
  json(response, 200, started)
}

/** Stores the key of the phone that this browser's user has set up. The page's own report is not trusted. */
async function finishPhone(request, response) {
  const { user, registration } = sessionOf(request) ?? {}
  if (!registration) return text(response, 401, 'Please log in.')
  const { state, keyId } = await countersign.phoneRegistrations.get(registration)
  const keys = await countersign.associationKeys.list({ publicUserId: user })
  const key = keys.find((one) => one.keyId === keyId)
  if (state !== 'completed' || !key) return text(response, 422, 'The phone is not set up.')
  if ((phoneOf(user)?.publicKey ?? key.publicKey) !== key.publicKey) {
    await countersign.associationKeys.revoke(keyId)
    return text(response, 409, 'This account has a phone.')
  }
  phoneKeys.set(keyId, { ...key, userId: user })
  json(response, 200, { keyId })
}

const phoneOf = (user) => [...phoneKeys.values()].find(({ userId }) => userId === user)

/** Gives the browser a new session in place of its old one. */
function startSession(request, response, session) {
  sessions.delete(cookieOf(request))
  const cookie = randomBytes(32).toString('base64url')
  sessions.set(cookie, session)
  // With https, add `Secure` and call it `__Host-session`.
  response.setHeader('set-cookie', `session=${cookie}; Path=/; HttpOnly; SameSite=Lax`)
}

const sessionOf = (request) => sessions.get(cookieOf(request))

const cookieOf = (request) => /(?:^|; )session=([\w-]{43})(?:;|$)/.exec(request.headers.cookie ?? '')?.[1]

async function bodyOf(request) {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk
    if (body.length > 10_000) throw new SyntaxError('body too large')
  }
  return body
}

/** Returns a handler that answers a file of examples/pages. */
function page(name, type = 'text/html') {
  const values = { service, appKey }
  const file = readFileSync(new URL(`../pages/${name}`, import.meta.url), 'utf8')
    .replaceAll(/{{ (\w+) }}/g, (_, key) => values[key])
  return (request, response) => response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(file)
}

function json(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function text(response, status, value) {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(value)
}

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; script-src 'self' ${service}; style-src 'self'; img-src data:; `
    + `connect-src 'self' ${service} ${service.replace(/^http/, 'ws')}; `
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

const server = createServer(async (request, response) => {
  response.setHeaders(new Map(Object.entries(headers)))
  const path = request.url.split('?')[0]
  const route = routes.get(`${request.method} ${path}`)
  if (!route) return text(response, 404, 'not found')
  // Otherwise, another site could act here for its visitors. Webhooks are protected by their signature
  // instead.
  if (request.method === 'POST' && path !== '/webhook' && request.headers.origin !== origin) {
    return text(response, 403, 'the request comes from another page')
  }
  try {
    await route(request, response)
  } catch (error) {
    console.error(error)
    if (!response.headersSent) text(response, 500, 'internal error')
  }
})
server.listen(Number(port), '127.0.0.1', () => console.log(`listening on ${origin}`))
