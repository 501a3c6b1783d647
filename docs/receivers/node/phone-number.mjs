// A server that proves phone numbers with Countersign, in Node.js 20 or later.
//
//   npm ci
//   COUNTERSIGN_API_KEY=cs_live_... node phone-number.mjs
//
// ../../phone-numbers.md explains it; ../page is the page.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

import { Countersign, KeysUnavailableError, WebhookVerificationError } from '@countersign/server'

const MAX_BODY = 64 * 1024
const HEARTBEAT_MS = 15_000
/** The most streams of events for one check. Further ones are refused, and their pages poll. */
const MAX_STREAMS = 4

const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript' }
const FILES = new Map(['index.html', 'page.css', 'page.js', 'qr.js'].map((name) => [
  name === 'index.html' ? '/' : `/${name}`,
  {
    status: 200,
    text: readFileSync(new URL(`../page/${name}`, import.meta.url), 'utf8'),
    type: `${TYPES[name.split('.')[1]]}; charset=utf-8`,
  },
]))

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const json = (value, status = 200) => ({ status, text: JSON.stringify(value), type: 'application/json' })

/** An answer that ends the handling of a request. */
class Refusal extends Error {
  constructor(status, text) {
    super(text)
    this.status = status
  }
}

/** Reads the raw bytes: a webhook's signature is of these, never of a parsed and re-serialised body. */
async function readBody(request) {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size <= MAX_BODY) chunks.push(chunk)
  }
  if (size > MAX_BODY) throw new Refusal(413, 'body too large')
  return Buffer.concat(chunks)
}

const mask = (number) => `${number.slice(0, 3)}***${number.slice(-2)}`

/**
 * An attempt of one browser session to prove a number. Its `id` is ours, so that a page never handles a
 * `confirmationId`, and it is worth nothing without the session's cookie.
 */
class Check {
  id = randomBytes(16).toString('base64url')
  verifiedNumber = null
  watchers = new Set()
  #state = 'open'

  /** `phoneNumber` is the number to confirm, or `undefined`. `started` is the service's answer. */
  constructor(session, phoneNumber, started, graceMs) {
    Object.assign(this, { session, phoneNumber, started })
    // Not by `expiresAt`: this clock may be wrong.
    this.expiresAt = Date.now() + started.expiresIn * 1000
    // A text that arrived in time may need a few seconds to become a webhook.
    this.deadline = this.expiresAt + graceMs
  }

  get state() {
    return this.#state === 'open' && Date.now() >= this.deadline ? 'expired' : this.#state
  }

  /** Ends the check because of a webhook, and returns the state that it had. */
  end(phoneNumber) {
    const before = this.state
    if (before === 'open') {
      this.#state = 'verified'
      this.verifiedNumber = phoneNumber
    } else if (before === 'expired') {
      this.#state = 'late'
    }
    for (const notify of this.watchers) notify()
    return before
  }

  /** Returns what the page shows. */
  view() {
    const { id, state, verifiedNumber } = this
    if (state === 'verified') return { id, state, phoneNumber: verifiedNumber }
    if (state !== 'open') return { id, state: 'expired' }
    const { confirmationMessage: message, confirmationUri: uri, sendTo } = this.started
    const secondsLeft = Math.max(0, Math.ceil((this.expiresAt - Date.now()) / 1000))
    return { id, state, secondsLeft, message, sendTo, uri }
  }
}

/**
 * All checks. In a real service this is a table, with an index on the confirmation's id: ending a check
 * is `UPDATE ... WHERE confirmation_id = ? AND state = 'open' AND deadline > now()`, in one transaction
 * with everything that your service does about it. Delete rows after two days: until then, webhooks are
 * retried.
 */
class Checks {
  #byId = new Map()
  #byConfirmation = new Map()
  #bySession = new Map()

  add(check) {
    this.#byId.set(check.id, check)
    this.#byConfirmation.set(check.started.confirmationId, check)
    this.#bySession.set(check.session, check)
  }

  /** Returns a check of this session. Another session's is as unknown as one that does not exist. */
  find(id, session) {
    const check = this.#byId.get(id)
    if (!check || check.session !== session) throw new Refusal(404, 'unknown check')
    return check
  }

  latest(session) {
    return this.#bySession.get(session)
  }

  ofConfirmation(confirmationId) {
    return this.#byConfirmation.get(confirmationId)
  }
}

/** Replace this with what your service does with a number that is verified for a session. */
function onVerified({ verifiedNumber }) {
  console.log(`verified ${mask(verifiedNumber)}`)
}

async function webhook(request, { checks }) {
  const { confirmationId, phoneNumber } = await verifiedEvent(request)
  const check = checks.ofConfirmation(confirmationId)
  if (!check) throw new Refusal(404, 'unknown confirmation')
  const before = check.end(phoneNumber)
  if (before === 'open') onVerified(check)
  // The user has been told to start again, so a late webhook must not change anything.
  if (before === 'expired') console.log(`too late: ${mask(phoneNumber)}`)
  return { status: 200, text: before === 'open' ? 'accepted' : 'already ended' }
}

/**
 * The library's own handler answers webhooks alike, and accepts each once. This one is for the checks, which also
 * expire.
 */
async function verifiedEvent(request) {
  const body = await readBody(request)
  try {
    return await countersign.webhooks.verify(body, request.headers)
  } catch (error) {
    if (error instanceof KeysUnavailableError) throw new Refusal(500, 'cannot verify just now')
    if (!(error instanceof WebhookVerificationError)) throw error
    throw error.reason === 'not_an_event'
      ? new Refusal(400, 'not a confirmation')
      : new Refusal(403, 'signature refused')
  }
}

