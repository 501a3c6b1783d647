import { Store } from '../shell/store.ts'
import { currentSecret } from './session.ts'
import type { AnswerOf, BodyOf, RequestName } from './types.ts'

/** Why a request failed. `stopped` and `unreachable` pass; `ended` lasts until a new link is opened. */
export type FailureKind =
  | 'malformed' | 'ended' | 'forbidden' | 'missing' | 'refused' | 'stopped' | 'unreachable' | 'failed'

/** What a refusal has beside its sentence. */
type Refused = { now?: Record<string, unknown>, code?: string, values?: Record<string, string> }

export class ApiError extends Error {
  readonly kind: FailureKind
  /** The values at present, if another operator changed them meanwhile. */
  readonly now: Record<string, unknown> | undefined
  /** A stable name of the refusal, with the values in its sentence. */
  readonly code: string | undefined
  readonly values: Record<string, string>

  constructor(kind: FailureKind, message: string, { now, code, values = {} }: Refused = {}) {
    super(message)
    this.kind = kind
    this.now = now
    this.code = code
    this.values = values
  }

  /** True if the same request may succeed soon. */
  get passes(): boolean {
    return this.kind === 'stopped' || this.kind === 'unreachable'
  }
}

/** The state of the connection, for the banner of the page. */
export const connection = new Store<'well' | 'stopped' | 'unreachable' | 'ended'>('well')

const KINDS: Record<number, FailureKind> = {
  400: 'malformed', 401: 'ended', 403: 'forbidden', 404: 'missing', 409: 'refused', 422: 'malformed', 429: 'stopped', 503: 'stopped',
}

/** Returns the kind of failure of a status. */
export function kindOf(status: number): FailureKind {
  return KINDS[status] ?? 'failed'
}

/** Milliseconds after which a request counts as lost. */
const TIMEOUT = 30_000

async function send(name: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const given = AbortSignal.timeout(TIMEOUT)
  return fetch(`/api/${name}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'countersign-console': currentSecret() ?? '',
    },
    body: JSON.stringify(body),
    cache: 'no-store',
    signal: signal === undefined ? given : AbortSignal.any([given, signal]),
  })
}

/**
 * Sends a request, and returns its answer.
 *
 * @throws {ApiError} if it fails
 */
export async function ask<N extends RequestName>(name: N, body: BodyOf<N>, signal?: AbortSignal): Promise<AnswerOf<N>> {
  if (currentSecret() === null) {
    connection.set('ended')
    throw new ApiError('ended', '')
  }
  let response: Response
  let answer: unknown
  try {
    response = await send(name, body, signal)
    const text = await response.text()
    answer = text === '' ? null : JSON.parse(text)
  } catch (error) {
    if (signal?.aborted) throw error
    if (error instanceof SyntaxError) throw new ApiError('failed', '')
    if (connection.value !== 'ended') connection.set('unreachable')
    throw new ApiError('unreachable', '')
  }
  if (response.ok) {
    connection.set('well')
    return answer as AnswerOf<N>
  }
  const { message, ...refused } = (answer ?? {}) as Refused & { message?: unknown }
  const kind = kindOf(response.status)
  if (kind === 'stopped') connection.set('stopped')
  else if (kind === 'ended') connection.set('ended')
  else connection.set('well')
  throw new ApiError(kind, typeof message === 'string' ? message : '', refused)
}
