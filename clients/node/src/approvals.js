import { webcrypto } from 'node:crypto'

import { ConnectionError, CountersignError, LoginVerificationError, ProblemError, UnknownApprovalError } from './errors.js'
import { consoleLog } from './handlers/answer.js'
import { approvalId, isLinkTo, pageToken, pointOf, sessionIdOf } from './login-ids.js'
import { assertCallback, assertOptions, assertOrigin, assertText } from './options.js'
import { verifyProof } from './proof.js'
import { WEBHOOK_TTL_SECONDS, acceptOnce, rememberOnce } from './store.js'
import { idOf, lacking, segment } from './transport.js'

/** @typedef {import('./openapi.js').components['schemas']} Schemas */
/** @typedef {import('./call-limits.js').CallOptions} CallOptions */

/**
 * What a page needs to show an approval: the value of `session` of `<countersign-login>`. Its token can watch the
 * approval, but cannot redeem it.
 *
 * @typedef {Schemas['NewSession'] & { token: string }} ApprovalSession
 */

/**
 * An approval that has been started. Keep `id` in your own record, and give `session` to the page.
 *
 * @typedef {{ id: string, session: ApprovalSession, expiresIn: number, expiresAt: string }} StartedApproval
 */

/**
 * @template [Tx=void]
 * @typedef {object} StartApproval
 * @property {string} origin The page's origin, which the phone shows. The app must list it.
 * @property {string} context The text that the user approves, such as `Pay 20 EUR to Zoë`.
 * @property {string} userId Your own id of the user who must decide: the one whose keys you know.
 * @property {(started: StartedApproval, transaction: Tx) => unknown} [onStarted] Writes your record of `started.id`, before
 *   the call returns and before a result is accepted. `transaction` is the store's, if it has one: the record and what the
 *   store remembers are then written together or not at all. If it throws, so does the call: show nothing then.
 */

/**
 * A decision. `reason` of `denied` is `unverified` if a phone confirmed without a proof by a key of this user.
 *
 * @typedef {{ id: string } & (
 *   { status: 'approved', userId: string, keyId: string, context: string, origin: string }
 *   | { status: 'denied', reason: 'denied' | 'blocked' | 'unverified' }
 *   | { status: 'expired', reason: 'expired' | 'cancelled' }
 * )} ApprovalDecision
 */

/**
 * What became of an approval. `already_reported` stands for a decision that an earlier call has returned: it is in your
 * own record.
 *
 * @typedef {ApprovalDecision
 *   | { id: string, status: 'pending', expiresIn: number }
 *   | { id: string, status: 'already_reported' }} ApprovalResult
 */

/**
 * @template [Tx=void]
 * @typedef {object} ResultOptions
 * @property {import('./proof.js').FindKey} [findKey] Finds a key by its id. If absent, the keys that are registered with the
 *   service count.
 * @property {(decision: ApprovalDecision, transaction: Tx) => unknown} [onResult] Acts on the decision, once. `transaction`
 *   is the store's, if it has one. If it throws, so does the call, and the decision can be had again.
 * @property {import('./handlers/answer.js').Log} [log] Where the reason of `unverified` is reported; the console if absent.
 */

/** The final states of a login that was not confirmed. */
const OVER = /** @type {const} */ ({
  denied: { status: 'denied', reason: 'denied' },
  blocked: { status: 'denied', reason: 'blocked' },
  expired: { status: 'expired', reason: 'expired' },
  cancelled: { status: 'expired', reason: 'cancelled' },
})

/**
 * Approvals: a user confirms a text on the phone, such as a payment.
 *
 * @template [Tx=void] The transaction that the store hands to callbacks, if it has one.
 */
export class Approvals {
  #transport
  #store
  #associationKeys
  #time
  #appKey

  /**
   * @param {import('./transport.js').Transport} transport
   * @param {import('./store.js').Store<Tx>} store
   * @param {import('./association-keys.js').AssociationKeys} associationKeys
   * @param {() => Promise<number>} time
   * @param {string} [appKey]
   */
  constructor(transport, store, associationKeys, time, appKey) {
    this.#transport = transport
    this.#store = store
    this.#associationKeys = associationKeys
    this.#time = time
    this.#appKey = appKey
  }

