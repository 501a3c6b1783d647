// The handlers are plain functions of a request and a response, so that they also fit Connect and `node:http`.

import { mountLogin } from './handlers/adapter.js'
import { bodyRead, readStream } from './handlers/request.js'
import { webhookHandler } from './handlers/webhook.js'

/** @typedef {import('express').Request} Request */
/** @typedef {import('express').Response} Response */

/**
 * Handles webhooks: `app.post('/webhooks', webhook(countersign, { onVerified }))`, before any `express.json()`.
 *
 * @template [Tx=void]
 * @param {import('./countersign.js').Countersign<Tx>} countersign
 * @param {import('./handlers/webhook.js').WebhookOptions<Tx>} options
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
 * @param {import('./countersign.js').Countersign<any>} countersign
 * @param {import('./handlers/login.js').LoginOptions & {
 *   onLogin: (login: import('./handlers/login.js').Login, request: Request, response: Response) => unknown
 * }} options
 * @returns {(request: Request, response: Response) => Promise<void>}
 */
export function login(countersign, options) {
  const handle = mountLogin(countersign, options)
  return async (request, response) => {
    // A login's body is not signed, so a parsed body is just as good.
    const body = () => isObject(request.body) && isParsed(request) ? JSON.stringify(request.body) : bytesOf(request)
    const { answer } = await handle({ ...partsOf(request), body }, request, response)
    send(response, answer)
  }
}

/** @param {unknown} body */
const isObject = (body) => typeof body === 'object' && body !== null && !ArrayBuffer.isView(body)

/** @param {Request} request */
const partsOf = ({ method, headers }) => ({ method, headers })

/**
 * Whether something has already read the body, so that the stream is empty.
 *
 * @param {Request} request
 */
const isParsed = ({ body, readableDidRead }) => readableDidRead || (body !== undefined && !isEmpty(body))

/** @param {unknown} body `express.json()` of Express 4 leaves `{}` where it has read nothing. */
const isEmpty = (body) => typeof body === 'object' && body !== null && Object.keys(body).length === 0

/**
 * Returns the raw body: Nest, Firebase and `express.json({ verify })` store it as `rawBody`, `express.raw()`
 * and `express.text()` as `body`.
 *
 * @param {Request & { rawBody?: unknown }} request
 */
async function bytesOf(request) {
  for (const kept of [request.rawBody, request.body]) {
    if (typeof kept === 'string' || ArrayBuffer.isView(kept)) return kept
  }
  if (isParsed(request)) {
    throw bodyRead('mount the handler before express.json() and other parsers, or have them keep it as request.rawBody')
  }
  if (!(Symbol.asyncIterator in request)) throw bodyRead('the request is no stream, and has no rawBody')
  return readStream(request)
}

/**
 * @param {Response} response
 * @param {import('./handlers/answer.js').Answer} answer
 */
function send(response, { status, headers, body }) {
  if (!response.headersSent) response.writeHead(status, headers).end(body)
}
