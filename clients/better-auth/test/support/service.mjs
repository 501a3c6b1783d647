// A service whose texts a test sends: a `fetch` for the plugin, without a network.

import { createHmac, randomBytes } from 'node:crypto'

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
export const API_KEY = 'cs_test_0123456789'
export const APP_KEY = 'cs_app_0123456789abcdefABCDEF'

export class FakeService {
  /** Requests in their order: `{ method, path, body, idempotencyKey }`. */
  requests = []
  confirmations = new Map()
  keys = new Map()
  /** Refuses all requests: `{ status, code, retryAfter }`. */
  refusal = undefined

  fetch = async (url, { method, headers, body }) => {
    const path = new URL(url).pathname
    const asked = { method, path, body: body ? JSON.parse(body) : {}, idempotencyKey: new Headers(headers).get('idempotency-key') }
    this.requests.push(asked)
    if (this.refusal) return problem(this.refusal)
    const [status, answer] = this.#answer(asked)
    return Response.json(answer, { status, headers: { date: new Date().toUTCString() } })
  }

  #answer({ method, path, body, idempotencyKey }) {
    if (path === '/acquire-phone-number' || path === '/make-confirmation') {
      const known = this.confirmations.get(idempotencyKey)
      if (known) return [200, known.answer]
      const confirmationId = `cfm_${randomBytes(16).toString('hex')}`
      const answer = {
        confirmationId,
        confirmationMessage: `CS-${randomBytes(8).toString('hex')}`,
        confirmationUri: {},
        sendTo: '+12025550199',
        expiresIn: 300,
        client: { token: randomBytes(16).toString('hex') },
        ...(path === '/make-confirmation' ? { phoneNumber: body.phoneNumber.replaceAll(' ', '') } : {}),
      }
      this.confirmations.set(idempotencyKey, { answer, body })
      return [200, answer]
    }
    if (path === '/association-keys') return [201, { keyId: body.publicKey.padEnd(43, 'A').slice(0, 43) }]
    if (method === 'DELETE') return [200, { confirmationId: path.split('/')[2], keyId: path.split('/')[2] }]
    throw new Error(`the fake service has no ${method} ${path}`)
  }

  /** Returns the webhook of a text, as the service would send it to this server. */
  webhook({ confirmationId }, phoneNumber, { secret = WEBHOOK_SECRET, at = Date.now(), ...headers } = {}) {
    const { body: { callbackUrl } = {} } = [...this.confirmations.values()].find(({ answer }) => answer.confirmationId === confirmationId) ?? {}
    const event = { carrier: '', confirmationId, metadata: {}, phoneNumber, timestamp: new Date(at).toISOString(), validationStatus: 'valid' }
    return signed(callbackUrl ?? 'http://localhost:3000/api/auth/countersign/webhook', JSON.stringify(event), { secret, at, headers })
  }
}

/** Returns a signed webhook with any body. */
export function signed(url, body, { secret = WEBHOOK_SECRET, at = Date.now(), headers = {} } = {}) {
  const id = 'msg_1'
  const timestamp = String(Math.floor(at / 1000))
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  return new Request(url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json', 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature, ...headers,
    },
  })
}

function problem({ status, code, retryAfter }) {
  const headers = { 'content-type': 'application/problem+json', ...(retryAfter ? { 'retry-after': String(retryAfter) } : {}) }
  return new Response(JSON.stringify({ title: `About ${code}`, status, code }), { status, headers })
}
