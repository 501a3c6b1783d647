import type { Clock } from '../../src/clock.ts'

/** A clock that tests control. */
export class TestClock implements Clock {
  #now = 1_000_000
  #timers: { at: number; run: () => void }[] = []

  now(): number {
    return this.#now
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer)
    }
  }

  /** Moves the clock. Runs due timers in order, and after each all promises that follow from it. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms
    await settled()
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
      if (!next) break
      this.#timers = this.#timers.filter((one) => one !== next)
      this.#now = Math.max(this.#now, next.at)
      next.run()
      await settled()
    }
    this.#now = end
  }

  /** Number of armed timers. */
  get armed(): number {
    return this.#timers.length
  }
}

/** Waits until promises that only depend on each other have settled. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
}
