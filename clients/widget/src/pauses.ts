import { backoff, type Clock } from './clock.ts'
import type { Refusal } from './refusal.ts'

/** Waits between attempts. */
export class Pauses {
  readonly #clock: Clock
  readonly #random: () => number
  readonly #sleepers = new Set<() => void>()

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  /** Waits before the next attempt, or until the network or the page comes back. */
  pause(failures: number, { wait }: Refusal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        stop()
        this.#sleepers.delete(wake)
        resolve()
      }
      const stop = this.#clock.after(Math.max(wait ?? 0, backoff(failures, this.#random)), wake)
      // A wait that the service requested applies in any case.
      if (wait === null) this.#sleepers.add(wake)
    })
  }

  /** Ends the waits that no service requested. */
  wake(): void {
    for (const wake of [...this.#sleepers]) wake()
  }
}
