import { mountLogin } from './handlers/adapter.js'
import { readWebBody } from './handlers/request.js'
import { webhookHandler } from './handlers/webhook.js'

/**
 * Handles webhooks, in a `route.js`: `export const POST = webhook(countersign, { onVerified })`.
 *
 * @template [Tx=void]
 * @param {import('./countersign.js').Countersign<Tx>} countersign
 * @param {import('./handlers/webhook.js').WebhookOptions<Tx>} options
 * @returns {(request: Request) => Promise<Response>}
 */
export function webhook(countersign, options) {
  const handle = webhookHandler(countersign, options)
  return async (request) => toResponse(await handle(partsOf(request)))
}

/**
 * Handles logins, in a `route.js`: `export const POST = login(countersign, { origin, findKey, onLogin })`. `onLogin`
 * sets the session, with `cookies()` of `next/headers`, and may also return the answer.
 *
 * @param {import('./countersign.js').Countersign<any>} countersign
 * @param {import('./handlers/login.js').LoginOptions & {
 *   onLogin: (login: import('./handlers/login.js').Login, request: Request) => unknown
 * }} options
 * @returns {(request: Request) => Promise<Response>}
 */
export function login(countersign, options) {
  const handle = mountLogin(countersign, options)
  return async (request) => {
    const { answer, own } = await handle(partsOf(request), request)
    return own instanceof Response ? own : toResponse(answer)
  }
}

/** @param {Request} request */
function partsOf(request) {
  return { method: request.method, headers: request.headers, body: async () => readWebBody(request) }
}

/** @param {import('./handlers/answer.js').Answer} answer */
const toResponse = ({ status, headers, body }) => new Response(body, { status, headers })
