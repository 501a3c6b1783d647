import { useEffect, useState } from 'preact/hooks'

/** A value that components follow. */
export class Store<T> {
  #value: T
  readonly #followers = new Set<() => void>()

  constructor(value: T) {
    this.#value = value
  }

  get value(): T {
    return this.#value
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return
    this.#value = value
    for (const follower of [...this.#followers]) follower()
  }

  follow(follower: () => void): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }
}

/** Returns a store's value, and renders the component again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, render] = useState(0)
  useEffect(() => store.follow(() => render((count) => count + 1)), [store])
  return store.value
}
