import { KeysUnavailableError, WebhookVerificationError } from '../errors.js'
import { loginWebhookId } from '../store.js'
import { Refusal, answer, answering, consoleLog } from './answer.js'
import { assertPost, rawBody } from './request.js'

/**
 * @typedef {object} WebhookOptions
 * @property {(event: import('../webhooks.js').ConfirmationEvent, transaction?: any) => unknown} onVerified
 *   Acts on a verified number, once for each confirmation. Take the user from your own record of
 *   `event.confirmationId`. If it throws, the service tries again. `transaction` is the store's, if it has one.
 * @property {(event: import('../webhooks.js').LoginEvent, transaction?: any) => unknown} [onLogin]
 *   Is told about a login that this server opened with `logins.create`. Log nobody in because of it.
 * @property {import('./answer.js').Log} [log] Where failures and refusals are reported; the console if absent.
 */

/**
 * Returns a handler of webhooks.
 *
 * @param {import('../countersign.js').Countersign} countersign
 * @param {WebhookOptions} options
 * @returns {(request: import('./request.js').HandlerRequest) => Promise<import('./answer.js').Answer>}
 */
export function webhookHandler(countersign, { onVerified, onLogin, log = consoleLog }) {
  return (request) => answering(log, async () => {
    assertPost(request)
    const event = await verified(countersign, await rawBody(request), request.headers)
    if ('confirmationId' in event) {
      const act = (/** @type {unknown} */ transaction) => onVerified(event, transaction)
      return answerTo(await countersign.store.accept(event.confirmationId, act), 'unknown confirmation')
    }
    if (!onLogin) throw new Refusal(400, 'not a confirmation')
    const act = (/** @type {unknown} */ transaction) => onLogin(event, transaction)
    return answerTo(await countersign.store.accept(loginWebhookId(event.sessionId), act), 'unknown login')
  })
}

/**
 * @param {import('../countersign.js').Countersign} countersign
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
 * @param {import('../store.js').Outcome} outcome
 * @param {string} unknown
 */
function answerTo(outcome, unknown) {
  if (outcome === 'accepted') return answer(200, 'accepted')
  if (outcome === 'repeated') return answer(200, 'already accepted')
  // Not 410, which would end the delivery: the store may be behind, or may have been restored.
  throw new Refusal(404, unknown)
}
