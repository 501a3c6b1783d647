/**
 * Time, randomness and waiting. The tests replace them.
 *
 * @typedef {object} System
 * @property {() => number} now The machine's clock, in milliseconds since 1970. It may be wrong.
 * @property {() => number} monotonic Milliseconds since any moment, never set back.
 * @property {() => number} random A number from 0 up to 1.
 * @property {(ms: number, signals: AbortSignal[]) => Promise<void>} sleep Throws the reason of a signal that aborts.
 * @property {(ms: number) => AbortSignal} deadline A signal that aborts after this time.
 */

/** @type {System} */
export const SYSTEM = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  sleep,
  deadline: (ms) => AbortSignal.timeout(Math.max(0, Math.ceil(ms))),
}

/** @type {System['sleep']} */
function sleep(ms, signals) {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.any(signals)
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
