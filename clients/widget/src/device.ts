/** The parts of User-Agent Client Hints that are used. Only some browsers have them. */
type Hints = { userAgentData?: { readonly mobile?: boolean } }

/**
 * Returns whether this device is a phone. A link to the app is then more useful than a code that no other camera
 * sees. Tablets do not count as phones: they rarely have the app, and those without a mobile network cannot send
 * texts. They show the code, with the link next to it.
 */
export function isPhone(page: Window = window): boolean {
  const { userAgent, userAgentData } = page.navigator as Navigator & Hints
  const mobile = userAgentData?.mobile ?? /iPhone|iPod|Android.+Mobile/.test(userAgent)
  return mobile && page.matchMedia('(pointer: coarse)').matches
}
