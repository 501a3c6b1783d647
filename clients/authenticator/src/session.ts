// A login that this phone has opened.

import type { OpenedLogin } from './answer.ts'
import { byteLength, isWellFormed } from './bytes.ts'
import { confirmation } from './confirmation.ts'
import type { Details, MobileTemplateResponse, RiskAnalytics } from './details.ts'
import { AuthenticatorError, alreadyAnswered, isRefusal } from './errors.ts'
import type { KeyRing } from './keys.ts'
import type { Lock } from './lock.ts'
import type { Phone } from './phone.ts'
import { MAX_PAYLOAD_BYTES, payloadTooLong } from './seal.ts'
import type { StoredAnswer } from './stores.ts'

/** How an operation ends early: when the signal aborts, it fails with `cancelled`. An answer that is stored by then stays so. */
export interface CallOptions {
  signal?: AbortSignal
}

const isDenied = (error: unknown) => (
  error instanceof AuthenticatorError && error.code === 'already_answered' && error.decision === 'deny'
)

/** A login that this phone has opened, for the user to decide. Its id covers the app, the page, the context and the browser's key. */
export class Session {
  #phone
  #opened
  #openedAt
  #keys
  #lock

  /** @internal */
  constructor(phone: Phone, opened: OpenedLogin, openedAt: number, keys: KeyRing, lock: Lock) {
    this.#phone = phone
    this.#opened = opened
    this.#openedAt = openedAt
    this.#keys = keys
    this.#lock = lock
  }

  get id(): string {
    return this.#phone.id
  }

  /** The app's name at the service. */
  get appName(): string {
    return this.#opened.appName
  }

  /** The origin of the page that the user logs in to, such as `https://shop.example`. A screen must show it. */
  get origin(): string {
    return this.#opened.origin
  }

  /** The text that the user approves: up to 12 lines. A screen must show all of it. */
  get context(): string | undefined {
    return this.#opened.context
  }

  /** The two digits that the user types in the browser after confirming, if the app requires them. */
  get checkCode(): string | undefined {
    return this.#opened.checkCode
  }

  /** The page to open in the phone's browser once the user has confirmed: the login only ends there. It contains a one-time token. */
  get returnUrl(): string | undefined {
    return this.#opened.returnUrl
  }

  /** Whether only the browser can read the payload of a confirmation. */
  get isEncrypted(): boolean {
    return this.#opened.point !== undefined
  }

  /** The risk, if the service assessed it. */
  get riskAnalytics(): RiskAnalytics | undefined {
    return this.#opened.details.riskAnalytics
  }

  /** The texts of the confirmation screen. */
  get mobileTemplateResponse(): MobileTemplateResponse {
    return this.#opened.details.mobileTemplateResponse
  }

  /** The addresses of phone and browser, as seen by the service. */
  get addresses(): Pick<Details, 'ipAddressMobile' | 'ipAddressWidget'> {
    const { ipAddressMobile, ipAddressWidget } = this.#opened.details
    return { ipAddressMobile, ipAddressWidget }
  }

  /** The time until which the user can decide, by the service's clock. */
  get expiresAt(): Date {
    return new Date(this.#opened.expiresAt)
  }

  /** The service's time: that of its answer, and what elapsed since. */
  get now(): Date {
    return new Date(this.#now())
  }

  /** The time that the user has left to decide, in milliseconds; zero once the login has expired. */
  get timeLeft(): number {
    return Math.max(0, this.#opened.expiresAt - this.#now())
  }

  /**
   * Confirms the login, and sends the payload to the page: encrypted if its browser has a key, and with a proof if the
   * phone has a key of the user.
   *
   * The answer is stored before it is sent. Confirming again sends the same bytes, whatever the payload, until the login
   * has ended or the service has refused them permanently. If the user denied before, the denial is sent again.
   */
  async confirm(payload = '', { signal }: CallOptions = {}): Promise<{ proven: boolean }> {
    assertPayload(payload)
    const answer = await this.#confirmation(payload)
    try {
      if (answer.decision === 'deny') throw alreadyAnswered('deny')
      await this.#send(answer, signal)
    } catch (error) {
      if (!isDenied(error)) throw error
      // An earlier confirmation may have arrived before the denial.
      const refused = await this.deny('', signal ? { signal } : {}).catch((thrown: unknown) => thrown)
      throw isRefusal(refused) ? refused : alreadyAnswered('deny')
    }
    return { proven: answer.proven }
  }

  /**
   * Denies the login. The payload is for the app's server, and readable to the service: it must not be a confirmation's
   * payload, and is usually empty. A denial replaces a confirmation that the service may not have received, and is final.
   */
  async deny(payload = '', { signal }: CallOptions = {}): Promise<void> {
    assertPayload(payload)
    for (;;) {
      const answer = await this.#denial(payload)
      try {
        return await this.#send(answer, signal)
      } catch (error) {
        // The service refused a denial of another call, and a later confirmation replaced it: the login's outcome at the
        // service is not known yet.
        if (!(error instanceof AuthenticatorError && error.code === 'already_answered')) throw error
      }
    }
  }

  async #send(answer: StoredAnswer, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#phone.send(answer, this.#phone.sinceBoot() + this.timeLeft, signal)
    } catch (error) {
      const isLate = error instanceof AuthenticatorError && error.code === 'network' && this.timeLeft === 0
      throw isLate ? new AuthenticatorError('expired', 'the login has expired') : error
    }
  }

  /** Returns the stored answer, or creates and stores a confirmation. */
  #confirmation(payload: string): Promise<StoredAnswer> {
    const { answers } = this.#phone
    return this.#lock.run(async () => await answers.load() ?? answers.keepFirst(await this.#newConfirmation(payload)))
  }

  async #newConfirmation(payload: string): Promise<StoredAnswer> {
    const { configuration: { appKey }, id, user } = this.#phone
    const { origin, context, point, returnUrl, expiresAt } = this.#opened
    const login = { appKey, sessionId: id, user, origin, context, point }
    const { body, proof } = await confirmation(login, payload, { prove: (facts) => this.#keys.prove(facts), now: () => this.#now() })
    const page = returnUrl === undefined ? {} : { returnUrl }
    return { decision: 'confirm', body: JSON.stringify(body), proven: proof !== undefined, ...page, expiresAt }
  }

  /** Returns the stored denial, or creates and stores one, replacing any other answer. */
  #denial(payload: string): Promise<StoredAnswer> {
    if (byteLength(payload) > MAX_PAYLOAD_BYTES) throw payloadTooLong()
    const { answers } = this.#phone
    const { expiresAt } = this.#opened
    const fresh: StoredAnswer = { decision: 'deny', body: JSON.stringify({ payload }), proven: false, expiresAt }
    return this.#lock.run(async () => {
      const stored = await answers.keepFirst(fresh)
      if (stored.decision === 'confirm') await answers.replace(fresh)
      return stored.decision === 'confirm' ? fresh : stored
    })
  }

  #now(): number {
    return this.#opened.serverTime + Math.max(0, this.#phone.sinceBoot() - this.#openedAt)
  }
}

function assertPayload(payload: unknown): void {
  if (typeof payload !== 'string' || !isWellFormed(payload)) throw new TypeError('the payload is not a text')
}
