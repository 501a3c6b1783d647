import type { Clock } from './clock.ts'
import { lifetime } from './lifetime.ts'
import { badAnswer, Refusal } from './refusal.ts'
import { bearer, request } from './request.ts'

/** A phone registration that the page's server started. */
export interface Registration {
  readonly id: string
  /** The link that sets a phone up. It has a secret, so only the user may see it. */
  readonly url: string
  readonly token: string
  /** Time left, in ms. */
  readonly lifetime: number
}

/** The phone that opened the link, as the service saw it. */
export interface Device {
  /** Browser and system, such as `Safari on iOS`. */
  readonly browser: string
  /** Its place; empty if unknown. */
  readonly location: string
  /** The source of the place that must be named; empty if none. */
  readonly credit: string
}

const STATES = ['created', 'opened', 'signed', 'completed', 'failed', 'expired'] as const

/** What the service says about a registration. */
export interface SetupStatus {
  readonly state: (typeof STATES)[number]
  /** Time left, in ms. */
  readonly left: number
  readonly device: Device | null
  /** Why it failed; empty if the answer does not say. */
  readonly failure: string
}

const LINK = /^https:\/\/[^/?#@]+\/phone-setup#|^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?\/phone-setup#/

/** Checks a registration. Throws problems as a `Refusal`, with the member's name and not its value. */
export function readRegistration(value: unknown): Registration {
  const { registrationId: id, url, pageToken: token, expiresAt, serverTime } = Object(value) as Record<string, unknown>
  const wrong = (name: string) => (
    new Refusal('bad_session', `The registration's ${name} is missing or wrong.`, { status: 200 })
  )
  if (typeof id !== 'string' || !/^phr_\w+$/.test(id)) throw wrong('registrationId')
  if (typeof token !== 'string' || !/^[\w-]+$/.test(token)) throw wrong('pageToken')
  if (typeof url !== 'string' || !LINK.test(url) || !url.includes(`#${id}.`)) throw wrong('url')
  if (typeof expiresAt !== 'string' || typeof serverTime !== 'string') throw wrong('expiresAt')
  return { id, url, token, lifetime: lifetime(expiresAt, serverTime) }
}

/** The service's routes for the page of a registration. Throws each refusal as a `Refusal`. */
export class RegistrationService {
  readonly #clock: Clock
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(base: string, { id, token }: Registration, clock: Clock) {
    this.#clock = clock
    this.#url = `${base}/phone-registrations/${id}`
    this.#headers = bearer(token)
  }

  async status(): Promise<SetupStatus> {
    const { body } = await request(this.#clock, this.#url, { headers: this.#headers })
    const { device, expiresIn, failure } = body
    const state = STATES.find((one) => one === body['state'])
    if (!state || typeof expiresIn !== 'number') throw badAnswer()
    const { attribution, browser, location } = Object(device) as Record<string, unknown>
    const { text: credit, url } = Object(attribution) as Record<string, unknown>
    return {
      state,
      left: expiresIn * 1_000,
      device: typeof browser === 'string'
        ? { browser, location: text(location), credit: text(credit) && `${text(credit)} (${text(url).replace(/^https?:\/\//, '')})` }
        : null,
      failure: text(failure),
    }
  }

  /** Sends the digits that the user typed. */
  async check(digits: string): Promise<void> {
    await request(this.#clock, `${this.#url}/digits`, { method: 'POST', headers: this.#headers, body: JSON.stringify({ digits }) })
  }

  /** Ends the registration: the phone is not the user's. */
  async cancel(): Promise<void> {
    await request(this.#clock, this.#url, { method: 'DELETE', headers: this.#headers })
  }
}

const text = (value: unknown) => typeof value === 'string' ? value : ''
