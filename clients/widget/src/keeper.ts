import type { Identity } from './identity.ts'
import { claimReturn, type Returned } from './return.ts'

/** Maximum time for which a login can still be in progress, in ms. */
const MAX_AGE = 5 * 60_000

/** Name of the database, and prefix of the names of session ids in the tab's storage. */
const NAME = 'countersign-login'

/** The names in the tab's storage that elements of this page use. */
const names = new Set<string>()

/** Reserves a name for an app. Elements of the same app are numbered in the order in which they start. */
function takeName(app: string): string {
  for (let number = 1; ; number += 1) {
    const name = `${NAME} ${app} ${number}`
    if (names.has(name)) continue
    names.add(name)
    return name
  }
}

interface Kept {
  readonly identity: Identity
  readonly at: number
  /** The page's address, with the query, which is not part of a return address. */
  readonly address: string
}

/**
 * Stores the identity of the current login, so that the same tab can continue with it after a reload. Scripts
 * still cannot read the private key.
 */
export class Keeper {
  readonly #app: string
  /** The name of the session id in the tab's storage. */
  readonly #name: string
  /** The key of this tab's record. */
  #own = ''
  #last: Promise<unknown> = Promise.resolve()
  /** Whether the browser allows storage; known after the first `take`. */
  works = false
  /** Whether a reload would find the current login. */
  kept = false

  /** `app` identifies the service and the app. */
  constructor(app: string) {
    this.#app = app
    this.#name = takeName(app)
  }

  /** Releases this element's name for another element of the page. */
  release(): void {
    names.delete(this.#name)
  }

  /**
   * Returns the identity that this tab stored before a reload, or that any tab of this browser stored if an app
   * returned for its login.
   */
  async take(returned?: Returned | null): Promise<Identity | null> {
    try {
      // Other tabs share the database. A copy of a tab has the same storage, but was not reloaded.
      const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
      const id = returned?.id ?? (entry?.type === 'reload' ? sessionStorage.getItem(this.#name) : null)
      if (!returned) sessionStorage.removeItem(this.#name)
      const kept = await ask<Kept | undefined>((store) => store.get(this.#app + id))
      this.works = true
      if (!kept || Date.now() - kept.at > MAX_AGE) return null
      if (returned) {
        if (!claimReturn(returned)) return null
        kept.identity.returnToken = returned.token
        history.replaceState(history.state, '', kept.address)
      }
      return kept.identity
    } catch {
      return null
    }
  }

  /** Stores an identity in place of the last one; `null` stores none. */
  keep(identity: Identity | null): void {
    this.kept = false
    this.#last = this.#last.then(async () => {
      sessionStorage.removeItem(this.#name)
      await ask((store) => {
        store.delete(this.#own)
        sweep(store)
        // Each login has its own record: other tabs store and delete theirs while an app is about to return to this
        // one.
        this.#own = this.#app + identity?.id
        if (identity) store.put({ identity, at: Date.now(), address: location.href } satisfies Kept, this.#own)
        return store.count()
      })
      if (!identity) return
      sessionStorage.setItem(this.#name, identity.id)
      this.kept = true
    }).catch(() => undefined) // The browser allows no storage.
  }
}

/** Deletes records that closed tabs left behind. */
function sweep(store: IDBObjectStore): void {
  const records = store.openCursor()
  records.onsuccess = () => {
    const record = records.result
    if (!record) return
    if (Date.now() - (record.value as Kept).at > MAX_AGE) record.delete()
    record.continue()
  }
}

/** Sends a request to the store. */
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
