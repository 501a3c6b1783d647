import { createHmac, timingSafeEqual, verify } from 'node:crypto'

import { WebhookVerificationError } from './errors.js'
import { header } from './headers.js'

/** @typedef {import('./openapi.js').components['schemas']} Schemas */
/** @typedef {Schemas['WebhookBody']} ConfirmationEvent */
/** @typedef {Schemas['LoginWebhookBody']} LoginEvent */
/** @typedef {import('./headers.js').HeadersLike} HeadersLike */

const TOLERANCE_SECONDS = 5 * 60

/** Webhooks of the service. */
export class Webhooks {
  #secrets
  #keys
  #time

  /**
   * @internal
   * @param {string | string[] | undefined} secret
   * @param {import('./key-set.js').KeySet} keys
   * @param {() => Promise<number>} time
   */
  constructor(secret, keys, time) {
    this.#secrets = secret === undefined ? undefined : [secret].flat().map(decodeSecret)
    if (this.#secrets?.length === 0) throw new TypeError('webhookSecret has no secret')
    this.#keys = keys
    this.#time = time
  }

  /**
   * Verifies a webhook and returns its event: `'confirmationId' in event` tells a confirmation from a login. That it is
   * genuine does not make it yours: act only on ids that you started, and once, as the handlers do.
   *
   * @param {string | Uint8Array} rawBody The bytes as they arrived. A body that was parsed and serialised again fails.
   * @param {HeadersLike} headers
   * @returns {Promise<ConfirmationEvent | LoginEvent>}
   * @throws {WebhookVerificationError | import('./errors.js').KeysUnavailableError}
   */
  async verify(rawBody, headers) {
    const body = Buffer.from(rawBody)
    if (this.#secrets) await this.#checkSecret(this.#secrets, body, headers)
    else await this.#checkKey(body, headers)
    return parseEvent(body)
  }

  /**
   * Checks `webhook-signature`, as Standard Webhooks has it.
   *
   * @param {Buffer[]} secrets
   * @param {Buffer} body
   * @param {HeadersLike} headers
   */
  async #checkSecret(secrets, body, headers) {
    const id = required(headers, 'webhook-id')
    const timestamp = required(headers, 'webhook-timestamp')
    const signatures = required(headers, 'webhook-signature').split(' ')
    const found = signatures.filter((text) => text.startsWith('v1,')).map((text) => fromBase64(text.slice(3)))
    const wanted = secrets.map((secret) => (
      createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest()
    ))
    const fits = wanted.some((a) => found.some((b) => a.length === b.length && timingSafeEqual(a, b)))
    if (!fits || !/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('signature_wrong')
    const age = await this.#time() / 1000 - Number(timestamp)
    if (Math.abs(age) > TOLERANCE_SECONDS) throw new WebhookVerificationError('timestamp_out_of_range')
  }

  /**
   * Checks `x-signature` by the service's published keys.
   *
   * @param {Buffer} body
   * @param {HeadersLike} headers
   */
  async #checkKey(body, headers) {
    const kid = required(headers, 'x-signature-key-id')
    const signature = fromBase64(required(headers, 'x-signature'))
    const key = await this.#keys.find(kid)
    // The signature is DER, which `verify` expects by default.
    if (!key || !verify('sha256', body, key, signature)) throw new WebhookVerificationError('signature_wrong')
  }
}

/** @param {string} text */
const fromBase64 = (text) => Buffer.from(text, 'base64')

/** @param {string} secret */
function decodeSecret(secret) {
  const key = fromBase64(secret.replace(/^whsec_/, ''))
  if (!secret.startsWith('whsec_') || key.length < 16) throw new TypeError('webhookSecret is not a whole whsec_ secret')
  return key
}

/**
 * @param {HeadersLike} headers
 * @param {string} name
 */
function required(headers, name) {
  const value = header(headers, name)
  if (!value) throw new WebhookVerificationError('signature_missing')
  return value
}

/**
 * @param {Buffer} body
 * @returns {ConfirmationEvent | LoginEvent}
 */
function parseEvent(body) {
  let event
  try {
    event = JSON.parse(body.toString('utf8'))
  } catch {
    throw new WebhookVerificationError('not_an_event')
  }
  const { confirmationId, phoneNumber, validationStatus, sessionId, event: name } = event ?? {}
  const isConfirmation = isText(confirmationId) && isText(phoneNumber) && validationStatus === 'valid'
  const isLogin = isText(sessionId) && (name === 'login.confirmed' || name === 'login.denied')
  if (!isConfirmation && !isLogin) throw new WebhookVerificationError('not_an_event')
  return event
}

/** @param {unknown} value */
const isText = (value) => typeof value === 'string'
