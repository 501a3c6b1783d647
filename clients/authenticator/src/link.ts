// Links to logins, which codes contain and which open an app.

import { invalidLink } from './errors.ts'

const MAX_BYTES = 2048

/** Hosts that mean the machine itself. Their links have http, because a server in local mode has no certificate. */
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?=:|$)/

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`)

/** A link to a login. */
export interface LoginLink {
  /** The host of the app's links, in lower case, with a port unless it is the scheme's. */
  host: string
  id: string
}

/** Returns whether a text is the id of a login. */
export const isLoginId = (text: string): boolean => /^qr[sp]_[0-9a-f]{32}$/.test(text)

/** Returns whether a login's browser has no key, so that the service can read payloads. */
export const isPlain = (id: string): boolean => id.startsWith('qrp_')

/** Parses an absolute URL; `undefined` if it is malformed. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** Returns a host of links in its normal form; `undefined` if it is malformed. */
export function normalLinkHost(text: string): string | undefined {
  if (text === '' || text.length > 260 || text.endsWith(':') || !/^[A-Za-z0-9.:[\]-]+$/.test(text)) return undefined
  const isLoopback = LOOPBACK.test(text.toLowerCase())
  const url = parseUrl(`${isLoopback ? 'http' : 'https'}://${text}`)
  if (!url) return undefined
  // Parsers write IP addresses as four numbers, or in brackets.
  const isName = NAME.test(url.hostname) && !/^\d+(?:\.\d+){3}$/.test(url.hostname)
  return isLoopback || isName ? url.host : undefined
}

/**
 * Parses a scanned or opened link: `https://HOST?sessionId=ID`, with or without a slash before the query. The first
 * `sessionId` counts. Other parameters and a fragment are ignored, because some systems add them.
 */
export function readLink(text: string): LoginLink {
  if (text.length > MAX_BYTES) throw invalidLink('too_long', 'the link is too long')
  const notALink = () => invalidLink('not_a_link', 'not a link of the form https://host?sessionId=...')
  // URL parsers drop or replace other characters, so two parsers could read two different links.
  if (!/^[!-[\]-~]+$/.test(text)) throw notALink()
  const url = parseUrl(text)
  if (!url) throw notALink()
  const wrongScheme = () => invalidLink('wrong_scheme', 'the link does not begin with https://, or with http:// to this machine itself')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw wrongScheme()
  // Some parsers add missing slashes.
  if (!/^:\/\/[^/]/.test(text.slice(url.protocol.length - 1))) throw notALink()
  if (url.username || url.password) throw invalidLink('user_info', 'the link has a user name or a password before its host')
  const host = normalLinkHost(url.host)
  if (host === undefined) throw invalidLink('not_a_name', "the link's host is not a host name")
  if ((url.protocol === 'http:') !== LOOPBACK.test(host)) throw wrongScheme()
  if (url.pathname !== '/') throw invalidLink('path', 'the link has a path')
  const id = url.searchParams.get('sessionId')
  if (id === null) throw invalidLink('session_id_missing', 'the link has no sessionId')
  if (!isLoginId(id)) throw invalidLink('session_id_malformed', 'the link has no well-formed sessionId')
  return { host, id }
}
