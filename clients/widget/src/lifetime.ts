import type { Clock } from './clock.ts'

/** Lifetime of a code if the service's clock cannot be read, in ms. */
const USUAL = 60_000

/** How long before its end a code is replaced, in ms. */
const EARLY = 5_000

/** Maximum plausible lifetime of a code, in ms; longer values are ignored. */
const MAX_LIFETIME = 10 * 60_000

/**
 * Returns a code's lifetime in ms by the service's clock: `expiresAt` minus the answer's `Date`. This
 * machine's clock may be wrong by hours, so it is not used.
 */
export function lifetime(expiresAt: string, date: string | null): number {
  const measured = Date.parse(expiresAt) - Date.parse(date ?? '')
  return measured > 0 && measured <= MAX_LIFETIME ? measured : USUAL
}

/** Returns the time after which a code should be replaced, in ms. */
export const replacedAfter = ({ lifetime }: { readonly lifetime: number }) => Math.max(lifetime / 2, lifetime - EARLY)

/** Calls `due` when a code should be replaced, and `over` when it can no longer be scanned. */
export function watchLifetime(
  clock: Clock,
  code: { readonly lifetime: number; readonly askedAt: number },
  due: () => void,
  over: () => void,
): () => void {
  // The service's time began after the request and before the answer: the replacement counts from the
  // request, the end from the answer.
  const stops = [
    clock.after(Math.max(0, code.askedAt + replacedAfter(code) - clock.now()), due),
    clock.after(code.lifetime, over),
  ]
  return () => stops.forEach((stop) => stop())
}
