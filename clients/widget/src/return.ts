/** The values that an app on the same phone passes to the page that it opens again. */
export interface Returned {
  readonly id: string
  /** Redeems the payload, once. */
  readonly token: string
}

/** Longest address that the service takes, in bytes. */
const MAX_ADDRESS = 1024

/** The parts of an address to which an app returns. */
const MARK = '#countersign='

/** Whether an app returns to this address. */
export function isReturn(address: string): boolean {
  return address.includes(MARK)
}

/** The values that an app passed for one of the page's elements, until one has found its login. */
let waiting: Returned | null = null

/** Returns what an app passed and no element has claimed. */
export function waitingReturn(): Returned | null {
  return takeReturned() ?? waiting
}

/** Lets only one element use the values that an app passed. */
export function claimReturn(returned: Returned): boolean {
  const free = waiting === returned
  if (free) waiting = null
  return free
}

/** Takes what an app put into the page's address, so that nothing else reads it and a reload does not repeat it. */
export function takeReturned(): Returned | null {
  const [address, passed] = location.href.split(MARK)
  if (passed === undefined) return null
  // A mere path would depend on the base of the document, and two slashes at its start name a host.
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

/** Notes that the app does not list an address, so that it is not tried again before a reload. */
export function unlist(address: string): void {
  unlisted = address
}
