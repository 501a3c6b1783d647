// A Countersign webhook receiver in Node.js 20 or later, without dependencies.
//
//   COUNTERSIGN_API_KEY=cs_live_... node receiver.mjs
//
// ../README.md lists the rules that it follows, and ../../webhooks.md explains them. phone-number.mjs uses
// it, too.

import { createPublicKey, verify } from 'node:crypto'
import { createServer } from 'node:http'
import { pathToFileURL } from 'node:url'

const MAX_BODY = 64 * 1024
const KEYS_MAX_AGE_MS = 5 * 60 * 1000
const OUTGOING_TIMEOUT_MS = 5000
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** An answer that ends the handling of a request. */
export class Refusal extends Error {
  constructor(status, text) {
    super(text)
    this.status = status
  }
}

/** The service's public keys by key id, kept as long as its `Cache-Control` allows. */
export class KeyRing {
  #url
  #refetchMs
  #keys = new Map()
  #loadedAt = -Infinity
  #triedAt = -Infinity
  #fetching = null

  constructor(baseUrl, refetchSeconds) {
    this.#url = `${baseUrl}/.well-known/jwks.json`
    this.#refetchMs = refetchSeconds * 1000
  }

  /** Returns the key, or `undefined` if the service has no such key. Throws if the keys cannot be fetched. */
  async find(kid) {
    const known = this.#known(kid)
    if (known) return known
    // Anybody can send us invented key ids, so we do not fetch for each unknown one.
    if (!this.#fetching) {
      if (performance.now() - this.#triedAt < this.#refetchMs) {
        throw new Refusal(500, 'cannot verify just now')
      }
      this.#triedAt = performance.now()
      this.#fetching = this.#fetch().finally(() => { this.#fetching = null })
    }
    await this.#fetching
    return this.#known(kid)
  }

  #known(kid) {
    const fresh = performance.now() - this.#loadedAt < KEYS_MAX_AGE_MS
    return fresh ? this.#keys.get(kid) : undefined
  }

  async #fetch() {
    try {
      const response = await fetch(this.#url, {
        redirect: 'error',
        signal: AbortSignal.timeout(OUTGOING_TIMEOUT_MS),
      })
      if (!response.ok) throw new Error(`status ${response.status}`)
      const { keys } = await response.json()
      this.#keys = new Map(keys
        .filter((jwk) => jwk.kty === 'EC' && jwk.crv === 'P-256')
        .map((jwk) => [jwk.kid, createPublicKey({ key: jwk, format: 'jwk' })]))
      this.#loadedAt = performance.now()
    } catch (cause) {
      console.error('no keys:', cause.message)
      throw new Refusal(500, 'cannot verify just now')
    }
  }
}

/**
 * The confirmations that we started. In a real service this is a table, so that it survives a
 * restart: `accept` is `UPDATE ... SET state = 'accepted' WHERE id = ? AND state = 'pending'`,
 * in one transaction with everything that your service does about it.
 */
class Confirmations {
  #states = new Map()

  /** Call this when the service has answered, before a user sees the message. */
  remember(confirmationId) {
    if (!this.#states.has(confirmationId)) this.#states.set(confirmationId, 'pending')
  }

  /** Returns `accepted` the first time, `repeated` after that, and `unknown` if it is not ours. */
  accept(confirmationId) {
    const state = this.#states.get(confirmationId)
    if (state === 'pending') this.#states.set(confirmationId, 'accepted')
    return { pending: 'accepted', accepted: 'repeated' }[state] ?? 'unknown'
  }
}

/** Reads the raw bytes. The signature is of these bytes, never of a parsed and re-serialised body. */
export async function readBody(request) {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size <= MAX_BODY) chunks.push(chunk)
  }
  if (size > MAX_BODY) throw new Refusal(413, 'body too large')
  return Buffer.concat(chunks)
}

