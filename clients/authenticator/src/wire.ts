// Requests that are retried until they are answered. All of them can be repeated.

import { byteLength } from './bytes.ts'
import { AuthenticatorError, malformedAnswer, refusal, type ServiceProblem } from './errors.ts'
import { MAX_ANSWER_BYTES } from './http.ts'
import { NetworkError, type Http, type HttpRequest, type HttpResponse, type Sleep } from './ports.ts'

/** Maximum wait that a service can request, in milliseconds. If it requests more, the user decides when to retry. */
const MAX_WAIT = 10_000

/** When to retry requests that got no answer, or one that asks for a retry. Times are in milliseconds. */
export interface RetryPolicy {
  /** One retry after each of these delays. */
  delays: number[]
  /** Limit of each attempt; without it, attempts have none. */
  timeout?: number
}

/** For a user who is waiting: ten seconds per attempt, and five retries within eight seconds. */
export const STANDARD_RETRIES: RetryPolicy = { delays: [250, 500, 1000, 2000, 4000], timeout: 10_000 }

export interface WirePorts {
  http: Http
  sleep: Sleep
  /** A clock that never jumps, in milliseconds. */
  sinceBoot: () => number
}

/** A failed attempt. A retry may succeed if there is a wait. */
class Failure {
  readonly error: AuthenticatorError
  readonly wait: number | undefined

  constructor(error: AuthenticatorError, wait?: number) {
    this.error = error
    this.wait = wait
  }
}

const cancelled = () => new AuthenticatorError('cancelled', 'the app cancelled the operation')
const network = (message: string) => new AuthenticatorError('network', message)

/** A request without its signal. */
export type Post = Omit<HttpRequest, 'signal'>

/**
 * Sends a request, and retries it while that may help, until a deadline on the clock `sinceBoot`. Returns the JSON of an
 * answer with status 200. Calls `check` before each attempt.
 */
export async function post(
  ports: WirePorts,
  retries: RetryPolicy,
  request: Post,
  { deadline, check, signal }: { deadline: number, check?: () => Promise<void>, signal?: AbortSignal | undefined },
): Promise<unknown> {
  for (const delay of [...retries.delays, undefined]) {
    if (signal?.aborted) throw cancelled()
    await check?.()
    const result = await attempt(ports, retries.timeout, request, signal)
    if (!(result instanceof Failure)) return result.value
    const { error, wait } = result
    if (wait === undefined || delay === undefined || wait > MAX_WAIT) throw error
    const pause = Math.max(wait, delay)
    if (ports.sinceBoot() + pause >= deadline) throw error
    if (pause > 0) await ports.sleep(pause, signal ?? new AbortController().signal)
  }
  throw network('the service cannot be reached')
}

async function attempt(
  { http, sleep }: WirePorts,
  timeout: number | undefined,
  request: Post,
  signal: AbortSignal | undefined,
): Promise<{ value: unknown } | Failure> {
  const controller = new AbortController()
  let abort = () => {}
  const ends: Promise<HttpResponse | Failure>[] = [
    http({ ...request, signal: controller.signal }).catch(failureOf),
    new Promise((resolve) => {
      abort = () => resolve(new Failure(cancelled()))
      signal?.addEventListener('abort', abort)
      if (signal?.aborted) abort()
    }),
  ]
  if (timeout !== undefined) {
    const late = () => new Failure(network(`the service did not answer within ${timeout} ms`), 0)
    ends.push(sleep(timeout, controller.signal).then(late))
  }
  const end = await Promise.race(ends)
  signal?.removeEventListener('abort', abort)
  controller.abort()
  return end instanceof Failure ? end : check(end)
}

function failureOf(error: unknown): Failure {
  const kind = error instanceof NetworkError ? error.kind : 'temporary'
  if (kind === 'answer_too_long') return new Failure(malformedAnswer('too_long'))
  const message = error instanceof NetworkError ? error.message : 'the service cannot be reached'
  return new Failure(network(message), kind === 'temporary' ? 0 : undefined)
}

function check({ status, retryAfter, body }: HttpResponse): { value: unknown } | Failure {
  if (byteLength(body) > MAX_ANSWER_BYTES) return new Failure(malformedAnswer('too_long'))
  // An intermediary answered: a captive portal, a proxy, a load balancer.
  const notOurs = () => network(`status ${status}, and no answer of a Countersign service`)
  const value = parse(body)
  if (status === 200) return value === undefined ? new Failure(notOurs()) : { value }
  const problem = problemOf(status, value)
  const error = problem ? refusal(problem) : notOurs()
  return new Failure(error, [429, 502, 503, 504].includes(status) ? waitOf(retryAfter) : undefined)
}

/** A parser's error quotes the text, so it is dropped. */
function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function problemOf(status: number, value: unknown): ServiceProblem | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { code, title, detail } = value as Record<string, unknown>
  const isProblem = typeof code === 'string' && typeof title === 'string' && (detail === undefined || detail === null || typeof detail === 'string')
  if (!isProblem) return undefined
  return typeof detail === 'string' ? { status, code, title, detail } : { status, code, title }
}

/** Returns the wait that the service requests in seconds, in milliseconds. */
const waitOf = (retryAfter: string | undefined): number => (
  /^\s*\d+\s*$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : 0
)
