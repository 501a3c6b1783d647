// The handlers are plain functions of a request and a response, so that they also fit Connect and `node:http`.

import { bodyRead, readStream } from './handlers/request.js'
import { loginHandler } from './handlers/login.js'
import { webhookHandler } from './handlers/webhook.js'

/** @typedef {import('express').Request} Request */
/** @typedef {import('express').Response} Response */

/**
 * Handles webhooks: `app.post('/webhooks', webhook(countersign, { onVerified }))`, before any `express.json()`.
 *
 * @param {import('./countersign.js').Countersign} countersign
 * @param {import('./handlers/webhook.js').WebhookOptions} options
 * @returns {(request: Request, response: Response) => Promise<void>}
 */
export function webhook(countersign, options) {
  const handle = webhookHandler(countersign, options)
  return async (request, response) => {
    send(response, await handle({ ...partsOf(request), body: () => bytesOf(request) }))
  }
}

/**
 * Handles logins: `app.post('/login', login(countersign, { origin, findKey, onLogin }))`. `onLogin` sets the session,
 * and may also send the answer.
 *
 * @param {import('./countersign.js').Countersign} countersign
 * @param {import('./handlers/login.js').LoginOptions & {
 *   onLogin: (login: import('./handlers/login.js').VerifiedLogin, request: Request, response: Response) => unknown
 * }} options
 * @returns {(request: Request, response: Response) => Promise<void>}
 */
export function login(countersign, { onLogin, ...options }) {
  const handle = loginHandler(countersign, options)
  return async (request, response) => {
    // A login is not signed as bytes, so that a parsed body is as good.
    const body = () => isParsed(request) ? Promise.resolve(JSON.stringify(request.body)) : bytesOf(request)
    send(response, await handle({ ...partsOf(request), body }, (verified) => onLogin(verified, request, response)))
  }
}

/** @param {Request} request */
const partsOf = ({ method, headers }) => ({ method, headers })

/** @param {Request} request */
const isParsed = ({ body, readableDidRead }) => readableDidRead && !Buffer.isBuffer(body)

/** @param {Request} request */
async function bytesOf(request) {
  if (Buffer.isBuffer(request.body)) return request.body
  if (isParsed(request)) throw bodyRead('mount it before express.json() and other parsers')
  return readStream(request)
}

/**
 * @param {Response} response
 * @param {import('./handlers/answer.js').Answer} answer
 */
function send(response, { status, headers, body }) {
  if (!response.headersSent) response.writeHead(status, headers).end(body)
}