function startConfirmation({ callbackUrl }, phoneNumber) {
  const { confirmations } = countersign
  const started = phoneNumber === undefined
    ? confirmations.acquire({ callbackUrl })
    : confirmations.confirm({ callbackUrl, phoneNumber })
  return started.catch((error) => { throw refusalOf(error) })
}

/** Returns what the user is told about a problem. Only the log gets its code. */
function refusalOf({ code = '', status, requestId = 'no problem document', message }) {
  if (code.startsWith('phone_number_')) {
    return new Refusal(422, 'This is not a phone number in international form, such as +1 202 555 0100.')
  }
  console.error(`no confirmation: ${code || message} (${requestId})`)
  const busy = status === 429 || status === 503
  return new Refusal(503, busy ? 'Please try again in a minute.' : 'This does not work at the moment.')
}

async function start(request, context) {
  // Otherwise another site could start checks for its visitors here.
  if (request.headers.origin !== context.origin) throw new Refusal(403, 'the request comes from another page')
  const session = sessionOf(request, context)
  if (!session) throw new Refusal(403, 'Please allow cookies and reload the page.')
  const { phoneNumber } = parseStart(await readBody(request))
  const previous = context.checks.latest(session)
  const open = previous?.state === 'open'
  if (open && previous.phoneNumber === phoneNumber) return json(previous.view())
  const started = await startConfirmation(context, phoneNumber)
  const check = new Check(session, phoneNumber, started, context.graceMs)
  context.checks.add(check)
  // This is a courtesy: confirmations that nobody waits for count towards the app's quota.
  if (open) countersign.confirmations.cancel(previous.started.confirmationId).catch(() => {})
  return json(check.view())
}

function parseStart(body) {
  let wanted
  try {
    wanted = JSON.parse(body.toString('utf8'))
  } catch {
    // Refused below.
  }
  const phoneNumber = wanted?.phoneNumber
  if (!wanted || !['undefined', 'string'].includes(typeof phoneNumber)) throw new Refusal(400, 'not a start')
  return { phoneNumber }
}

/** Streams a check's view at each change, and now and then, so that proxies keep the connection. */
function stream(response, check) {
  if (check.watchers.size >= MAX_STREAMS) throw new Refusal(429, 'too many streams')
  response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
  const notify = () => {
    response.write(`data: ${JSON.stringify(check.view())}\n\n`)
    if (check.state !== 'open') response.end()
  }
  const heartbeat = setInterval(notify, HEARTBEAT_MS)
  const expiry = setTimeout(notify, Math.max(0, check.deadline - Date.now()) + 1)
  check.watchers.add(notify)
  response.on('close', () => {
    clearInterval(heartbeat)
    clearTimeout(expiry)
    check.watchers.delete(notify)
  })
  notify()
}

/** Returns the browser's session. A real service uses its own sessions. */
function sessionOf(request, { cookie }) {
  const pairs = (request.headers.cookie ?? '').split('; ').map((pair) => pair.split('='))
  const value = pairs.find(([name]) => name === cookie.name)?.[1]
  return /^[\w-]{43}$/.test(value) ? value : undefined
}

/** Returns the page, with a session for a browser that has none. */
function page(request, context) {
  const file = FILES.get('/')
  if (sessionOf(request, context)) return file
  const { name, attributes } = context.cookie
  return { ...file, headers: { 'set-cookie': `${name}=${randomBytes(32).toString('base64url')}; ${attributes}` } }
}

function route(request, response, context) {
  const path = request.url.split('?')[0]
  const [, id, events] = /^\/checks\/([\w-]{22})(\/events)?$/.exec(path) ?? []
  const method = path === '/checks' || path === '/webhook' ? 'POST' : 'GET'
  if (!id && !FILES.has(path) && method === 'GET') throw new Refusal(404, 'not found')
  if (request.method !== method) throw new Refusal(405, `${method} only`)
  if (path === '/webhook') return webhook(request, context)
  if (path === '/checks') return start(request, context)
  if (path === '/') return page(request, context)
  if (!id) return FILES.get(path)
  const check = context.checks.find(id, sessionOf(request, context))
  return events ? stream(response, check) : json(check.view())
}

async function answer(request, response, context) {
  try {
    return await route(request, response, context)
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, 'internal error')
    if (refusal !== error) console.error(error)
    return { status: refusal.status, text: refusal.message }
  }
}

const { COUNTERSIGN_API_KEY = '', CALLBACK_URL, ORIGIN, GRACE_SECONDS = '10', PORT = '4000' } = process.env
const { COUNTERSIGN_URL = 'http://127.0.0.1:8787' } = process.env
const countersign = new Countersign({ url: COUNTERSIGN_URL, apiKey: COUNTERSIGN_API_KEY })
const context = {
  callbackUrl: CALLBACK_URL,
  checks: new Checks(),
  graceMs: Number(GRACE_SECONDS) * 1000,
}
const server = createServer(async (request, response) => {
  const answered = await answer(request, response, context)
  if (!answered) return
  const { status, text, type = 'text/plain; charset=utf-8', headers } = answered
  response.writeHead(status, { ...HEADERS, 'content-type': type, ...headers }).end(text)
})
server.requestTimeout = 10_000
server.listen(Number(PORT), '127.0.0.1', () => {
  const address = `http://127.0.0.1:${server.address().port}`
  context.callbackUrl ??= `${address}/webhook`
  context.origin = ORIGIN ?? address
  context.cookie = { name: 'session', attributes: 'Path=/; HttpOnly; SameSite=Lax' }
  if (context.origin.startsWith('https:')) {
    // Browsers let no other host set a cookie with this prefix.
    context.cookie = { name: '__Host-session', attributes: `${context.cookie.attributes}; Secure` }
  }
  console.log(`listening on ${address}`)
})
