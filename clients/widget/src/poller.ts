import { backoff, type Clock } from './clock.ts'
import type { Refusal } from './refusal.ts'

/** How often to ask while nobody tells us of changes, in ms. */
const ALONE = 2_000

/** How often to ask beneath an open socket, in ms. */
const BENEATH = 15_000

export interface PollerPorts {
  readonly clock: Clock
  readonly random: () => number
  /** Asks once, and reports what it hears. */
  readonly ask: () => Promise<void>
  /** An attempt failed, so many in a row. Not called for what `ask` does not throw. */
  readonly failed: (refusal: Refusal, failures: number) => void
}

/** Asks again and again, never two at a time, until it is stopped. */
export class Poller {
  readonly #ports: PollerPorts
  #stopped = false
  #busy = false
  #again = false
  #pushed = false
  #failures = 0
  #notBefore = 0
  #disarm = () => {}

  constructor(ports: PollerPorts) {
    this.#ports = ports
    this.#arm(ALONE)
  }

  /** Asks at once, unless the service wants us to wait. */
  poke(): void {
    if (this.#busy) this.#again = true
    else this.#arm(0)
  }

  /** Whether somebody tells us of changes. */
  set pushed(pushed: boolean) {
    if (this.#pushed === pushed) return
    this.#pushed = pushed
    if (!pushed) this.poke()
  }

  stop(): void {
    this.#stopped = true
    this.#disarm()
  }

  #arm(ms: number): void {
    this.#disarm()
    if (this.#stopped) return
    const { clock } = this.#ports
    const wait = Math.max(ms, this.#notBefore - clock.now())
    this.#disarm = clock.after(wait, () => void this.#run())
  }

  async #run(): Promise<void> {
    this.#busy = true
    this.#again = false
    const { ask, clock, failed, random } = this.#ports
    let wait = 0
    try {
      await ask()
      this.#failures = 0
      wait = this.#again ? 0 : this.#pushed ? BENEATH : ALONE
    } catch (error) {
      const refusal = error as Refusal
      this.#failures += 1
      this.#notBefore = clock.now() + (refusal.wait ?? 0)
      wait = backoff(this.#failures, random)
      if (!this.#stopped) failed(refusal, this.#failures)
    }
    this.#busy = false
    this.#arm(wait)
  }
}
