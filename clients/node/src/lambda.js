// AWS Lambda handlers, for REST APIs, HTTP APIs, function URLs and load balancers.

import { mountLogin } from './handlers/adapter.js'
import { webhookHandler } from './handlers/webhook.js'

/**
 * The relevant members of an event. `APIGatewayProxyEvent`, `APIGatewayProxyEventV2`, `LambdaFunctionURLEvent` and
 * `ALBEvent` of `@types/aws-lambda` fit.
 *
 * @typedef {object} LambdaEvent
 * @property {string} [httpMethod]
 * @property {{ http?: { method: string } }} [requestContext]
 * @property {Record<string, string | undefined> | null} [headers]
 * @property {Record<string, string[] | undefined> | null} [multiValueHeaders]
 * @property {string | null} [body]
 * @property {boolean} [isBase64Encoded]
 */

/**
 * @typedef {object} LambdaAnswer
 * @property {number} statusCode
 * @property {Record<string, string>} headers
 * @property {Record<string, string[]>} [multiValueHeaders] Present if the event has them: a load balancer that sends
 *   lists reads only lists.
 * @property {string} body
 */

/**
 * Handles webhooks: `export const handler = webhook(countersign, { onVerified })`.
 *
 * @template [Tx=void]
 * @param {import('./countersign.js').Countersign<Tx>} countersign
 * @param {import('./handlers/webhook.js').WebhookOptions<Tx>} options
 * @returns {(event: LambdaEvent) => Promise<LambdaAnswer>}
 */
export function webhook(countersign, options) {
  const handle = webhookHandler(countersign, options)
  return async (event) => answerOf(event, await handle(partsOf(event)))
}

/**
 * Handles logins: `export const handler = login(countersign, { origin, findKey, onLogin })`. `onLogin` may return the
 * answer, with the cookie of a session.
 *
 * @template {{ statusCode: number }} [A=never]
 * @param {import('./countersign.js').Countersign<any>} countersign
 * @param {import('./handlers/login.js').LoginOptions & {
 *   onLogin: (login: import('./handlers/login.js').Login, event: LambdaEvent) => A | void | Promise<A | void>
 * }} options
 * @returns {(event: LambdaEvent) => Promise<LambdaAnswer | A>}
 */
export function login(countersign, options) {
  const handle = mountLogin(countersign, options)
  return async (event) => {
    const { answer, own } = await handle(partsOf(event), event)
    return own ? own : answerOf(event, answer)
  }
}

/** @param {LambdaEvent} event */
function partsOf({ httpMethod, requestContext, headers, multiValueHeaders, body, isBase64Encoded }) {
  return {
    method: httpMethod ?? requestContext?.http?.method,
    // The lists contain all values, whereas the single values contain only the last ones.
    headers: multiValueHeaders ?? headers ?? {},
    body: isBase64Encoded ? Buffer.from(body ?? '', 'base64') : body,
  }
}

/**
 * @param {LambdaEvent} event
 * @param {import('./handlers/answer.js').Answer} answer
 * @returns {LambdaAnswer}
 */
function answerOf({ multiValueHeaders }, { status, headers, body }) {
  const lists = () => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
  return { statusCode: status, headers, ...(multiValueHeaders ? { multiValueHeaders: lists() } : {}), body }
}
