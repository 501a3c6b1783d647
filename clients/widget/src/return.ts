/** The values that an app on the same phone passes to the page that it reopens. */
export interface Returned {
  readonly id: string
  /** Redeems the payload, once. */
  readonly token: string
}

/** Maximum length of an address that the service accepts, in bytes. */
const MAX_ADDRESS = 1024

/** The parts of an address to which an app returns. */
const MARK = '#countersign='

/** Whether an app returns to this address. */
export function isReturn(address: string): boolean {
  return address.includes(MARK)
}

/**
 * The values that an app passed for one of the page's elements, until an element has claimed them for its login.
 */
let waiting: Returned | null = null

/** Returns the values that an app passed and no element has claimed. */
export function waitingReturn(): Returned | null {
  return takeReturned() ?? waiting
}

/** Makes sure that only one element uses the values that an app passed. */
export function claimReturn(returned: Returned): boolean {
  const free = waiting === returned
  if (free) waiting = null
  return free
}

/**
 * Removes the values that an app added to the page's address, so that nothing else reads them and a reload does not use
 * them again.
 */
export function takeReturned(): Returned | null {
  const [address, passed] = location.href.split(MARK)
  if (passed === undefined) return null
  // A bare path would depend on the document's base URL, and two slashes at its start would begin a host.
  history.replaceState(history.state, '', address)
  const [, id, token] = /^(\w+)\.([\w-]{43})$/.exec(passed) ?? []
  waiting = id && token ? { id, token } : null
  return waiting
}

/** The address that the app does not list as a return page, if the service said so. */
let unlisted: string | null = null

/**
 * Returns the page's address for an app to return to; `null` if the service would refuse it. Apps list such addresses
 * exactly, so it has no query.
 */
export function returnUrl({ origin, pathname }: Pick<Location, 'origin' | 'pathname'>): string | null {
  const address = origin + pathname
  return address !== unlisted && address.length <= MAX_ADDRESS && /^http/.test(address) ? address : null
}

/** Records that the app does not list an address, so that it is not tried again before a reload. */
export function unlist(address: string): void {
  unlisted = address
}
