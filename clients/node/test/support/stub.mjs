// A service whose answers a test determines.

import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

import { assemble } from '../../src/countersign.js'
import { fakeSystem } from './system.mjs'

export const API_KEY = 'cs_live_secret'
export const APP_KEY = 'cs_app_0123456789abcdefABCDEF'

/** The answer to a started confirmation. */
export const started = (number = 1) => ({
  status: 200,
  body: {
    confirmationId: `cfm_${String(number).padStart(32, '0')}`,
    confirmationMessage: 'CS-SECRET',
    phoneNumber: '+12025550100',
    expiresIn: 300,
  },
})

/** A problem document. */
export const problem = (status, code, headers = {}) => ({
  status,
  headers,
  body: { type: `/problems/${code}`, title: `About ${code}`, status, code, requestId: 'req_1' },
})

/** Returns a key from a table in the vectors, or nothing. */
export const finderOf = (keys) => (keyId) => keys.find((key) => key.keyId === keyId)

/** A key that signs webhooks. */
export function signingKey(kid) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    kid,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' },
    /** Returns the headers of a webhook with this body. */
    sign: (body) => ({
      'x-signature-key-id': kid,
      'x-signature': sign('sha256', Buffer.from(body), privateKey).toString('base64'),
    }),
  }
}

/** The body of a webhook. */
export const eventOf = (confirmationId, phoneNumber = '+12025550100') => JSON.stringify({
  carrier: '',
  confirmationId,
  metadata: {},
  phoneNumber,
  timestamp: '2026-01-02T03:04:05.678Z',
  validationStatus: 'valid',
})

/** The body of a webhook about a login. */
export const loginEventOf = (sessionId) => JSON.stringify({
  event: 'login.confirmed',
  result: 'confirmed',
  sessionId,
  timestamp: '2026-01-02T03:04:05.678Z',
})

/** The body of a webhook about a phone that was set up. */
export const phoneEventOf = (registrationId) => JSON.stringify({
  event: 'phone.registered',
  keyId: 'cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s',
  kind: 'passkey',
  label: 'Chrome on Android',
  publicUserId: 'zoe@example.com',
  registrationId,
  timestamp: '2026-01-02T03:04:05.678Z',
})

/** Sends a byte of a body now and then, forever. */
function drip(response) {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 10)
  response.on('close', () => clearInterval(timer))
}

/**
 * Starts a stub, which is stopped at the end of the test. It returns `answers` one by one, and publishes `keys`. An
 * answer is `{ status, headers, body, dateless }`, `'drop'`, `'hang'` or `'drip'`, or a function that returns one for
 * a request.
 */
export async function startStub(t) {
  const stub = { requests: [], answers: [], keys: [], keysHeaders: {}, onRequest: () => {} }
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, url: path, headers } = request
    stub.requests.push({ method, path, headers, text: Buffer.concat(chunks).toString() })
    stub.onRequest()
    const isKeys = path === '/.well-known/jwks.json'
    const published = { status: 200, headers: stub.keysHeaders, body: { keys: stub.keys.map(({ jwk }) => jwk) } }
    const next = stub.answers.shift() ?? (isKeys ? published : problem(404, 'not_found'))
    const answer = typeof next === 'function' ? next(stub.requests.at(-1)) : next
    if (answer === 'hang') return
    if (answer === 'drip') return drip(response)
    if (answer === 'drop') return void request.socket.destroy()
    const { status, headers: given, body, dateless = false } = answer
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.sendDate = !dateless
    response.writeHead(status, { 'content-type': 'application/json', ...given }).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stub.url = `http://127.0.0.1:${server.address().port}`
  stub.stop = () => {
    server.closeAllConnections()
    return new Promise((resolve) => { server.close(resolve) })
  }
  t.after(stub.stop)
  return stub
}

/**
 * Starts a stub and a client of it, with fake time. The client verifies webhooks with published keys, unless it has
 * a secret. An undefined option is left out.
 */
export async function connect(t, options = {}, { clockError } = {}) {
  const stub = await startStub(t)
  const system = fakeSystem({ clockError })
  const keys = options.webhookSecret ? {} : { webhookKeys: 'published' }
  const given = Object.entries({ url: stub.url, apiKey: API_KEY, appKey: APP_KEY, ...keys, ...options })
  const countersign = assemble(Object.fromEntries(given.filter(([, value]) => value !== undefined)), system)
  return { stub, system, countersign }
}
