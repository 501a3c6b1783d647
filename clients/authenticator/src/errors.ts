// Errors, with the codes and the words of the mobile SDK.

/** Why an operation failed, as a stable word for programs. */
export type AuthenticatorErrorCode = keyof typeof WORDS

/** Why a text is not a link that the app opens. */
export type InvalidLink =
  | 'too_long' | 'not_a_link' | 'wrong_scheme' | 'user_info' | 'not_a_name' | 'path' | 'session_id_missing'
  | 'session_id_malformed' | 'host_not_allowed'

/** Why the service's answer does not fit the id. */
export type KeyMismatch = 'key_missing' | 'key_unexpected' | 'context_unexpected' | 'mismatch'

/** Why an answer is not the service's. */
export type MalformedAnswer = 'too_long' | 'not_true' | 'not_a_login' | 'wrong_time'

/** A user's decision about a login. */
export type Decision = 'confirm' | 'deny'

/** A refusal of the service (RFC 9457). `docs/problems.md` lists the codes. The texts come from the service. */
export interface ServiceProblem {
  status: number
  code: string
  title: string
  detail?: string
}

/** Further facts about an error. */
export interface ErrorFacts {
  /** Why a link is invalid, an id does not fit, or an answer is malformed. */
  reason?: InvalidLink | KeyMismatch | MalformedAnswer
  /** The service's refusal. */
  problem?: ServiceProblem
  /** The final decision, if the login was already answered. */
  decision?: Decision
  /** The page to open in the phone's browser now, as after a confirmation. */
  returnUrl?: string
  /** A store's error. */
  cause?: unknown
}

const WORDS = {
  network: 'The service cannot be reached. Check your connection and try again.',
  problem: 'The service refused the login. Scan a new code.',
  malformed_answer: 'The service did not answer as expected. Try again later.',
  expired: 'The login has expired. Scan a new code.',
  blocked: 'The login was blocked, because somebody else may have seen the code. Scan a new one.',
  ended: 'The login is over. Scan a new code.',
  not_found: 'There is no such login, or its code is too old. Scan the code on the screen.',
  risk_denied: 'This login looks too risky, so it was blocked.',
  proof_required: 'This phone is not set up to approve this. Log in to the app first.',
  key_mismatch: 'Somebody may be trying to read along. Nothing was sent. Do not log in this way.',
  already_answered: 'You have already answered this login.',
  context_unsupported: 'This version of the app cannot show what you would approve. Update the app.',
  plain_refused: 'The browser cannot receive the login safely. Use a newer browser.',
  invalid_link: 'This code is not a login of this app.',
  invalid_app_key: 'The app is not set up correctly.',
  invalid_session_id: 'This code is not a login of this app.',
  invalid_public_user_id: 'The app is not set up correctly.',
  payload_too_long: "The app's answer is too long. Nothing was sent.",
  unusable_browser_key: 'The browser cannot receive the login safely. Nothing was sent.',
  proof_too_long: 'The app is not set up correctly.',
  unknown_key: 'This phone has no key for this user.',
  reserved_data: 'The app may not sign this.',
  user_authentication_required: 'Unlock your phone and try again.',
  passkey_unavailable: 'This browser cannot use passkeys. Open the link in your browser.',
  passkey_exists: 'This phone, or another one with the same passkeys, is already set up for this user.',
  key_store_failed: "The phone's keys cannot be used. Try again.",
  storage_failed: "The phone's storage cannot be used. Try again.",
  cancelled: 'Nothing was sent.',
  internal: 'Something went wrong. Try again.',
} as const

/** Codes after which the login cannot continue on this phone. */
const ENDS: readonly AuthenticatorErrorCode[] = ['expired', 'blocked', 'ended', 'not_found', 'risk_denied', 'key_mismatch']

const PROBLEMS: Record<string, AuthenticatorErrorCode> = {
  session_expired: 'expired',
  session_over: 'expired',
  second_phone: 'blocked',
  session_blocked: 'blocked',
  session_ended: 'ended',
  session_confirmed: 'ended',
  session_consumed: 'ended',
  session_denied: 'ended',
  session_cancelled: 'ended',
  session_not_found: 'not_found',
  risk_denied: 'risk_denied',
  proof_required: 'proof_required',
}

/** An operation of the phone failed. `message` is for logs, and `userMessage` for users. */
export class AuthenticatorError extends Error {
  override name = 'AuthenticatorError'
  /** The stable code. */
  readonly code: AuthenticatorErrorCode
  readonly reason: ErrorFacts['reason']
  readonly problem: ServiceProblem | undefined
  readonly decision: Decision | undefined
  /** It contains a one-time token, so it is not enumerable: logs omit it. */
  declare readonly returnUrl: string | undefined

  constructor(code: AuthenticatorErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, 'cause' in facts ? { cause: facts.cause } : undefined)
    this.code = code
    this.reason = facts.reason
    this.problem = facts.problem
    this.decision = facts.decision
    Object.defineProperty(this, 'returnUrl', { value: facts.returnUrl, enumerable: false })
  }

  /** A sentence for users, in English. Apps in other languages choose their own texts by `code`. */
  get userMessage(): string {
    return WORDS[this.code]
  }

  /** Whether the login cannot continue on this phone. */
  get endsLogin(): boolean {
    return ENDS.includes(this.code)
  }
}

/** Returns whether the service refused the request permanently: a retry would be refused again. */
export const isRefusal = (error: unknown): error is AuthenticatorError => (
  error instanceof AuthenticatorError && error.problem !== undefined && error.problem.status < 500 && error.problem.status !== 429
)

/** Returns the error of a refusal. */
export function refusal(problem: ServiceProblem): AuthenticatorError {
  const { title, detail, code } = problem
  const message = `${title}${detail === undefined ? '' : `. ${detail}`} (${code})`
  return new AuthenticatorError(Object.hasOwn(PROBLEMS, code) ? PROBLEMS[code] ?? 'problem' : 'problem', message, { problem })
}

export const invalidLink = (reason: InvalidLink, message: string): AuthenticatorError => (
  new AuthenticatorError('invalid_link', message, { reason })
)

const ANSWERS: Record<MalformedAnswer, string> = {
  too_long: 'the service answered more than a Countersign service sends',
  not_true: 'the service answered something other than true',
  not_a_login: 'the service answered something other than a login',
  wrong_time: "the service's time differs from this phone's by more than a day; one of the two clocks is wrong",
}

export const malformedAnswer = (reason: MalformedAnswer): AuthenticatorError => (
  new AuthenticatorError('malformed_answer', ANSWERS[reason], { reason })
)

export function alreadyAnswered(decision: Decision, returnUrl?: string): AuthenticatorError {
  const facts = returnUrl === undefined ? { decision } : { decision, returnUrl }
  return new AuthenticatorError('already_answered', `this phone has answered the login already: ${decision}`, facts)
}
