import { CountersignError } from '../errors.js'
import { AuthenticatorError, isContext, readLink } from './rules.js'

/** @typedef {keyof typeof REASONS} PhoneRefusal Why a phone refuses a login, as a word for programs. */

const REASONS = {
  link_malformed: 'the text is not the link to a login',
  link_insecure: 'the link is not https, or http to this machine',
  session_id_missing: 'the link has no sessionId',
  session_id_malformed: 'the link has no well-formed sessionId, or several',
  plain_refused: 'the browser has no key, so that the service can read the payload',
  key_missing: "the service withholds the browser's key",
  key_unexpected: 'the service names a key for a login without one',
  context_unexpected: 'the service names a text for a login that can have none',
  context_malformed: 'the text does not look the same on every screen',
  key_mismatch: 'the service names another app, page, text or key than the link',
  answer_malformed: 'the answer is not that of a service to a phone',
}

/** A phone refuses to show a login to its user. */
export class PhoneRefusedError extends CountersignError {
  /** @override */
  name = 'PhoneRefusedError'

  /** @param {PhoneRefusal} reason */
  constructor(reason) {
    super(`the phone refuses the login: ${REASONS[reason]}`)
    this.reason = reason
  }
}

/**
 * Returns the session id in a scanned or opened link, as a phone reads it. Real phones take the first of several, but our
 * own links have one.
 *
 * @param {unknown} link
 * @throws {PhoneRefusedError}
 */
export function sessionIdIn(link) {
  if (typeof link !== 'string') throw new PhoneRefusedError('link_malformed')
  let id
  try {
    ({ id } = readLink(link))
  } catch (error) {
    const { reason } = /** @type {{ reason?: string }} */ (error)
    const isInsecure = (reason === 'wrong_scheme' || reason === 'not_a_name') && !/^https:/i.test(link)
    throw new PhoneRefusedError(isInsecure ? 'link_insecure' : LINKS.find((one) => one === reason) ?? 'link_malformed')
  }
  if (new URL(link).searchParams.getAll('sessionId').length > 1) throw new PhoneRefusedError('session_id_malformed')
  return id
}

/** @type {readonly PhoneRefusal[]} */
const LINKS = ['session_id_missing', 'session_id_malformed']
/** @type {readonly PhoneRefusal[]} */
const MISMATCHES = ['key_missing', 'key_unexpected', 'context_unexpected']

/**
 * Returns the refusal for what a phone's rules say about the service's answer.
 *
 * @param {unknown} error
 * @param {any} answer
 */
export function refusalOf(error, answer) {
  if (!(error instanceof AuthenticatorError)) return error
  if (error.code === 'malformed_answer') return new PhoneRefusedError('answer_malformed')
  const { context = null } = answer
  if (error.reason === 'mismatch' && context !== null && !isContext(context)) return new PhoneRefusedError('context_malformed')
  return new PhoneRefusedError(MISMATCHES.find((one) => one === error.reason) ?? 'key_mismatch')
}
