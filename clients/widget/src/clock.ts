/** Time as an argument, so that tests can control it. */
export interface Clock {
  /** Milliseconds since some instant; never goes back, whatever the wall clock does. */
  now(): number
  /** Runs a function once, later; returns a function that cancels it. */
  after(ms: number, run: () => void): () => void
}

/** The page's clock. */
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
 * Returns the wait after this many failures in a row, in ms: 1 s, doubled up to 30 s, half of it random, so
 * that pages that lost the same server do not come back at the same time.
 */
export function backoff(failures: number, random: () => number): number {
  const full = Math.min(MAX_WAIT, FIRST * 2 ** Math.max(0, failures - 1))
  return full / 2 + (full / 2) * random()
}
