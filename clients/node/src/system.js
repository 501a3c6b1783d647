/**
 * Time, chance and waiting. The tests replace them.
 *
 * @typedef {object} System
 * @property {() => number} now The machine's clock, in milliseconds since 1970. It may be wrong.
 * @property {() => number} monotonic Milliseconds since any moment, never set back.
 * @property {() => number} random A number from 0 up to 1.
 * @property {(ms: number) => Promise<void>} sleep
 * @property {(ms: number) => AbortSignal} deadline A signal that aborts after this time.
 */

/** @type {System} */
export const SYSTEM = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms) => new Promise((resolve) => { setTimeout(resolve, ms) }),
  deadline: (ms) => AbortSignal.timeout(ms),
}
