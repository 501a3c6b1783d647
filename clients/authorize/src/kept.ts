import type { Request } from './flow.ts'

/** Lifetime of a request, in ms. */
const LIFETIME = 5 * 60_000

/** The name in the tab's storage. */
const NAME = 'countersign-authorize'

interface Kept {
  readonly address: string
  readonly sealed: string
  readonly until: number
  readonly method: string
}

/**
 * Returns the request that this tab kept, or the page's new one. Phones discard a page while the messages app covers
 * it, and load it again: with the kept request, the text that was sent still counts.
 */
export function requestFor(address: string, sealed: string, now: number, storage: Storage | null): Request {
  const kept = read(storage)
  return kept && kept.address === address && kept.until > now
    ? { sealed: kept.sealed, until: kept.until, kept: true }
    : { sealed, until: now + LIFETIME, kept: false }
}

/** Returns the method that the person chose before a reload; empty if the person chose none. */
export function methodOf(address: string, storage: Storage | null): string {
  const kept = read(storage)
  return kept?.address === address ? kept.method : ''
}

/** Keeps a request in the tab. Without storage, a reload starts again. */
export function keep(address: string, { sealed, until }: Request, method: string, storage: Storage | null): void {
  try {
    storage?.setItem(NAME, JSON.stringify({ address, sealed, until, method } satisfies Kept))
  } catch {
    // The storage is full.
  }
}

export function forget(storage: Storage | null): void {
  storage?.removeItem(NAME)
}

/** Returns the tab's storage, if the browser allows it. */
export function tabStorage(): Storage | null {
  try {
    return sessionStorage
  } catch {
    return null
  }
}

function read(storage: Storage | null): Kept | null {
  try {
    const kept = JSON.parse(storage?.getItem(NAME) ?? 'null') as Partial<Kept> | null
    const whole = typeof kept?.address === 'string' && typeof kept.sealed === 'string' && typeof kept.until === 'number'
    return whole ? { method: '', ...kept } as Kept : null
  } catch {
    return null
  }
}
