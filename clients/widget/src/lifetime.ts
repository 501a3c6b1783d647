import type { Clock } from './clock.ts'

/** How long a code can be scanned where the service's clock cannot be read, in ms. */
const USUAL = 60_000

/** How long before its end a code is replaced, in ms. */
const EARLY = 5_000

/** No code is taken to live longer, in ms: what says so is a mistake. */
const MAX_LIFETIME = 10 * 60_000

/**
 * How long a code lives, in ms, as its service measures it: `expiresAt` less the answer's own
 * `Date`. This machine's clock may be wrong by hours, so it has no part in it.
 */
export function lifetime(expiresAt: string, date: string | null): number {
  const measured = Date.parse(expiresAt) - Date.parse(date ?? '')
  return measured > 0 && measured <= MAX_LIFETIME ? measured : USUAL
}

/** Calls `due` when a code is to be replaced, and `over` when it can no longer be scanned. */
export function watchLifetime(
  clock: Clock,
  code: { readonly lifetime: number; readonly askedAt: number },
  due: () => void,
  over: () => void,
): () => void {
  // The service began to count after it was asked and before it was heard: the replacement counts
  // from the first, the end from the second.
  const lead = Math.max(code.lifetime / 2, code.lifetime - EARLY)
  const stops = [
    clock.after(Math.max(0, code.askedAt + lead - clock.now()), due),
    clock.after(code.lifetime, over),
  ]
  return () => stops.forEach((stop) => stop())
}
