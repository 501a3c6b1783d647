import type { Clock } from './clock.ts'
import { isSalt } from './envelope.ts'
import type { Identity } from './identity.ts'
import { lifetime } from './lifetime.ts'
import type { SessionState } from './machine.ts'
import { badAnswer, type Refusal } from './refusal.ts'
import { bearer, request, type Answer } from './request.ts'
import type { OwnServer } from './start.ts'

const STATES: readonly unknown[] = [
  'created', 'scanned', 'confirmed', 'consumed', 'denied', 'blocked', 'expired', 'cancelled',
] satisfies SessionState[]

/** The service's answer to a new session, unchecked. */
export interface Opened {
  readonly sessionId: string
  /** The link in the code. */
  readonly url: string
  readonly socketUrl: string
  /** Whether the payload needs the check code that the phone shows. */
  readonly needsCode: boolean
  /** Time for which the code can be scanned, in ms. */
  readonly lifetime: number
  /** Time of the request, by the page's clock. */
  readonly askedAt: number
}

/** A session's state, and the tag of that answer. */
export interface Status {
  readonly state: SessionState
  /** Time left in this state, in ms; `null` if the answer does not say. */
  readonly left: number | null
  readonly tag: string | null
}

/** The payload that the phone sent. */
export interface Redeemed {
  readonly payload: string
  readonly encrypted: boolean
  /** The salt next to a readable payload. An encrypted payload contains it. */
  readonly salt: string | null
  /** The proof, a JWT. */
  readonly proof: string | null
}

/** Evidence that the user is at this browser. */
export interface Tie {
  readonly checkCode?: string | undefined
  readonly returnToken?: string | undefined
}

/** The parts of a request about a session. */
type Credentials = Pick<Identity, 'id' | 'token'>

/** The service's routes for logins. Throws each refusal as a `Refusal`. */
export class Service {
  readonly #base: string
  readonly #appKey: string
  readonly #clock: Clock
  readonly #start: OwnServer | null

  /** `start` is the page's own server that opens sessions; `null` if the page opens them. */
  constructor(base: string, appKey: string, clock: Clock, start: OwnServer | null = null) {
    this.#base = base
    this.#appKey = appKey
    this.#clock = clock
    this.#start = start
  }

  /**
   * Opens a session. Repeating it with the same identity returns the same session. An app on the same phone returns
   * to `returnUrl`. If the page's own server opens the sessions, it has to open this one first, unless it may
   * already have done so (`maybeOpen`).
   */
  async open(identity: Identity, returnUrl: string | null, maybeOpen = false): Promise<Opened> {
    const { keys, token } = identity
    const browserPublicKey = keys?.publicKey
    if (this.#start !== null && !maybeOpen) {
      await this.#start.ask({ browserToken: token, browserPublicKey })
    }
    const askedAt = this.#clock.now()
    const own = { 'x-app-key': this.#appKey, ...bearer(token) }
    // JSON leaves out undefined members.
    const wanted = { body: JSON.stringify({ browserPublicKey, returnUrl: returnUrl ?? undefined }) }
    const answer = await this.#call('POST', '', own, wanted).catch((error: Refusal) => {
      if (!maybeOpen || error.code !== 'login_server_only') throw error
    })
    if (!answer) return this.open(identity, returnUrl)
    const { headers, body } = answer
    return {
      sessionId: text(body['sessionId']),
      url: text(body['url']),
      socketUrl: text(body['socketUrl']),
      needsCode: body['checkCodeRequired'] === true,
      lifetime: lifetime(text(body['expiresAt']), headers.get('date')),
      askedAt,
    }
  }

  /** Returns a session's state, given the tag of the previous answer. */
  async status({ id, token }: Credentials, last: Status | null): Promise<Status> {
    const condition = last?.tag ? { 'if-none-match': last.tag } : {}
    const answer = await this.#call('GET', `/${id}`, { ...bearer(token), ...condition })
    if (answer.status === 304 && last) return last
    const { expiresIn, state } = answer.body
    if (!STATES.includes(state)) throw badAnswer()
    const left = typeof expiresIn === 'number' ? expiresIn * 1_000 : null
    return { state: state as SessionState, left, tag: answer.headers.get('etag') }
  }

  /**
   * Fetches the payload, which works only once. An encrypted payload can be fetched again with the same
   * receipt, which is random. `tie` is what the user typed or the app passed on, if the session needs it;
   * repeating the same wrong code counts once.
   */
  async redeem({ id, token }: Credentials, receipt: string, tie: Tie): Promise<Redeemed> {
    const { body } = await this.#call('POST', `/${id}/redeem`, bearer(token), {
      body: JSON.stringify({ receipt, ...tie }),
    })
    const salt = optionalText(body['salt'])
    if (salt !== null && !isSalt(salt)) throw badAnswer()
    return {
      payload: text(body['payload']),
      encrypted: body['encrypted'] === true,
      salt,
      proof: optionalText(body['proof']),
    }
  }

  /** Passes on the check code of a session that the page's server opened. */
  async check({ id, token }: Credentials, checkCode: string): Promise<void> {
    await this.#call('POST', `/${id}/check-code`, bearer(token), { body: JSON.stringify({ checkCode }) })
  }

  /**
   * Cancels a session, even while the page unloads. A lost request does little harm, because sessions expire.
   */
  async cancel({ id, token }: Credentials): Promise<void> {
    await this.#call('DELETE', `/${id}`, bearer(token), { keepalive: true }).catch(() => undefined)
  }

  #call(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    rest: RequestInit = {},
  ): Promise<Answer> {
    return request(this.#clock, `${this.#base}/qr-sessions${path}`, { method, headers, ...rest })
  }
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw badAnswer()
  return value
}

function optionalText(value: unknown): string | null {
  return value === undefined || value === null ? null : text(value)
}
