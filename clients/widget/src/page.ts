export interface PageListeners {
  /** The page or the element became visible or hidden, or the page came back from the browser's history. */
  readonly seen: () => void
  /** The element was hidden within the page and is shown again, as in a dialog. */
  readonly opened: () => void
  /** The network came or went. */
  readonly network: () => void
  /** The part of the page's address after `#` changed. */
  readonly moved?: () => void
  /** The page's policy blocked a request to this URL. */
  readonly blocked: (url: string) => void
  /**
   * The page is about to be left: for the URL that a link or a script opened, or for `null`. The latter may
   * be a reload, because the browser does not say what its own buttons do.
   */
  readonly left?: (to: string | null) => void
}

/** The root attribute while Turbo shows a preview of a page that it is still loading. */
const PREVIEW = 'data-turbo-preview'

/**
 * Watches the page, and whether the panel of an element is rendered in it. Returns a function that stops watching.
 */
export function watchPage(panel: Element, { blocked, left, moved, network, opened, seen }: PageListeners): () => void {
  const stop = new AbortController()
  const { signal } = stop
  document.addEventListener('visibilitychange', seen, { signal })
  let rendered = isRendered(panel)
  const check = () => {
    if (rendered === isRendered(panel)) return
    rendered = !rendered
    seen()
    if (rendered) opened()
  }
  const sizes = new ResizeObserver(check)
  sizes.observe(panel)
  // The attribute is removed shortly before the page is there, which may replace the preview.
  document.addEventListener('turbo:render', check, { signal })
  // The content of a details element keeps its size. The event comes late, and does not bubble.
  document.addEventListener('toggle', check, { signal, capture: true })
  // The panel has a transition only for this, because no event reports visibility.
  for (const name of ['transitionrun', 'transitionend']) panel.addEventListener(name, check, { signal })
  document.addEventListener('securitypolicyviolation', ({ blockedURI, disposition }) => {
    if (disposition !== 'report') blocked(blockedURI)
  }, { signal })
  for (const name of ['online', 'offline']) addEventListener(name, network, { signal })
  addEventListener('hashchange', () => moved?.(), { signal })
  addEventListener('pageshow', ({ persisted }) => persisted && seen(), { signal })
  let to: string | null = null
  // Not every browser supports it.
  const { navigation } = globalThis as { navigation?: Navigation }
  navigation?.addEventListener('navigate', ({ destination: { sameDocument, url }, navigationType }) => {
    to = sameDocument || navigationType === 'reload' ? null : url
  }, { signal })
  addEventListener('pagehide', ({ persisted }) => persisted || left?.(to), { signal })
  return () => {
    stop.abort()
    sizes.disconnect()
  }
}

/** Whether the panel may be visible. Preloaded pages are hidden. */
export function isShown(panel: Element): boolean {
  return isVisible() && isRendered(panel)
}

export function isVisible(): boolean {
  return document.visibilityState === 'visible'
}

/**
 * Whether the page shows the panel, regardless of scrolling: not in a closed dialog, for example, nor in a preview of
 * the page.
 */
function isRendered(panel: Element): boolean {
  if (document.documentElement.hasAttribute(PREVIEW) || panel.getClientRects().length === 0) return false
  // Closed details have a layout. Not every browser reports this.
  const { checkVisibility } = panel as Partial<Element>
  return getComputedStyle(panel).visibility === 'visible' && (checkVisibility?.call(panel) ?? true)
}
