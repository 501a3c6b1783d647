/** Time as an argument, so that tests can control it. */
export interface Clock {
    /** Milliseconds since some instant; never goes back, whatever the wall clock does. */
    now(): number;
    /** Runs a function once, later; returns a function that cancels it. */
    after(ms: number, run: () => void): () => void;
}
/** The page's clock. */
export declare const pageClock: Clock;
/**
 * Returns the wait after this many failures in a row, in ms: 1 s, doubled up to 30 s, half of it random, so
 * that pages that lost the same server do not come back at the same time.
 */
export declare function backoff(failures: number, random: () => number): number;
