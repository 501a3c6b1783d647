import type { Clock } from './clock.ts'
import { readConfirmation, type Client, type Confirmation } from './confirmation.ts'
import { badAnswer, Refusal } from './refusal.ts'
import { bearer, request } from './request.ts'

export type Status = 'open' | 'verified' | 'expired' | 'cancelled'

/** A confirmation's status, and the tag of that answer. */
export interface Standing {
  readonly status: Status
  /** Time left, in ms. */
  readonly left: number
  readonly tag: string | null
}

const STATUSES: readonly unknown[] = ['open', 'verified', 'expired', 'cancelled'] satisfies Status[]

/** The code for a route that starts nothing. */
const REFUSED = 'start_refused'

/** Has the page's own server start a confirmation. Throws each refusal as a `Refusal`. */
export async function start(clock: Clock, route: string): Promise<Confirmation> {
  const url = new URL(route, document.baseURI)
  if (url.origin !== location.origin) throw bad('The attribute start is not a route of the page\'s own server.', REFUSED)
  const { body } = await request(clock, url.href, {
    method: 'POST',
    body: '{}',
    // In the mode `same-origin`, a request without a referrer may have the origin `null`.
    credentials: 'same-origin',
    redirect: 'follow',
  }).catch((error: Refusal) => {
    // The rest may come to nothing however often it is repeated.
    if (error.status === 0 || error.status === 429) throw error
    throw bad(`The page's server answered ${error.status} (${error.code}).`, error.status < 400 ? undefined : REFUSED)
  })
  return read(body)
}

/** Checks a confirmation. Throws what is wrong as a `Refusal`. */
export function read(value: unknown): Confirmation {
  try {
    return readConfirmation(value)
  } catch (error) {
    throw bad(`The confirmation's ${(error as Error).message} is missing or wrong.`)
  }
}

/** Returns a confirmation's status, given the previous answer. */
export async function standing(
  clock: Clock,
  { statusUrl, token }: Client,
  last: Standing | null,
): Promise<Standing> {
  const condition = last?.tag ? { 'if-none-match': last.tag } : {}
  const answer = await request(clock, statusUrl, { headers: { ...bearer(token), ...condition } })
  if (answer.status === 304 && last) return last
  const { expiresIn, status } = answer.body
  if (!STATUSES.includes(status) || typeof expiresIn !== 'number') throw badAnswer()
  return { status: status as Status, left: expiresIn * 1_000, tag: answer.headers.get('etag') }
}

function bad(message: string, code = 'bad_session'): Refusal {
  return new Refusal(code, message, { status: 200 })
}
