import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

import { CountersignError } from '../errors.js'
import { partsOf } from '../internals.js'
import { assertFlag, assertOptions, assertText } from '../options.js'
import { OpenedLogin, pathOf, sendAs } from './opened.js'
import { PhoneRefusedError, refusalOf, sessionIdIn } from './refusal.js'
import { readOpened, registrationText } from './rules.js'

/**
 * A phone for an app's own tests, with a client that has a test key. It only opens logins and approvals that a test key
 * opened, and refuses whatever a phone refuses.
 */
export class TestPhone {
  #client
  #parts
  #allowUnencrypted

  /**
   * @param {import('../countersign.js').Countersign<any>} countersign A client with a test key, `cs_test_…`, and an app key.
   * @param {{ userId: string, allowUnencrypted?: boolean }} options `userId` is your own id of the phone's user.
   *   `allowUnencrypted` takes logins of browsers without a key.
   */
  constructor(countersign, options) {
    const { transport, appKey, time } = partsOf(countersign)
    assertOptions('TestPhone', options, ['userId', 'allowUnencrypted'])
    const { userId, allowUnencrypted = false } = options
    assertText('userId', userId)
    assertFlag('allowUnencrypted', allowUnencrypted)
    if (!transport.isTest) throw new CountersignError('a test phone needs a client with a test key, cs_test_…')
    if (!appKey) throw new CountersignError('a test phone needs the app key: set appKey')
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#client = countersign
    this.#parts = { transport, appKey, time, privateKey }
    this.#allowUnencrypted = allowUnencrypted
    this.userId = userId
    const { x, y } = publicKey.export({ format: 'jwk' })
    /** The id of the phone's key, as its proofs contain it. */
    this.keyId = createHash('sha256').update(`{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`).digest('base64url')
    /** The public half of its key, as `findKey` returns it: Base64 of DER. */
    this.publicKey = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  }

  /**
   * The data that a phone passes to your server while its user is logged in: a test can post it to your own route.
   */
  get registration() {
    const { appKey, privateKey } = this.#parts
    const signature = sign('sha256', Buffer.from(registrationText(appKey, this.userId)), privateKey).toString('base64')
    return { publicUserId: this.userId, publicKey: this.publicKey, signature }
  }

  /** Registers the phone's key with the service, as your server does for a user who is logged in. */
  async register() {
    return this.#client.associationKeys.register(this.registration)
  }

  /**
   * Opens a login by its link, as a phone that scanned the code. It throws a `PhoneRefusedError` for anything that a
   * phone must not show, and tells the service if anything was replaced.
   *
   * @param {string} link
   * @param {{ as?: string | null }} [options] `as` is the user whom the phone names; its own if absent, none if `null`.
   * @returns {Promise<OpenedLogin>}
   */
  async open(link, { as = this.userId, ...others } = {}) {
    assertOptions('open', others, ['as'])
    if (as !== null) assertText('as', as)
    const id = sessionIdIn(link)
    if (id.startsWith('qrp_') && !this.#allowUnencrypted) throw new PhoneRefusedError('plain_refused')
    const { transport, appKey, time } = this.#parts
    const mobileToken = randomBytes(32).toString('base64url')
    const headers = { authorization: `Bearer ${mobileToken}` }
    const body = as === null ? {} : { publicUserId: as }
    const answer = await transport.call('POST', `${pathOf(id)}/initiate`, { headers, body })
    const holder = { transport, appKey, time, mobileToken, user: as, key: this.signer }
    try {
      return new OpenedLogin({ session: answer.session, login: await readOpened(answer, id, appKey) }, id, holder)
    } catch (error) {
      const refusal = refusalOf(error, answer)
      if (refusal instanceof PhoneRefusedError && refusal.reason !== 'answer_malformed') {
        // The service itself may be dishonest, so its answer changes nothing.
        await sendAs(holder, id, 'deny', { payload: '', reason: 'key_mismatch' }).catch(() => {})
      }
      throw refusal
    }
  }

  /**
   * Signs with the phone's key, in the signature format of JWTs.
   *
   * @internal
   * @returns {import('./opened.js').Signer}
   */
  get signer() {
    const { privateKey } = this.#parts
    const options = { key: privateKey, dsaEncoding: /** @type {const} */ ('ieee-p1363') }
    return { keyId: this.keyId, sign: (input) => sign('sha256', Buffer.from(input), options) }
  }
}
