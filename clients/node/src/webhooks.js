import { createHmac, timingSafeEqual, verify } from 'node:crypto'

import { CountersignError, WebhookVerificationError } from './errors.js'
import { bytesOf } from './handlers/request.js'
import { header } from './headers.js'

/** @typedef {import('./openapi.js').components['schemas']} Schemas */
/** @typedef {Schemas['WebhookBody']} ConfirmationEvent */
/** @typedef {Schemas['LoginWebhookBody']} LoginEvent */
/** @typedef {Schemas['PhoneRegisteredWebhookBody']} PhoneRegisteredEvent */
/** @typedef {ConfirmationEvent | LoginEvent | PhoneRegisteredEvent} WebhookEvent */
/** @typedef {import('./headers.js').HeadersLike} HeadersLike */

const TOLERANCE_SECONDS = 5 * 60
const MIN_SECRET_BYTES = 16

/** Webhooks of the service. */
export class Webhooks {
  #secrets
  #byKeys
  #keys
  #time

  /**
   * @internal
   * @param {{ webhookSecret?: string | readonly string[], webhookKeys?: 'published' }} options
   * @param {import('./key-set.js').KeySet} keys
   * @param {() => Promise<number>} time
   */
  constructor({ webhookSecret, webhookKeys }, keys, time) {
    if (webhookKeys !== undefined && webhookKeys !== 'published') throw new TypeError("webhookKeys can only be 'published'")
    if (webhookKeys && webhookSecret) throw new TypeError('webhookSecret and webhookKeys exclude each other')
    this.#secrets = webhookSecret === undefined ? [] : [webhookSecret].flat().map(decodeSecret)
    if (webhookSecret && this.#secrets.length === 0) throw new TypeError('webhookSecret has no secret')
    this.#byKeys = webhookKeys === 'published'
    this.#keys = keys
    this.#time = time
  }

  /** Throws if the options do not say how to verify webhooks. */
  requireVerification() {
    if (this.#secrets.length > 0 || this.#byKeys) return
    throw new CountersignError(
      "webhooks cannot be verified: set webhookSecret, or webhookKeys: 'published', which takes those of other apps, too",
    )
  }

  /**
   * Verifies a webhook and returns its event: a confirmation has `confirmationId`, a decision about a login
   * `sessionId`, and a phone that was set up `registrationId`, so `'confirmationId' in event` tells them apart. A genuine webhook is not necessarily yours: act only on ids that you started, and only once, as the handlers do.
   *
   * @param {string | ArrayBufferView | ArrayBuffer} rawBody The bytes as they arrived. A body that was parsed and serialized again fails.
   * @param {HeadersLike} headers
   * @returns {Promise<WebhookEvent>}
   * @throws {WebhookVerificationError | import('./errors.js').KeysUnavailableError}
   */
  async verify(rawBody, headers) {
    this.requireVerification()
    const body = bytesOf(rawBody)
    if (this.#secrets.length > 0) await this.#checkSecret(this.#secrets, body, headers)
    else await this.#checkKey(body, headers)
    return parseEvent(body)
  }

  /**
   * Verifies `webhook-signature` according to Standard Webhooks.
   *
   * @param {Buffer[]} secrets
   * @param {Buffer} body
   * @param {HeadersLike} headers
   */
  async #checkSecret(secrets, body, headers) {
    const id = required(headers, 'webhook-id')
    const timestamp = required(headers, 'webhook-timestamp')
    // The Base64 after `v1,` may begin like a version, but then no comma follows.
    const signatures = required(headers, 'webhook-signature').split(/[ ,]+(?=v\d+[a-z]*,)/)
    // As texts: the Base64 decoder skips other characters.
    const wanted = secrets.map((secret) => (
      `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
    ))
    const fits = wanted.some((text) => signatures.some((found) => same(found, text)))
    if (!fits) throw new WebhookVerificationError('signature_wrong')
    // After the signature, so that only the service can make us ask for the time.
    if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('timestamp_out_of_range')
    const age = await this.#time() / 1000 - Number(timestamp)
    if (Math.abs(age) > TOLERANCE_SECONDS) throw new WebhookVerificationError('timestamp_out_of_range')
  }

  /**
   * Verifies `x-signature` with the service's published keys.
   *
   * @param {Buffer} body
   * @param {HeadersLike} headers
   */
  async #checkKey(body, headers) {
    const kid = required(headers, 'x-signature-key-id')
    const signature = fromBase64(required(headers, 'x-signature'))
    // A malformed id, such as that of a repeated header, triggers no fetch.
    if (!/^[\w-]{1,128}$/.test(kid)) throw new WebhookVerificationError('signature_wrong')
    const key = await this.#keys.find(kid)
    // The signature is DER, which `verify` expects by default.
    if (!key || !verify('sha256', body, key, signature)) throw new WebhookVerificationError('signature_wrong')
  }
}

/**
 * Compares in constant time.
 *
 * @param {string} found
 * @param {string} wanted
 */
function same(found, wanted) {
  const [a, b] = [Buffer.from(found), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** @param {string} text */
const fromBase64 = (text) => Buffer.from(text, 'base64')

/** @param {unknown} secret */
function decodeSecret(secret) {
  const encoded = typeof secret === 'string' && secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : ''
  const key = fromBase64(encoded)
  // The decoder skips characters that are not Base64, such as a line feed.
  if (key.length < MIN_SECRET_BYTES || key.toString('base64') !== encoded) {
    throw new TypeError('webhookSecret is not a whole whsec_ secret')
  }
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
 * @returns {WebhookEvent}
 */
function parseEvent(body) {
  let event
  try {
    event = JSON.parse(body.toString('utf8'))
  } catch {
    throw new WebhookVerificationError('not_an_event')
  }
  const { confirmationId, phoneNumber, validationStatus, sessionId, event: name } = event ?? {}
  const { registrationId, publicUserId, keyId } = event ?? {}
  const isConfirmation = isText(confirmationId) && isText(phoneNumber) && validationStatus === 'valid'
  const isLogin = isText(sessionId) && (name === 'login.confirmed' || name === 'login.denied')
  const isPhone = [registrationId, publicUserId, keyId].every(isText) && name === 'phone.registered'
  if (!isConfirmation && !isLogin && !isPhone) throw new WebhookVerificationError('not_an_event')
  return event
}

/** @param {unknown} value */
const isText = (value) => typeof value === 'string' && value !== ''
