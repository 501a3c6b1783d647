import { PhoneRefusedError } from './refusal.js'

const MAX_LINK_BYTES = 2048
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Returns the session id in a scanned or opened link, as a phone reads it.
 *
 * @param {unknown} link
 * @throws {PhoneRefusedError}
 */
export function sessionIdIn(link) {
  // URL parsers drop or replace other characters, so two parsers could read two different links.
  const isText = typeof link === 'string' && link.length <= MAX_LINK_BYTES && /^[!-[\]-~]+$/.test(link)
  if (!isText || !URL.canParse(link)) throw new PhoneRefusedError('link_malformed')
  const url = new URL(link)
  assertHost(url, link)
  if (url.username || url.password || url.pathname !== '/') throw new PhoneRefusedError('link_malformed')
  const [id, ...others] = url.searchParams.getAll('sessionId')
  if (id === undefined) throw new PhoneRefusedError('session_id_missing')
  if (others.length > 0 || !/^qr[sp]_[0-9a-f]{32}$/.test(id)) throw new PhoneRefusedError('session_id_malformed')
  return id
}

/**
 * @param {URL} url
 * @param {string} link
 */
function assertHost({ protocol, hostname }, link) {
  const isLoopback = LOOPBACK.has(hostname)
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback)) throw new PhoneRefusedError('link_insecure')
  // Some parsers add missing slashes.
  const hasSlashes = /^[a-z]+:\/\/[^/]/i.test(link)
  const isName = NAME.test(hostname) && !/^\d+(?:\.\d+){3}$/.test(hostname)
  if (!hasSlashes || (protocol === 'https:' && (isLoopback || !isName))) throw new PhoneRefusedError('link_malformed')
}
