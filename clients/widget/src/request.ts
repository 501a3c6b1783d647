import type { Clock } from './clock.ts'
import { badAnswer, jsonOf, Refusal, refusalOf } from './refusal.ts'

/** Timeout of one request, in ms. */
const REQUEST_TIMEOUT = 10_000

type Json = Readonly<Record<string, unknown>>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

/** Sends a request without cookies, unless `init` says otherwise. Throws refusals as {@link Refusal}. */
export async function request(clock: Clock, url: string, init: RequestInit): Promise<Answer> {
  const abort = new AbortController()
  const stop = clock.after(REQUEST_TIMEOUT, () => abort.abort())
  try {
    const answer = await fetch(url, {
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal: abort.signal,
      ...init,
      headers: init.body ? { ...init.headers, 'content-type': 'application/json' } : init.headers ?? {},
    })
    return await readAnswer(answer)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal('unreachable', 'The service did not answer.')
  } finally {
    stop()
  }
}

/** Parses an answer. Throws refusals as {@link Refusal}. */
export async function readAnswer(answer: Response): Promise<Answer> {
  const { headers, ok, status } = answer
  if (!ok && status !== 304) throw await refusalOf(answer)
  const body = status === 204 || status === 304 ? {} : await jsonOf(answer)
  if (typeof body !== 'object' || body === null) throw badAnswer()
  return { status, headers, body: body as Json }
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