  /**
   * Starts an approval. Keep the answer's `id` with the user's session, and pass `session` to the page, whose
   * `<countersign-login>` shows it. The text is normalized (Unicode's form C) before it is sent.
   *
   * @param {StartApproval<Tx>} request
   * @param {CallOptions} [options]
   * @returns {Promise<StartedApproval>}
   */
  async start({ onStarted, ...request }, options) {
    assertOptions('approvals.start', request, ['origin', 'context', 'userId'])
    const { origin, userId } = request
    assertOrigin(origin)
    assertText('context', request.context)
    assertText('userId', userId)
    if (onStarted !== undefined) assertCallback('onStarted', onStarted)
    const appKey = this.requireAppKey()
    const context = request.context.normalize('NFC')
    const browserPublicKey = await newPublicKey()
    const browserToken = this.#transport.browserTokenFor(browserPublicKey)
    const body = { browserPublicKey: browserPublicKey.toString('base64url'), origin, context, publicUserId: userId }
    const headers = { authorization: `Bearer ${browserToken}` }
    const opened = await this.#transport.call('POST', '/qr-sessions', { body, headers }, options)
    const id = sessionIdOf({ appKey, origin, context, browserPublicKey })
    const started = startedOf(opened, id, pageToken(browserToken))
    const record = approvalId(id, userId)
    await rememberOnce(this.#store, record, WEBHOOK_TTL_SECONDS, (transaction) => onStarted?.(started, transaction))
    return started
  }

  /**
   * Returns the result of an approval, and each decision only once. `id` must come from your own record of this user,
   * never from a request.
   *
   * @param {string} id
   * @param {ResultOptions<Tx>} [how]
   * @param {CallOptions} [options]
   * @returns {Promise<ApprovalResult>}
   * @throws {UnknownApprovalError}
   */
  async result(id, how = {}, options = undefined) {
    const { findKey, onResult, log = consoleLog } = how
    assertResultOptions(how)
    const appKey = this.requireAppKey()
    const login = await this.#read(id, options)
    if (login === undefined) return { id, status: 'expired', reason: 'expired' }
    const { origin, context = null, expectedPublicUserId: userId = null } = login
    // A different login, such as one that a page opened.
    if (context === null || userId === null) throw new UnknownApprovalError(id)
    assertCommitted(id, login, appKey)
    const decision = await this.#decide(login, { appKey, id, origin, context, userId, findKey, log }, options)
    if (decision === undefined) return { id, status: 'pending', expiresIn: login.expiresIn }
    const outcome = await acceptOnce(this.#store, approvalId(id, userId), (transaction) => onResult?.(decision, transaction))
    if (outcome === 'unknown') throw new UnknownApprovalError(id)
    return outcome === 'accepted' ? decision : { id, status: 'already_reported' }
  }

  /** Returns the app key, or throws if the options have no app key. */
  requireAppKey() {
    if (!this.#appKey) throw new CountersignError('approvals need the app key: set appKey')
    return this.#appKey
  }

  /**
   * Returns a login, or nothing if the service no longer has it.
   *
   * @param {string} id
   * @param {CallOptions} [options]
   * @returns {Promise<Schemas['InspectedSession'] | undefined>}
   */
  async #read(id, options) {
    try {
      return await this.#transport.call('GET', `/qr-sessions/${segment(id)}`, {}, options)
    } catch (error) {
      if (error instanceof ProblemError && error.status === 404) return undefined
      throw error
    }
  }

  /**
   * Returns the decision, or nothing if there is none yet.
   *
   * @param {Schemas['InspectedSession']} login
   * @param {Expected} expected
   * @param {CallOptions} [options]
   * @returns {Promise<ApprovalDecision | undefined>}
   */
  async #decide(login, expected, options) {
    const { id, origin, context, userId, log } = expected
    switch (login.state) {
      case 'created':
      case 'scanned':
        return undefined
      case 'confirmed':
        if (typeof login.checkCodeRequired !== 'boolean') throw lacking('checkCodeRequired')
        // The digits come later.
        if (login.checkCodeRequired) return undefined
        break
      case 'consumed':
        break
      default:
        if (!Object.hasOwn(OVER, login.state)) {
          throw new ConnectionError('the login has a state that this version does not know', { status: 200 })
        }
        return { id, ...OVER[login.state] }
    }
    try {
      const { keyId } = await this.#verify(login, expected, options)
      return { id, status: 'approved', userId, keyId, context, origin }
    } catch (error) {
      if (!(error instanceof LoginVerificationError)) throw error
      log(`an approval was confirmed, but not by its user: ${error.reason}`)
      return { id, status: 'denied', reason: 'unverified' }
    }
  }

  /**
   * Verifies the proof of a confirmation by the user's keys.
   *
   * @param {Schemas['InspectedSession']} login
   * @param {Expected} expected
   * @param {CallOptions} [options]
   */
  async #verify({ proof, confirmedAt }, { appKey, id, origin, context, userId, findKey }, options) {
    const verified = await verifyProof({ sessionId: id, proof: proof ?? null }, {
      appKey,
      origin,
      context,
      openedByServer: true,
      findKey: findKey ?? ((keyId) => this.#registered(keyId, userId, options)),
      // A proof is valid only briefly, but the result of its approval may be read later. The id is new, and
      // counts only once.
      time: async () => timeOf(confirmedAt) ?? this.#time(),
    })
    if (verified.userId !== userId) throw new LoginVerificationError('the key belongs to another user')
    return verified
  }

  /**
   * Returns a key of this user that is registered with the service.
   *
   * @param {string} keyId
   * @param {string} userId
   * @param {CallOptions} [options]
   */
  async #registered(keyId, userId, options) {
    const keys = await this.#associationKeys.list({ publicUserId: userId }, options)
    const key = keys.find((registered) => registered.keyId === keyId)
    if (!key) return undefined
    // An older service does not return it, which says nothing about the user.
    if (typeof key.publicKey !== 'string') throw lacking('publicKey')
    const { publicKey, kind, rpId, origin } = key
    return { publicKey, userId, kind, rpId, origin }
  }
}

