/** The longest that a service can ask us to wait, in ms. */
const MAX_WAIT = 10 * 60_000

interface Circumstances {
  /** The status of the answer; 0 where there was none. */
  readonly status?: number
  /** How long to wait before the next try, in ms. */
  readonly wait?: number | null
}

/** A request that did not bring what it was for. */
export class Refusal extends Error {
  /** What programs decide by: a problem's `code` in the service's words, or one of ours. */
  readonly code: string
  /** The status of the answer; 0 where there was none. */
  readonly status: number
  /** How long the service asked to wait before the next try, in ms. */
  readonly wait: number | null

  constructor(code: string, message: string, { status = 0, wait = null }: Circumstances = {}) {
    super(message)
    this.code = code
    this.status = status
    this.wait = wait
  }

  /** Whether the same request may well succeed later. */
  get passing(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500
  }

  /** Whether the request may have been carried out all the same. */
  get uncertain(): boolean {
    return this.status === 0 || this.status >= 500
  }
}

/** The service answered, and nobody knows what. */
export function badAnswer(): Refusal {
  const message = 'The service answered in a form that is not understood.'
  return new Refusal('bad_answer', message, { status: 200 })
}

/** Reads an answer that is an error: a problem of RFC 9457, or whatever a proxy has to say. */
export async function refusalOf(answer: Response): Promise<Refusal> {
  const problem: unknown = await answer.json().catch(() => null)
  const member = (name: string): string | null => {
    const value = (problem as Readonly<Record<string, unknown>> | null)?.[name]
    return typeof value === 'string' ? value : null
  }
  return new Refusal(
    member('code') ?? `http_${answer.status}`,
    member('detail') ?? member('title') ?? `The service answered ${answer.status}.`,
    { status: answer.status, wait: retryAfter(answer.headers.get('retry-after')) },
  )
}

/** Reads `Retry-After` (RFC 9110, section 10.2.3): seconds, or an instant. */
export function retryAfter(text: string | null, now = Date.now()): number | null {
  if (text === null) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return ms >= 0 ? Math.min(ms, MAX_WAIT) : null
}
