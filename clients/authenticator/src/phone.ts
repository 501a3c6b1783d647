// One login on this phone: its requests, and its stored answer.

import type { Configuration } from './configuration.ts'
import { alreadyAnswered, isRefusal, malformedAnswer } from './errors.ts'
import { Answers, mobileToken, type StoredAnswer } from './stores.ts'
import { post, type Post } from './wire.ts'

/** Time that an unopened code lives, in milliseconds. */
export const UNSCANNED_TTL = 60_000

/** Maximum correction of the phone's wall clock by a service, in milliseconds. */
const MAX_CORRECTION = 24 * 60 * 60 * 1000

/** A login on this phone. */
export class Phone {
  readonly configuration: Configuration
  readonly id: string
  /** The user id that the phone sends. */
  readonly user: string | undefined
  readonly answers: Answers
  #token

  private constructor(configuration: Configuration, id: string, user: string | undefined, answers: Answers, token: string) {
    this.configuration = configuration
    this.id = id
    this.user = user
    this.answers = answers
    this.#token = token
  }

  static async of(configuration: Configuration, id: string, user: string | undefined): Promise<Phone> {
    const { service, appKey, storage, secrets } = configuration
    const login = { service, appKey, id }
    const token = await mobileToken(secrets, login)
    return new Phone(configuration, id, user, await Answers.of(storage, login), token)
  }

  /**
   * Returns whether a time is plausible, at most a day from the phone's clock; otherwise a service could obtain proofs that
   * are valid at a time of its choice.
   */
  believes(time: number): boolean {
    return Math.abs(this.configuration.now() - time) <= MAX_CORRECTION
  }

  sinceBoot(): number {
    return this.configuration.sinceBoot()
  }

  /** Opens the login, and returns the service's answer. */
  async initiate(signal: AbortSignal | undefined): Promise<unknown> {
    const { appKey, returnsToPages } = this.configuration
    const body = {
      ...(this.user === undefined ? {} : { publicUserId: this.user }),
      ...(returnsToPages ? { canReturn: true } : {}),
    }
    const request = this.#request('initiate', JSON.stringify(body))
    request.headers['x-app-key'] = appKey
    // An unopened code does not live longer.
    return this.#post(request, { deadline: this.sinceBoot() + UNSCANNED_TTL, signal })
  }

  /** Reports to the service that the id does not match its answer, so that the browser need not wait. */
  async reportMismatch(): Promise<void> {
    const request = this.#request('deny', JSON.stringify({ payload: '', reason: 'key_mismatch' }))
    await this.#post(request, { deadline: this.sinceBoot() + UNSCANNED_TTL })
  }

  /**
   * Sends the stored answer until a deadline. If the service refuses an answer permanently, the answer is removed from
   * the storage.
   */
  async send(answer: StoredAnswer, deadline: number, signal: AbortSignal | undefined): Promise<void> {
    // A denial may replace a confirmation whose request is in flight.
    const check = async () => {
      const other = await this.answers.load()
      if (other && other.decision !== answer.decision) throw alreadyAnswered(other.decision, other.returnUrl)
    }
    try {
      const sent = await this.#post(this.#request(answer.decision, answer.body), { deadline, check, signal })
      if (sent !== true) throw malformedAnswer('not_true')
    } catch (error) {
      // If this fails, the answer is sent again, and refused again.
      if (isRefusal(error)) await this.answers.forget(answer).catch(() => {})
      throw error
    }
  }

  #post(request: Post, how: Parameters<typeof post>[3]): Promise<unknown> {
    return post(this.configuration, this.configuration.retries, request, how)
  }

  #request(route: string, body: string): Post {
    const { service, acceptLanguage } = this.configuration
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' }
    if (acceptLanguage !== undefined) headers['accept-language'] = acceptLanguage
    return { url: `${service}/qr-sessions/${this.id}/${route}`, headers, body }
  }
}
