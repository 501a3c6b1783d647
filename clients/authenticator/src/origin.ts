// Origins of pages, and the URLs that a phone opens or calls.

import { parseUrl } from './link.ts'

const MAX_ORIGIN_BYTES = 280
const MAX_RETURN_URL = 1024
const VISIBLE = /^[!-~]+$/

/** Returns whether a URL leads to this machine: to `localhost`, a name below it, or a loopback address. */
export const isThisMachine = ({ hostname }: URL): boolean => (
  /^(?:.*\.)?localhost$/.test(hostname) || /^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname === '[::1]'
)

/** Returns whether a URL is encrypted, or never leaves this machine. */
const isSecure = (url: URL): boolean => url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url))

/** Returns the origin of a page in its normal form; `undefined` if the text is not one. */
export function normalOrigin(text: string): string | undefined {
  if (text.length > MAX_ORIGIN_BYTES || !VISIBLE.test(text) || /[?#@\\*]/.test(text)) return undefined
  const url = parseUrl(text)
  const bare = /^[^:]*:\/\/([^/]+)\/?$/.exec(text)
  // Browsers treat a host with a final dot as a different one.
  const isOrigin = url && bare && url.pathname === '/' && isSecure(url) && url.hostname !== '' && !url.hostname.endsWith('.')
  return isOrigin ? url.origin : undefined
}

/** Returns the URL of a service without a trailing slash; `undefined` if it is not `https`, or `http` to this machine. */
export function normalServiceUrl(text: string): string | undefined {
  const url = VISIBLE.test(text) && !/[\\?#@]/.test(text) && text.includes('://') ? parseUrl(text) : undefined
  return url && isSecure(url) && url.hostname !== '' ? url.href.replace(/\/+$/, '') : undefined
}

/** Returns whether a link leads to a page of this origin, with a one-time token after `#`. */
export function isReturnLink(link: string, origin: string): boolean {
  const at = link.indexOf('#')
  const page = link.slice(0, Math.max(at, 0))
  if (at < 0 || page.length > MAX_RETURN_URL || !VISIBLE.test(page) || page.includes('?')) return false
  const url = parseUrl(page)
  if (!url || !isSecure(url) || url.hostname.endsWith('.') || url.username || url.password) return false
  return url.origin === origin
}
