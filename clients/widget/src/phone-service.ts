import type { Clock } from './clock.ts'
import { readConfirmation, type Client, type Confirmation } from './confirmation.ts'
import type { MissedDetail } from './events.ts'
import { badAnswer, Refusal } from './refusal.ts'
import { bearer, request } from './request.ts'
import type { OwnServer } from './start.ts'
import type { PhoneTexts } from './texts.ts'

export type Status = 'open' | 'verified' | 'expired' | 'cancelled'

/** Why a text with the code was not accepted, as far as the user can do something about it. */
export type Miss = MissedDetail['reason']

/** A confirmation's status, and the tag of that answer. */
export interface Standing {
  readonly status: Status
  readonly miss: Miss | null
  /** Time left, in ms. */
  readonly left: number
  readonly tag: string | null
}

const STATUSES: readonly unknown[] = ['open', 'verified', 'expired', 'cancelled'] satisfies Status[]

/** The misses for which the element has a text, under the same name. */
export const MISSES = [
  'wrong_sender', 'wrong_recipient', 'number_hidden', 'number_type_refused',
] as const satisfies (Miss & keyof PhoneTexts)[]

/** A number as the user wrote it, with the country whose format applies; the country is empty if unknown. */
export interface TypedNumber {
  readonly phoneNumber: string
  readonly country: string
}

/** The service's codes for a number that it does not accept. */
const NUMBER_FAULTS = [
  'phone_number_not_international', 'phone_number_not_national', 'phone_number_not_possible', 'number_type_refused', 'country_malformed',
] as const

/** Why a number was refused. */
export type NumberFault = (typeof NUMBER_FAULTS)[number]

/** Returns why a number was refused; `null` if the refusal was about something else. */
export function numberFault({ code }: Refusal): NumberFault | null {
  return NUMBER_FAULTS.find((fault) => fault === code) ?? null
}

/**
 * Asks the page's own server to start a confirmation, of this number if there is one. Throws each refusal as a
 * `Refusal`.
 */
export async function start(server: OwnServer, number: TypedNumber | null): Promise<Confirmation> {
  if (!number) return read(await server.ask({}))
  const { phoneNumber, country } = number
  return read(await server.ask(country ? { phoneNumber, country } : { phoneNumber }, NUMBER_FAULTS))
}

/** Checks a confirmation. Throws problems as a `Refusal`. */
export function read(value: unknown): Confirmation {
  try {
    return readConfirmation(value)
  } catch (error) {
    const message = `The confirmation's ${(error as Error).message} is missing or wrong.`
    throw new Refusal('bad_session', message, { status: 200 })
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
  const { expiresIn, lastMiss, status } = answer.body
  const { reason } = Object(lastMiss) as { reason?: Miss }
  if (!STATUSES.includes(status) || typeof expiresIn !== 'number') throw badAnswer()
  return {
    status: status as Status,
    miss: MISSES.find((miss) => miss === reason) ?? null,
    left: expiresIn * 1_000,
    tag: answer.headers.get('etag'),
  }
}
