// One thing after another.

/** Runs tasks one after the other. */
export class Lock {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs a task once all earlier ones have ended. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const run = this.#last.then(task)
    this.#last = run.catch(() => {})
    return run
  }
}
