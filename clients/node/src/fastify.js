import { mountLogin } from './handlers/adapter.js'
import { readStream } from './handlers/request.js'
import { webhookHandler } from './handlers/webhook.js'

/** @typedef {import('fastify').FastifyInstance} FastifyInstance */
/** @typedef {import('fastify').FastifyRequest} FastifyRequest */
/** @typedef {import('fastify').FastifyReply} FastifyReply */
/** @typedef {import('./handlers/answer.js').Answer} Answer */
/** @typedef {import('./handlers/login.js').Login} Login */

/**
 * Handles webhooks, as a plugin whose scope keeps the raw body, whatever the app does with other bodies:
 * `app.register(webhook(countersign, { onVerified }), { prefix: '/webhooks' })`.
 *
 * @template [Tx=void]
 * @param {import('./countersign.js').Countersign<Tx>} countersign
 * @param {import('./handlers/webhook.js').WebhookOptions<Tx>} options
 * @returns {(scope: FastifyInstance) => Promise<void>}
 */
export function webhook(countersign, options) {
  const handle = webhookHandler(countersign, options)
  return plugin((request) => handle(partsOf(request)))
}

/**
 * Handles logins, as a plugin: `app.register(login(countersign, { origin, findKey, onLogin }), { prefix: '/login' })`.
 * `onLogin` sets the session, and may also send the answer.
 *
 * @param {import('./countersign.js').Countersign<any>} countersign
 * @param {import('./handlers/login.js').LoginOptions & {
 *   onLogin: (login: Login, request: FastifyRequest, reply: FastifyReply) => unknown
 * }} options
 * @returns {(scope: FastifyInstance) => Promise<void>}
 */
export function login(countersign, options) {
  const handle = mountLogin(countersign, options)
  return plugin(async (request, reply) => (await handle(partsOf(request), request, reply)).answer)
}

/**
 * @param {(request: FastifyRequest, reply: FastifyReply) => Promise<Answer>} handle
 * @returns {(scope: FastifyInstance) => Promise<void>}
 */
function plugin(handle) {
  return async (scope) => {
    scope.removeAllContentTypeParsers()
    // The handler reads the stream, with its own limit and its own answer.
    scope.addContentTypeParser('*', (_request, stream, done) => done(null, stream))
    scope.all('/', async (request, reply) => {
      const { status, headers, body } = await handle(request, reply)
      if (!reply.sent) reply.code(status).headers(headers).send(body)
      return reply
    })
  }
}

/** @param {FastifyRequest} request */
function partsOf({ method, headers, body }) {
  const stream = /** @type {AsyncIterable<Uint8Array> | undefined} */ (body)
  return { method, headers, body: async () => stream ? readStream(stream) : '' }
}
