/** Time for which a question is shown before the user may confirm, in ms: as on the SDK's screen. */
const DELAY = 1_000

/** Why the user cannot confirm yet. */
export type Obstacle = 'wait' | 'read_to_end'

/** Lets the user confirm once the end of the question was visible, and the question has been shown for a second. */
export class Gate {
  readonly #after: (delay: number, then: () => void) => () => void
  readonly #changed: () => void
  #isWaiting = true
  #isRead = false
  #stop = () => {}

  constructor(after: (delay: number, then: () => void) => () => void, changed: () => void) {
    this.#after = after
    this.#changed = changed
    this.restart()
  }

  get obstacle(): Obstacle | null {
    if (!this.#isRead) return 'read_to_end'
    return this.#isWaiting ? 'wait' : null
  }

  /** The end of the question is visible. */
  read(): void {
    if (this.#isRead) return
    this.#isRead = true
    this.#changed()
  }

  /** Waits again: the page was hidden, restored, or has another size, so the user may not have seen the question. */
  restart(): void {
    this.#stop()
    this.#isWaiting = true
    this.#stop = this.#after(DELAY, () => {
      this.#isWaiting = false
      this.#changed()
    })
    this.#changed()
  }

  end(): void {
    this.#stop()
  }
}
