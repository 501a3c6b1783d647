/**
 * A system whose clock may be wrong, and whose time passes only through `advance` and while the test runs. Sleeping
 * ends immediately.
 */
export function fakeSystem({ clockError = 0 } = {}) {
  let elapsed = 0
  const system = {
    /** The waits so far, in milliseconds. */
    waits: [],
    /** The deadlines so far: each with its time and its controller. */
    deadlines: [],
    advance(ms) { elapsed += ms },
    /** Sets the machine's clock. */
    setClock(error) { clockError = error },
    now: () => Date.now() + clockError + elapsed,
    monotonic: () => performance.now() + elapsed,
    random: () => 0,
    sleep: async (ms, signals) => {
      system.waits.push(ms)
      elapsed += ms
      for (const signal of signals) signal.throwIfAborted()
    },
    deadline(ms) {
      const controller = new AbortController()
      system.deadlines.push({ ms, controller })
      return controller.signal
    },
  }
  return system
}
