import {
  ConnectionError, KeysUnavailableError, ProblemError, RecordMissingError, UnknownApprovalError, WebhookVerificationError,
} from '../errors.js'
import { assertCallback, assertOptions } from '../options.js'
import { acceptOnce, loginWebhookId } from '../store.js'
import { Refusal, answer, answering, consoleLog } from './answer.js'
import { assertClient } from './mount.js'
import { assertPost, rawBody } from './request.js'

/**
 * Acts on a verified number, once for each confirmation. Take the user from your own record of `event.confirmationId`,
 * and throw a `RecordMissingError` if there is none: if it returns, the webhook is not sent again. If it throws, the
 * service retries. `transaction` is the store's, if it has one.
 *
 * @template [Tx=void]
 * @typedef {(event: import('../webhooks.js').ConfirmationEvent, transaction: Tx) => unknown} OnVerified
 */

/**
 * Gets each decision about a login that this server opened with `logins.create`. Never log a user in because of it.
 *
 * @template [Tx=void]
 * @typedef {(event: import('../webhooks.js').LoginEvent, transaction: Tx) => unknown} OnLoginEvent
 */

/**
 * Gets the decision about an approval that this server started, unless `approvals.result` has returned it before. It
 * then counts as returned. If it throws, the service retries.
 *
 * @template [Tx=void]
 * @typedef {(decision: import('../approvals.js').ApprovalDecision, transaction: Tx) => unknown} OnApproval
 */

/**
 * Gets each phone that was set up with a registration that this server created with `phoneRegistrations.create`. Its key
 * is registered already, so use this to tell the user about the new phone. Without this callback, the handler
 * acknowledges such webhooks.
 *
 * @template [Tx=void]
 * @typedef {(event: import('../webhooks.js').PhoneRegisteredEvent, transaction: Tx) => unknown} OnPhoneRegistered
 */

/**
 * @template [Tx=void]
 * @typedef {object} WebhookCallbacks
 * @property {OnVerified<Tx>} onVerified
 * @property {OnLoginEvent<Tx>} onLogin
 * @property {OnApproval<Tx>} onApproval
 * @property {OnPhoneRegistered<Tx>} onPhoneRegistered
 */

/**
 * At least one of `onVerified`, `onLogin`, `onApproval` and `onPhoneRegistered`. `findKey` is that of `approvals.result`,
 * for `onApproval`. `log` gets failures and refusals, in place of the console.
 *
 * @template [Tx=void]
 * @typedef {Partial<WebhookCallbacks<Tx>>
 *   & ({ onVerified: OnVerified<Tx> } | { onLogin: OnLoginEvent<Tx> } | { onApproval: OnApproval<Tx> }
 *     | { onPhoneRegistered: OnPhoneRegistered<Tx> })
 *   & { findKey?: import('../proof.js').FindKey, log?: import('./answer.js').Log }} WebhookOptions
 */

const CALLBACKS = ['onVerified', 'onLogin', 'onApproval', 'onPhoneRegistered']

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
  assertOptions('webhook', options, [...CALLBACKS, 'findKey', 'log'])
  for (const [name, callback] of Object.entries(options)) assertCallback(name, callback)
  const { onVerified, onLogin, onApproval, onPhoneRegistered, findKey, log = consoleLog } = options
  if (!CALLBACKS.some((name) => name in options)) {
    throw new TypeError('webhook needs onVerified, onLogin, onApproval or onPhoneRegistered')
  }
  if (findKey && !onApproval) throw new TypeError('findKey is for onApproval, which is missing')
  if (onApproval) countersign.approvals.requireAppKey()
  countersign.webhooks.requireVerification()
  return (request) => answering(log, async () => {
    assertPost(request)
    const event = await verified(countersign, await rawBody(request), request.headers)
    if ('confirmationId' in event) {
      if (!onVerified) throw new Refusal(400, 'not a confirmation')
      const act = (/** @type {Tx} */ transaction) => onVerified(event, transaction)
      return answerTo(await accepted(countersign.store, event.confirmationId, act), 'unknown confirmation')
    }
    if ('registrationId' in event) {
      // The key is registered, and the app may read that from the service instead.
      if (!onPhoneRegistered) return answer(200, 'acknowledged')
      const act = (/** @type {Tx} */ transaction) => onPhoneRegistered(event, transaction)
      return answerTo(await accepted(countersign.store, event.registrationId, act), 'unknown registration')
    }
    if (onLogin) {
      const act = (/** @type {Tx} */ transaction) => onLogin(event, transaction)
      const outcome = await accepted(countersign.store, loginWebhookId(event.sessionId), act)
      // An approval is stored under a different id.
      if (outcome !== 'unknown' || !onApproval) return answerTo(outcome, 'unknown login')
    }
    if (!onApproval) throw new Refusal(400, 'not a confirmation')
    return approved(countersign, event.sessionId, onApproval, { ...(findKey ? { findKey } : {}), log })
  })
}

/**
 * Acts on the decision about an approval, like a call of `approvals.result`.
 *
 * @template Tx
 * @param {import('../countersign.js').Countersign<Tx>} countersign
 * @param {string} id
 * @param {OnApproval<Tx>} onApproval
 * @param {import('../approvals.js').ResultOptions<Tx>} how
 */
async function approved(countersign, id, onApproval, how) {
  /** @type {import('../store.js').Outcome} */
  let outcome = 'unknown'
  const { status } = await resultOf(countersign, id, {
    ...how,
    onResult(decision, transaction) {
      outcome = 'accepted'
      return onApproval(decision, transaction)
    },
  })
  // The webhook of a confirmation is sent before the digits are typed. By the next attempt, they have been typed,
  // or the time is up.
  if (status === 'pending') throw new Refusal(503, 'not decided yet', 'an approval waits for its digits')
  return answerTo(status === 'already_reported' ? 'repeated' : outcome, 'unknown approval')
}

/**
 * @template Tx
 * @param {import('../countersign.js').Countersign<Tx>} countersign
 * @param {string} id
 * @param {import('../approvals.js').ResultOptions<Tx>} how
 */
async function resultOf(countersign, id, how) {
  try {
    return await countersign.approvals.result(id, how)
  } catch (error) {
    if (error instanceof UnknownApprovalError) throw new Refusal(404, 'unknown approval')
    if (error instanceof RecordMissingError) throw new Refusal(503, 'record missing', error.message)
    if (error instanceof ProblemError || error instanceof ConnectionError) {
      throw new Refusal(500, 'cannot verify just now', error.message, error.cause)
    }
    throw error
  }
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
  // Not 410, which would end the delivery: the store may lag, or may have been restored.
  throw new Refusal(404, unknown)
}