/**
 * @typedef {object} Expected
 * @property {string} appKey
 * @property {string} id
 * @property {string} origin
 * @property {string} context
 * @property {string} userId
 * @property {import('./proof.js').FindKey} [findKey]
 * @property {import('./handlers/answer.js').Log} log
 */

/** @param {ResultOptions<any>} how */
function assertResultOptions(how) {
  assertOptions('approvals.result', how, ['findKey', 'onResult', 'log'])
  for (const [name, callback] of Object.entries(how)) assertCallback(name, callback)
}

/**
 * Generates a key pair and returns its public half. Nothing is decrypted, so the private half is not kept.
 */
async function newPublicKey() {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const { publicKey } = await webcrypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
  return Buffer.from(await webcrypto.subtle.exportKey('raw', publicKey))
}

/**
 * Returns the parts of an answer for the caller and the page, if the answer is about this approval.
 *
 * @param {any} opened
 * @param {string} id
 * @param {string} token
 * @returns {StartedApproval}
 */
function startedOf(opened, id, token) {
  if (idOf(opened, 'sessionId') !== id || !isLinkTo(opened.url, id)) {
    throw new ConnectionError('the service answered with another id or link than that of the approval', { status: 200 })
  }
  const { url, socketUrl, expiresAt, expiresIn, serverTime, checkCodeRequired } = opened
  for (const [member, value] of Object.entries({ socketUrl, expiresAt, serverTime })) {
    if (typeof value !== 'string') throw lacking(member)
  }
  if (typeof expiresIn !== 'number') throw lacking('expiresIn')
  const digits = checkCodeRequired === undefined ? {} : { checkCodeRequired }
  const session = { sessionId: id, url, token, socketUrl, expiresAt, expiresIn, serverTime, ...digits }
  return { id, session, expiresIn, expiresAt }
}

/**
 * Refuses an answer to which the id does not commit.
 *
 * @param {string} id
 * @param {Schemas['InspectedSession']} login
 * @param {string} appKey
 */
function assertCommitted(id, { origin, context = null, browserPublicKey }, appKey) {
  const point = pointOf(browserPublicKey)
  if (typeof origin !== 'string') throw lacking('origin')
  if (!point) throw lacking('browserPublicKey')
  if (id !== sessionIdOf({ appKey, origin, context, browserPublicKey: point })) {
    throw new ConnectionError('the service answered another app, page, text or key than the id has', { status: 200 })
  }
}

/** @param {string | null | undefined} time */
function timeOf(time) {
  const parsed = Date.parse(time ?? '')
  return Number.isNaN(parsed) ? undefined : parsed
}
