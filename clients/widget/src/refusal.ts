/** Maximum wait that a service can request, in ms. */
const MAX_WAIT = 10 * 60_000

/** A temporary obstacle. */
export type Trouble = 'offline' | 'unreachable' | 'stuck' | 'busy'

interface Circumstances {
  /** The status of the answer; 0 if there was none. */
  readonly status?: number
  /** Wait before the next attempt, in ms. */
  readonly wait?: number | null
  /** Number of wrong check codes that the service still allows. */
  readonly triesLeft?: number | null
}

/** A request that failed. */
export class Refusal extends Error {
  /** A stable code for programs: the service's problem `code`, or one of ours. */
  readonly code: string
  /** The status of the answer; 0 if there was none. */
  readonly status: number
  /** Wait that the service requested, in ms. */
  readonly wait: number | null
  /** Number of wrong check codes that the service still allows. */
  readonly triesLeft: number | null

  constructor(code: string, message: string, { status = 0, triesLeft = null, wait = null }: Circumstances = {}) {
    super(message)
    this.code = code
    this.status = status
    this.wait = wait
    this.triesLeft = triesLeft
  }

  /** Whether the same request may succeed later. */
  get passing(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500
  }

  /** Whether the request may have taken effect anyway. */
  get uncertain(): boolean {
    return this.status === 0 || this.status >= 500
  }
}

/** Number of unanswered requests in a row after which the obstacle may be a permanent one. */
const MAX_LOST = 5

/** Returns the obstacle to show the user for a temporary refusal, after this many in a row. */
export function troubleOf({ status }: Refusal, failures: number): Trouble {
  if (status === 429) return 'busy'
  return status === 0 && failures >= MAX_LOST ? 'stuck' : 'unreachable'
}

/** An answer that cannot be parsed. */
export function badAnswer(): Refusal {
  const message = 'The service sent an answer that cannot be understood.'
  return new Refusal('bad_answer', message, { status: 200 })
}

/** Returns an answer's JSON; `null` if it has none, so that a proxy sent it. Throws if the answer ends too early. */
export function jsonOf(answer: Response): Promise<unknown> {
  return answer.json().catch((error: unknown) => {
    if (error instanceof SyntaxError) return null
    throw error
  })
}

/** Parses an error answer: a problem (RFC 9457), or whatever a proxy sends. */
export async function refusalOf(answer: Response): Promise<Refusal> {
  const problem = await jsonOf(answer)
  const value = (name: string) => (problem as Readonly<Record<string, unknown>> | null)?.[name]
  const member = (name: string): string | null => {
    const text = value(name)
    return typeof text === 'string' ? text : null
  }
  const title = member('title') ?? `The service answered ${answer.status}`
  const tries = value('triesLeft')
  return new Refusal(
    member('code') ?? `http_${answer.status}`,
    member('detail') ?? `${title}.`,
    {
      status: answer.status,
      triesLeft: typeof tries === 'number' ? tries : null,
      wait: retryAfter(answer.headers.get('retry-after')),
    },
  )
}

/** Parses `Retry-After` (RFC 9110, section 10.2.3): seconds or a date. */
export function retryAfter(text: string | null, now = Date.now()): number | null {
  if (text === null) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return ms >= 0 ? Math.min(ms, MAX_WAIT) : null
}
