import { CountersignError } from '../errors.js'

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
