import type { TypedNumber } from './phone-service.ts'

/** The number of a confirmation in progress, and when its time is up, in ms since 1970. */
interface Kept extends TypedNumber {
  readonly until: number
}

/**
 * Stores the number of a confirmation in its tab until its time is up, or deletes it. Phones discard a page while the
 * messages app covers it, and load it again: with the stored number, the user need not type it again.
 */
export function keepNumber(name: string, number: TypedNumber | null, left = 0): void {
  try {
    if (number) sessionStorage.setItem(name, JSON.stringify({ ...number, until: Date.now() + left } satisfies Kept))
    else sessionStorage.removeItem(name)
  } catch {
    // Without storage, the user types it again.
  }
}

/** Returns the stored number; `null` if there is none or its time is up. */
export function keptNumber(name: string): TypedNumber | null {
  try {
    const { country, phoneNumber, until } = JSON.parse(sessionStorage.getItem(name) ?? '{}') as Partial<Kept>
    return phoneNumber && Number(until) > Date.now() ? { phoneNumber, country: country ?? '' } : null
  } catch {
    return null
  }
}
