import { Store } from './store.ts'

/** An address of the page: the parts of its path, and its query. */
export type Route = { path: string[], query: URLSearchParams }

export function parse(pathname: string, search: string): Route {
  const path = pathname.split('/').filter((part) => part !== '').map((part) => {
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  })
  return { path, query: new URLSearchParams(search) }
}

export function href(path: string[], query?: URLSearchParams): string {
  const search = query?.toString() ?? ''
  return `/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}

export const route = new Store<Route>({ path: [], query: new URLSearchParams() })

function read(): void {
  route.set(parse(location.pathname, location.search))
}

/** Goes to an address of the page. A replaced address leaves no step for the button *back*. */
export function go(address: string, options: { replaces?: boolean } = {}): void {
  const before = location.pathname
  if (options.replaces) history.replaceState({ within: true }, '', address)
  else history.pushState({ within: true }, '', address)
  read()
  if (location.pathname !== before) scrollTo(0, 0)
}

/** Follows the address. */
export function startRouting(): void {
  addEventListener('popstate', read)
  read()
}

/** True if a click on a link is for the page: other clicks open tabs, windows or downloads. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
}
