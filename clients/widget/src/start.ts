import type { Clock } from './clock.ts'
import { Refusal } from './refusal.ts'
import { readAnswer, request, type Answer } from './request.ts'

/** The code for a route that starts nothing. */
const REFUSED = 'start_refused'

/** Number of answers in a row that a retry may fix, before they count as a refusal. */
const MAX_FAILURES = 5

/** Starts with the page's own function. Returns the server's answer: a `Response`, or the JSON in it. */
export type Starter = (body: Readonly<Record<string, unknown>>) => unknown

/** Additions to the request to the route in `start`. */
export interface StartOptions {
  /** Headers, such as one with a CSRF token. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * When to send cookies; by default, only to the page's own origin. A route with another origin needs this.
   */
  readonly credentials?: RequestCredentials
  /** Members of the body, which is JSON. */
  readonly body?: Readonly<Record<string, unknown>>
}

/** How to start: with the page's function, or with a request to a route. */
export type Start = Starter | (StartOptions & { readonly route: string })

/** The page's own server, which starts confirmations and opens logins. */
export class OwnServer {
  readonly #clock: Clock
  readonly #start: () => Start
  /** Number of answers in a row that a retry may fix. */
  #failures = 0

  constructor(clock: Clock, start: () => Start) {
    this.#clock = clock
    this.#start = start
  }

  /**
   * Asks the server to start, once. Throws each refusal as a `Refusal`, which says whether to retry. Refusals with one
   * of the given codes are passed on unchanged.
   */
  async ask(body: Readonly<Record<string, unknown>>, codes: readonly string[] = []): Promise<Answer['body']> {
    const start = this.#start()
    try {
      const answer = await (typeof start === 'function' ? called(start, body) : this.#post(start, body))
      this.#failures = 0
      return answer
    } catch (error) {
      throw error instanceof Refusal && error.status < 500 && codes.includes(error.code) ? error : this.#refusal(error)
    }
  }

  async #post({ body: more, credentials, headers, route }: Exclude<Start, Starter>, body: object): Promise<Answer['body']> {
    const url = new URL(route, document.baseURI)
    if (url.origin !== location.origin && !credentials) {
      throw new Refusal(REFUSED, 'The attribute start must name a route of this page\'s server.', { status: 400 })
    }
    const answer = await request(this.#clock, url.href, {
      method: 'POST',
      headers: { accept: 'application/json', ...headers },
      body: JSON.stringify({ ...more, ...body }),
      // In `same-origin` mode, a request without a referrer may have the origin `null`.
      credentials: credentials ?? 'same-origin',
      redirect: 'follow',
    })
    return answer.body
  }

  #refusal(error: unknown): Refusal {
    if (!(error instanceof Refusal)) return this.#bounded(new Refusal(REFUSED, `The page's function failed: ${String(error)}`))
    const { code, message, status, wait } = error
    if (status === 0 || status === 429) return error
    const told = code === REFUSED ? message : `The page's server answered ${status} (${code}).`
    const refused = new Refusal(status < 400 ? 'bad_session' : REFUSED, told, { status: 200, wait })
    // A proxy answers with a page while the server behind it restarts.
    return status < 400 || error.passing ? this.#bounded(refused) : refused
  }

  /** Returns a refusal that is worth a retry, until there have been too many. */
  #bounded({ code, message, wait }: Refusal): Refusal {
    this.#failures += 1
    if (this.#failures < MAX_FAILURES) return new Refusal(code, message, { status: 503, wait })
    this.#failures = 0
    return new Refusal(code, message, { status: 200 })
  }
}

/** Calls the page's function. */
async function called(start: Starter, body: Readonly<Record<string, unknown>>): Promise<Answer['body']> {
  const value = await start(body)
  return value instanceof Response ? (await readAnswer(value)).body : Object(value) as Answer['body']
}
