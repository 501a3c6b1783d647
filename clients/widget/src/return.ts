/** What an app on the same phone passes to the page that it opens again. */
export interface Returned {
  readonly id: string
  /** Redeems the payload, once. */
  readonly token: string
}

/** Longest address that the service takes, in bytes. */
const MAX_ADDRESS = 1024

/** Takes what an app put into the page's address, so that nothing else reads it and a reload does not repeat it. */
export function takeReturned(): Returned | null {
  const [, id, token] = /^#countersign=(qr[sp]_[0-9a-f]{32})\.([\w-]{43})$/.exec(location.hash) ?? []
  if (!id || !token) return null
  history.replaceState(history.state, '', location.pathname + location.search)
  return { id, token }
}

/** Returns the page's address for an app to return to; `null` if the service would refuse it. */
export function returnUrl(): string | null {
  const [address = ''] = location.href.split('#')
  return address.length <= MAX_ADDRESS && /^[!-~]+$/.test(address) ? address : null
}
