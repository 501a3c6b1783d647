import { mountLogin } from './handlers/adapter.js'
import { readWebBody } from './handlers/request.js'
import { webhookHandler } from './handlers/webhook.js'

/** @typedef {import('hono').Context} Context */

/**
 * Handles webhooks: `app.post('/webhooks', webhook(countersign, { onVerified }))`.
 *
 * @template [Tx=void]
 * @param {import('./countersign.js').Countersign<Tx>} countersign
 * @param {import('./handlers/webhook.js').WebhookOptions<Tx>} options
 * @returns {(context: Context) => Promise<Response>}
 */
export function webhook(countersign, options) {
  const handle = webhookHandler(countersign, options)
  return async (context) => respond(context, await handle(partsOf(context)))
}

/**
 * Handles logins: `app.post('/login', login(countersign, { origin, findKey, onLogin }))`. `onLogin` sets the session,
 * and may also return the answer.
 *
 * @param {import('./countersign.js').Countersign<any>} countersign
 * @param {import('./handlers/login.js').LoginOptions & {
 *   onLogin: (login: import('./handlers/login.js').Login, context: Context) => unknown
 * }} options
 * @returns {(context: Context) => Promise<Response>}
 */
export function login(countersign, options) {
  const handle = mountLogin(countersign, options)
  return async (context) => {
    const { answer, own } = await handle(partsOf(context), context)
    return own instanceof Response ? own : respond(context, answer)
  }
}

/** @param {Context} context */
function partsOf({ req }) {
  const { raw } = req
  return { method: raw.method, headers: raw.headers, body: async () => await cachedBody(req) ?? readWebBody(raw) }
}

/**
 * Returns the body that middleware has read with `text()`, `json()`, `arrayBuffer()` or `bytes()`, which Hono keeps
 * unchanged. (A `json` in the cache was parsed by a validator, and is not what arrived.)
 *
 * @param {Context['req']} req
 */
async function cachedBody({ bodyCache }) {
  const { arrayBuffer, text, blob } = bodyCache
  return arrayBuffer ?? text ?? (await blob)?.arrayBuffer()
}

/**
 * Answers through the context, which adds the cookies that were set on it.
 *
 * @param {Context} context
 * @param {import('./handlers/answer.js').Answer} answer
 */
function respond(context, { status, headers, body }) {
  return context.body(body, /** @type {import('hono/utils/http-status').ContentfulStatusCode} */ (status), headers)
}
