// The phone's operations for an app.

import { readOpened, type OpenedLogin } from './answer.ts'
import { configure, type AuthenticatorOptions, type Configuration } from './configuration.ts'
import { AuthenticatorError, alreadyAnswered, invalidLink, isRefusal, malformedAnswer } from './errors.ts'
import { KeyRing, owner } from './keys.ts'
import { isLoginId, isPlain, readLink } from './link.ts'
import { Lock } from './lock.ts'
import { Phone, UNSCANNED_TTL } from './phone.ts'
import { Session, type CallOptions } from './session.ts'
import { purge } from './stores.ts'
import { ANON } from './text.ts'

/** Who opens a login. */
export interface OpenOptions extends CallOptions {
  /** The app's own id of the user; absent or `ANON` for an unknown user. */
  user?: string
}

/** A phone of one app. */
export class Authenticator {
  #configuration: Configuration
  #lock = new Lock()
  /** The phone's association keys. */
  readonly keys: KeyRing

  /** Creates a phone. This neither reads nor sends anything yet. */
  constructor(options: AuthenticatorOptions) {
    this.#configuration = configure(options)
    this.keys = new KeyRing(this.#configuration.keys, this.#configuration.appKey)
  }

  /**
   * Returns the session id in a scanned or opened link. Fails with `invalid_link` and the reason. If the reason is
   * `session_id_missing`, it may be a link to something else on the same host.
   */
  sessionId(link: string): string {
    if (typeof link !== 'string') throw new TypeError('the link is not a text')
    const { host, id } = readLink(link)
    if (!this.#configuration.linkHosts.has(host)) {
      throw invalidLink('host_not_allowed', "the link's host is not one of this app's")
    }
    return id
  }

  /**
   * Opens a login, and checks that its id matches the service's answer.
   *
   * Opening it again, after a failure or in another process, continues the same login. If this phone has stored an answer
   * to it, that answer is sent again instead, and the user is not asked again: this then fails with `already_answered`.
   */
  async open(sessionId: string, { user, signal }: OpenOptions = {}): Promise<Session> {
    const phone = await this.#phone(sessionId, user)
    await this.#finish(phone, signal)
    const answer = await phone.initiate(signal)
    const openedAt = phone.sinceBoot()
    const opened = await this.#read(phone, answer)
    if (!phone.believes(opened.serverTime)) throw malformedAnswer('wrong_time')
    const { storage, showsContexts } = this.#configuration
    // Answers that could not be removed are removed the next time.
    await this.#lock.run(() => purge(storage, opened.serverTime)).catch(() => {})
    if (opened.context !== undefined && !showsContexts) {
      throw new AuthenticatorError('context_unsupported', 'the login has a context, which this app does not show')
    }
    return new Session(phone, opened, openedAt, this.keys, this.#lock)
  }

  async #phone(sessionId: string, user: string | undefined): Promise<Phone> {
    if (typeof sessionId !== 'string' || !isLoginId(sessionId)) {
      throw new AuthenticatorError('invalid_session_id', 'the session id is malformed')
    }
    const name = user === undefined || owner(user) === ANON ? undefined : user
    if (isPlain(sessionId) && !this.#configuration.allowUnencrypted) {
      throw new AuthenticatorError('plain_refused', "the login's browser has no key, and this app does not accept such logins")
    }
    return Phone.of(this.#configuration, sessionId, name)
  }

  /**
   * Sends the answer stored by an earlier call. Returns normally if there is none, or if the service refused it and the
   * login is still undecided.
   */
  async #finish(phone: Phone, signal: AbortSignal | undefined): Promise<void> {
    const former = await phone.answers.load()
    if (!former) return
    try {
      await phone.send(former, phone.sinceBoot() + UNSCANNED_TTL, signal)
    } catch (error) {
      if (isRefusal(error) && !error.endsLogin) return
      throw error
    }
    throw alreadyAnswered(former.decision, former.returnUrl)
  }

  async #read(phone: Phone, answer: unknown): Promise<OpenedLogin> {
    try {
      return await readOpened(answer, phone.id, this.#configuration.appKey)
    } catch (error) {
      // The service may be the one that cheats, so its response is ignored.
      if (error instanceof AuthenticatorError && error.code === 'key_mismatch') await phone.reportMismatch().catch(() => {})
      throw error
    }
  }
}
