// No error here quotes an API key, a code, a payload, a token or a phone number, so all errors can be logged.

/** The base of all errors of this library. */
export class CountersignError extends Error {
  /** @override */
  name = 'CountersignError'
}

/** The service refused a request. `docs/problems.md` explains every `code`. */
export class ProblemError extends CountersignError {
  /** @override */
  name = 'ProblemError'

  /**
   * @param {number} status
   * @param {Record<string, unknown>} problem
   * @param {number} [retryAfter]
   */
  constructor(status, problem, retryAfter) {
    const text = (/** @type {string} */ member) => {
      const value = problem[member]
      return typeof value === 'string' ? value : undefined
    }
    const code = text('code') ?? `http_${status}`
    const title = text('title') ?? 'The service refused the request'
    super(`${title} (${status} ${code})`)
    /** The HTTP status. */
    this.status = status
    /**
     * The stable name of the problem. Base decisions on it; for an unknown code, go by the status.
     *
     * @type {import('./problem-codes.js').ProblemCode | (string & {})}
     */
    this.code = code
    /** The meaning of the code, in a few words. */
    this.title = title
    /** What to change, for developers. */
    this.detail = text('detail')
    /** The wrong member of the request, as a JSON pointer. */
    this.field = text('field')
    /** The request's id in the operator's log. */
    this.requestId = text('requestId')
    /** Seconds to wait before a retry, if the service says so. */
    this.retryAfter = retryAfter
  }
}

/** The service did not answer, or something between you and the service did. */
export class ConnectionError extends CountersignError {
  /** @override */
  name = 'ConnectionError'

  /**
   * @param {string} message
   * @param {{ cause?: unknown, status?: number, retryAfter?: number }} [facts]
   */
  constructor(message, { cause, status, retryAfter } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    /** The HTTP status, if there was an answer. */
    this.status = status
    /** Seconds to wait before a retry, if the answer says so. */
    this.retryAfter = retryAfter
  }
}

/**
 * Why a webhook was refused.
 *
 * @typedef {'signature_missing' | 'signature_wrong' | 'timestamp_out_of_range' | 'not_an_event'} WebhookReason
 */

const WEBHOOK_REASONS = {
  signature_missing: 'the webhook has no signature',
  signature_wrong: 'the signature does not fit the body',
  timestamp_out_of_range: 'the webhook was sent more than five minutes before or after now',
  not_an_event: 'the body is signed, but it is not an event that this version knows',
}

/** A request is not a webhook of the service. Answer 403, or 400 if the reason is `not_an_event`. */
export class WebhookVerificationError extends CountersignError {
  /** @override */
  name = 'WebhookVerificationError'

  /** @param {WebhookReason} reason */
  constructor(reason) {
    super(WEBHOOK_REASONS[reason])
    /** The reason, as a constant for programs. */
    this.reason = reason
  }
}

/** The key set cannot be fetched at the moment. Answer 500, and the service sends the webhook again. */
export class KeysUnavailableError extends CountersignError {
  /** @override */
  name = 'KeysUnavailableError'
}

/**
 * You have no record of what a webhook is about. Throw it in a callback of the webhook handler: it answers 503, and the
 * service sends the webhook again until your record exists, for up to a day.
 */
export class RecordMissingError extends CountersignError {
  /** @override */
  name = 'RecordMissingError'

  /** @param {string} id The id that the webhook names. */
  constructor(id) {
    super(`there is no record of ${id}: write it in onStarted, before anything can arrive`)
    this.id = id
  }
}

/**
 * This server has not started this approval for this user, or its store no longer has it. Show the caller nothing.
 */
export class UnknownApprovalError extends CountersignError {
  /** @override */
  name = 'UnknownApprovalError'

  /** @param {string} id */
  constructor(id) {
    super('this server did not start this approval for this user, or its store no longer knows it')
    this.id = id
  }
}

/**
 * A proof does not log a user in. `reason` is for logs: give the browser the same answer for every reason.
 */
export class LoginVerificationError extends CountersignError {
  /** @override */
  name = 'LoginVerificationError'

  /** @param {string} reason */
  constructor(reason) {
    super(`the login is not proven: ${reason}`)
    this.reason = reason
  }
}
