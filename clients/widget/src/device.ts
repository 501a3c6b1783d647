/** What some browsers know of themselves (User-Agent Client Hints). */
type Hints = { userAgentData?: { readonly mobile?: boolean } }

/**
 * Whether this is the phone itself, where a link to the app is of more use than a code that no
 * other camera looks at. A tablet counts as a screen.
 */
export function isPhone(page: Window = window): boolean {
  const { userAgent, userAgentData } = page.navigator as Navigator & Hints
  const mobile = userAgentData?.mobile ?? /iPhone|iPod|Android.+Mobile/.test(userAgent)
  return mobile && page.matchMedia('(pointer: coarse)').matches
}
