import { BlockList, isIPv4, isIPv6 } from 'node:net'

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** Addresses and names inside private networks. */
const PRIVATE = new BlockList()
for (const [network, prefix] of /** @type {const} */ ([
  ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12], ['192.168.0.0', 16],
])) PRIVATE.addSubnet(network, prefix)
PRIVATE.addSubnet('fc00::', 7, 'ipv6')
PRIVATE.addSubnet('fe80::', 10, 'ipv6')
const PRIVATE_NAME = /^[\w-]+$|\.(?:internal|local|localhost|svc)$/

/**
 * Returns the service's URL without a trailing slash. Over plain http, anyone on the network path could read
 * the API key and answer with other keys.
 *
 * @param {unknown} url
 * @param {boolean} unencrypted Whether plain http to a private host is allowed.
 */
export function baseUrl(url, unencrypted) {
  if (url === undefined) throw new TypeError('url is missing')
  // The error of `URL` contains the text, which may include a password.
  if (typeof url !== 'string' || !/^[!-~]+$/.test(url) || !URL.canParse(url)) throw new TypeError('url is not a URL')
  const { protocol, hostname, username, password, search, hash } = new URL(url)
  const plain = protocol === 'http:' && (LOOPBACK.has(hostname) || (unencrypted && isPrivate(hostname)))
  if (protocol !== 'https:' && !plain) {
    throw new TypeError('url must begin with https://, or name this machine, or a private host with allowUnencryptedHttp')
  }
  if (username || password || search || hash) throw new TypeError('url must not have a user, a query or a fragment')
  return url.replace(/\/+$/, '')
}

/** @param {string} hostname As `URL` gives it, with brackets around IPv6. */
function isPrivate(hostname) {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIPv4(address)) return PRIVATE.check(address)
  if (isIPv6(address)) return address === '::1' || PRIVATE.check(address, 'ipv6')
  return PRIVATE_NAME.test(hostname) || hostname.endsWith('.svc.cluster.local')
}
