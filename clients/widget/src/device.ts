/** The part of User-Agent Client Hints that is used. Only some browsers have it. */
type Hints = { userAgentData?: { readonly mobile?: boolean } }

/**
 * Returns whether this device is a phone. A link to the app is then more useful than a code that no
 * other camera sees. Tablets do not count as phones: the app is rarely on them, and those without a mobile network
 * cannot send texts. They show the code, with the link beside it.
 */
export function isPhone(page: Window = window): boolean {
  const { userAgent, userAgentData } = page.navigator as Navigator & Hints
  const mobile = userAgentData?.mobile ?? /iPhone|iPod|Android.+Mobile/.test(userAgent)
  return mobile && page.matchMedia('(pointer: coarse)').matches
}
