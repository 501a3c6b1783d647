export interface PageListeners {
  /** The page became visible, was hidden, or came back from the browser's history. */
  readonly seen: () => void
  /** The network came or went. */
  readonly network: () => void
  /** The part of the page's address after `#` changed. */
  readonly moved?: () => void
  /** The page's policy blocked a request to this URL. */
  readonly blocked: (url: string) => void
  /**
   * The page goes away for good: to the URL that a link or a script opened, or to `null`. The latter may be a
   * reload, since the browser does not say what its own buttons do.
   */
  readonly left?: (to: string | null) => void
}

/** Watches the page. Returns a function that ends this. */
export function watchPage({ blocked, left, moved, network, seen }: PageListeners): () => void {
  const stop = new AbortController()
  const { signal } = stop
  document.addEventListener('visibilitychange', seen, { signal })
  document.addEventListener('securitypolicyviolation', ({ blockedURI, disposition }) => {
    if (disposition !== 'report') blocked(blockedURI)
  }, { signal })
  for (const name of ['online', 'offline']) addEventListener(name, network, { signal })
  addEventListener('hashchange', () => moved?.(), { signal })
  addEventListener('pageshow', ({ persisted }) => persisted && seen(), { signal })
  let to: string | null = null
  // Not every browser has it.
  const { navigation } = globalThis as { navigation?: Navigation }
  navigation?.addEventListener('navigate', ({ destination: { sameDocument, url }, navigationType }) => {
    to = sameDocument || navigationType === 'reload' ? null : url
  }, { signal })
  addEventListener('pagehide', ({ persisted }) => persisted || left?.(to), { signal })
  return () => stop.abort()
}

export function isVisible(): boolean {
  return document.visibilityState === 'visible'
}
