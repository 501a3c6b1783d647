/** The next step after a page has rejected the user: a link. */
export interface Next {
  readonly text: string
  /** The address of a page. */
  readonly href: string
}

/** Parses the page's offer. Returns `null` if it is missing or not a link to a page. */
export function readNext(next: Next | undefined): Next | null {
  const { href, text } = Object(next) as Partial<Next>
  try {
    const { protocol } = new URL(String(href ?? 'none:'), document.baseURI)
    return text && href && /^https?:$/.test(protocol) ? { text, href } : null
  } catch {
    return null
  }
}