export async function checkSignature(keys, headers, body) {
  const kid = headers['x-signature-key-id']
  const signature = headers['x-signature']
  if (!kid || !signature) throw new Refusal(403, 'signature missing')
  const key = await keys.find(kid)
  if (!key) throw new Refusal(403, 'signature refused')
  // The signature is DER, which `verify` expects by default.
  if (!verify('sha256', body, key, Buffer.from(signature, 'base64'))) {
    throw new Refusal(403, 'signature refused')
  }
}

export function parseEvent(body) {
  let event
  try {
    event = JSON.parse(body.toString('utf8'))
  } catch {
    throw new Refusal(400, 'not a confirmation')
  }
  const { confirmationId, phoneNumber, validationStatus } = event ?? {}
  if (typeof confirmationId !== 'string' || typeof phoneNumber !== 'string'
    || validationStatus !== 'valid') {
    throw new Refusal(400, 'not a confirmation')
  }
  return event
}

export const mask = (number) => `${number.slice(0, 3)}***${number.slice(-2)}`

/** Replace this with what your service does with a verified number. */
function onVerified(event) {
  console.log(`verified ${mask(event.phoneNumber)}`)
}

async function webhook(request, { keys, confirmations }) {
  const body = await readBody(request)
  await checkSignature(keys, request.headers, body)
  const event = parseEvent(body)
  switch (confirmations.accept(event.confirmationId)) {
    case 'accepted':
      onVerified(event)
      return { status: 200, text: 'accepted' }
    case 'repeated':
      return { status: 200, text: 'already accepted' }
    default:
      throw new Refusal(404, 'unknown confirmation')
  }
}

/** Starts a confirmation, to try the receiver by hand. A real service does so for a signed-in user. */
async function start({ baseUrl, apiKey, callbackUrl, confirmations }) {
  let response
  try {
    response = await fetch(`${baseUrl}/acquire-phone-number`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ callbackUrl }),
      redirect: 'error',
      signal: AbortSignal.timeout(OUTGOING_TIMEOUT_MS),
    })
  } catch {
    throw new Refusal(502, 'the service did not answer')
  }
  const text = await response.text()
  if (response.status !== 200) throw new Refusal(502, `the service said ${response.status}: ${text}`)
  confirmations.remember(JSON.parse(text).confirmationId)
  return { status: 200, text, type: 'application/json' }
}

const routes = { '/webhook': webhook, '/start': (_request, context) => start(context) }

async function answer(request, context) {
  try {
    const route = routes[request.url.split('?')[0]]
    if (!route) throw new Refusal(404, 'not found')
    if (request.method !== 'POST') throw new Refusal(405, 'POST only')
    return await route(request, context)
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, 'internal error')
    if (refusal !== error) console.error(error)
    return { status: refusal.status, text: refusal.message }
  }
}

export function configuration(env) {
  const baseUrl = (env.COUNTERSIGN_URL ?? 'http://127.0.0.1:8787').replace(/\/+$/, '')
  const { protocol, hostname } = new URL(baseUrl)
  // Over plain http, anybody on the network path could send us a key of their own.
  if (protocol !== 'https:' && !LOOPBACK.has(hostname)) {
    throw new Error('COUNTERSIGN_URL must be https')
  }
  return {
    port: Number(env.PORT ?? 4000),
    baseUrl,
    apiKey: env.COUNTERSIGN_API_KEY ?? '',
    callbackUrl: env.CALLBACK_URL,
    keys: new KeyRing(baseUrl, Number(env.KEY_REFETCH_SECONDS ?? 10)),
    confirmations: new Confirmations(),
  }
}

function main() {
  const context = configuration(process.env)
  const server = createServer(async (request, response) => {
    const { status, text, type = 'text/plain; charset=utf-8' } = await answer(request, context)
    response.writeHead(status, { 'content-type': type }).end(text)
  })
  server.requestTimeout = 10_000
  server.listen(context.port, '127.0.0.1', () => {
    const address = `http://127.0.0.1:${server.address().port}`
    context.callbackUrl ??= `${address}/webhook`
    console.log(`listening on ${address}`)
  })
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main()
