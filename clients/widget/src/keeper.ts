import type { Identity } from './identity.ts'

/** Time after which no login can still be under way, in ms. */
const MAX_AGE = 5 * 60_000

/** Name of the database, and of the session's id in the storage of the tab. */
const NAME = 'countersign-login'

interface Kept {
  readonly identity: Identity
  readonly at: number
}

/**
 * Keeps the identity of the present login, so that the same tab goes on with it after a reload. The private key
 * stays one that no script can read.
 */
export class Keeper {
  readonly #record: string
  #last: Promise<unknown> = Promise.resolve()
  /** Whether a reload would find the present login. */
  kept = false

  /** `app` names service and app: there is one record for each. */
  constructor(app: string) {
    this.#record = app
  }

  /**
   * Returns the identity that this tab kept before a reload, or that any tab of this browser kept if an app returned with
   * the id of its login.
   */
  async take(returned: string | undefined): Promise<Identity | null> {
    try {
      // Other tabs have the same database. A copy of a tab has the same storage, but was not reloaded.
      const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
      const id = returned ?? (entry?.type === 'reload' ? sessionStorage.getItem(NAME) : null)
      if (id === null) return null
      sessionStorage.removeItem(NAME)
      const kept = await ask<Kept | undefined>((store) => store.get(this.#record))
      return kept && kept.identity.id === id && Date.now() - kept.at < MAX_AGE ? kept.identity : null
    } catch {
      return null
    }
  }

  /** Keeps an identity instead of the last one; `null` keeps none. */
  keep(identity: Identity | null): void {
    this.kept = false
    this.#last = this.#last.then(async () => {
      if (identity === null) {
        sessionStorage.removeItem(NAME)
        await ask((store) => store.delete(this.#record))
      } else {
        await ask((store) => store.put({ identity, at: Date.now() } satisfies Kept, this.#record))
        sessionStorage.setItem(NAME, identity.id)
        this.kept = true
      }
    }).catch(() => undefined) // The browser allows no storage.
  }
}

/** Makes a request to the store. */
function ask<Result>(request: (store: IDBObjectStore) => IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(NAME)
    opening.onupgradeneeded = () => opening.result.createObjectStore(NAME)
    opening.onerror = reject
    opening.onsuccess = () => {
      const database = opening.result
      const asked = request(database.transaction(NAME, 'readwrite').objectStore(NAME))
      asked.onsuccess = () => resolve(asked.result)
      asked.onerror = reject
      database.close()
    }
  })
}
