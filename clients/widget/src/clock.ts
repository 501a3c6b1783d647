/** Time as an argument, so that tests have their own. */
export interface Clock {
  /** Milliseconds since some instant; never set back, whatever the wall clock does. */
  now(): number
  /** Runs something once, later; answers how to take that back. */
  after(ms: number, run: () => void): () => void
}

/** The page's time. */
export const pageClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

const FIRST = 1_000
const MAX_WAIT = 30_000

/**
 * How long to wait after so many failures in a row, in ms: 1 s, doubled up to 30 s, half of it by
 * chance, so that pages which lost the same server do not come back together.
 */
export function backoff(failures: number, random: () => number): number {
  const full = Math.min(MAX_WAIT, FIRST * 2 ** Math.max(0, failures - 1))
  return full / 2 + (full / 2) * random()
}
