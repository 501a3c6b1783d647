import { backoff, type Clock } from './clock.ts'
import type { Refusal } from './refusal.ts'

/** Interval between polls without push, in ms. */
const ALONE = 2_000

/**
 * Interval between polls while a WebSocket is open, in ms. Proxies and networks may drop connections silently, and
 * only a poll reveals that: the service accepts no message except the first.
 */
const BENEATH = 2_500

export interface PollerPorts {
  readonly clock: Clock
  readonly random: () => number
  /** Polls once, and reports the answer. */
  readonly ask: () => Promise<void>
  /** A poll failed; the argument is the number of failures in a row. Only called if `ask` throws. */
  readonly failed: (refusal: Refusal, failures: number) => void
}

/** Polls until stopped, never twice at the same time. */
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

  /** Polls immediately, unless the service asked to wait. */
  poke(): void {
    if (this.#busy) this.#again = true
    else this.#arm(0)
  }

  /** Whether changes are pushed. */
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
      // While a socket is open, a busy service only makes polls less frequent: it pushes changes in the
      // meantime.
      const isPushed = this.#pushed && refusal.status === 429
      if (!this.#stopped && !isPushed) failed(refusal, this.#failures)
    }
    this.#busy = false
    this.#arm(wait)
  }
}
