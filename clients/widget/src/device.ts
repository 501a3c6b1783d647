/** What some browsers report about themselves (User-Agent Client Hints). */
type Hints = { userAgentData?: { readonly mobile?: boolean } }

/**
 * Whether this device is the phone itself: a link to the app is then more useful than a code that
 * no other camera sees. Tablets count as screens.
 */
export function isPhone(page: Window = window): boolean {
  const { userAgent, userAgentData } = page.navigator as Navigator & Hints
  const mobile = userAgentData?.mobile ?? /iPhone|iPod|Android.+Mobile/.test(userAgent)
  return mobile && page.matchMedia('(pointer: coarse)').matches
}
