import { KeysUnavailableError, RecordMissingError, WebhookVerificationError } from '../errors.js'
import { assertCallback, assertOptions } from '../options.js'
import { acceptOnce, loginWebhookId } from '../store.js'
import { Refusal, answer, answering, consoleLog } from './answer.js'
import { assertClient } from './mount.js'
import { assertPost, rawBody } from './request.js'

/**
 * Acts on a verified number, once for each confirmation. Take the user from your own record of `event.confirmationId`,
 * and throw a `RecordMissingError` if there is none: if it returns, the webhook does not come again. If it throws, the
 * service tries again. `transaction` is the store's, if it has one.
 *
 * @template [Tx=void]
 * @typedef {(event: import('../webhooks.js').ConfirmationEvent, transaction: Tx) => unknown} OnVerified
 */

/**
 * Gets each decision about a login that this server opened with `logins.create`. Log nobody in because of it.
 *
 * @template [Tx=void]
 * @typedef {(event: import('../webhooks.js').LoginEvent, transaction: Tx) => unknown} OnLoginEvent
 */

/**
 * `onVerified`, `onLogin` or both. `log` gets failures and refusals, in place of the console.
 *
 * @template [Tx=void]
 * @typedef {({ onVerified: OnVerified<Tx>, onLogin?: OnLoginEvent<Tx> }
 *   | { onVerified?: never, onLogin: OnLoginEvent<Tx> }) & { log?: import('./answer.js').Log }} WebhookOptions
 */

/**
 * Returns a handler of webhooks.
 *
 * @template [Tx=void]
 * @param {import('../countersign.js').Countersign<Tx>} countersign
 * @param {WebhookOptions<Tx>} options
 * @returns {(request: import('./request.js').HandlerRequest) => Promise<import('./answer.js').Answer>}
 */
export function webhookHandler(countersign, options) {
  assertClient(countersign)
  assertOptions('webhook', options, ['onVerified', 'onLogin', 'log'])
  const { onVerified, onLogin, log = consoleLog } = options
  if (onVerified === undefined && onLogin === undefined) throw new TypeError('webhook needs onVerified or onLogin')
  if (onVerified !== undefined) assertCallback('onVerified', onVerified)
  if (onLogin !== undefined) assertCallback('onLogin', onLogin)
  assertCallback('log', log)
  countersign.webhooks.requireVerification()
  return (request) => answering(log, async () => {
    assertPost(request)
    const event = await verified(countersign, await rawBody(request), request.headers)
    if ('confirmationId' in event) {
      if (!onVerified) throw new Refusal(400, 'not a confirmation')
      const act = (/** @type {Tx} */ transaction) => onVerified(event, transaction)
      return answerTo(await accepted(countersign.store, event.confirmationId, act), 'unknown confirmation')
    }
    if (!onLogin) throw new Refusal(400, 'not a confirmation')
    const act = (/** @type {Tx} */ transaction) => onLogin(event, transaction)
    return answerTo(await accepted(countersign.store, loginWebhookId(event.sessionId), act), 'unknown login')
  })
}

/**
 * @param {import('../countersign.js').Countersign<any>} countersign
 * @param {Uint8Array} body
 * @param {import('../headers.js').HeadersLike} headers
 */
async function verified(countersign, body, headers) {
  try {
    return await countersign.webhooks.verify(body, headers)
  } catch (error) {
    if (error instanceof KeysUnavailableError) {
      throw new Refusal(500, 'cannot verify just now', error.message, error.cause)
    }
    if (!(error instanceof WebhookVerificationError)) throw error
    if (error.reason === 'not_an_event') throw new Refusal(400, 'not a confirmation')
    throw new Refusal(403, 'signature refused', error.message)
  }
}

/**
 * @template Tx
 * @param {import('../store.js').Store<Tx>} store
 * @param {string} id
 * @param {import('../store.js').Act<Tx>} act
 */
async function accepted(store, id, act) {
  try {
    return await acceptOnce(store, id, act)
  } catch (error) {
    if (error instanceof RecordMissingError) throw new Refusal(503, 'record missing', error.message)
    throw error
  }
}

/**
 * @param {import('../store.js').Outcome} outcome
 * @param {string} unknown
 */
function answerTo(outcome, unknown) {
  if (outcome === 'accepted') return answer(200, 'accepted')
  if (outcome === 'repeated') return answer(200, 'already accepted')
  // Not 410, which would end the delivery: the store may be behind, or may have been restored.
  throw new Refusal(404, unknown)
}
