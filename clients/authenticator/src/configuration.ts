// The settings of an app, fixed at creation. No setting ever comes from a link.

import { fetchHttp, sleep } from './http.ts'
import { AuthenticatorError } from './errors.ts'
import { normalLinkHost, parseUrl } from './link.ts'
import { normalServiceUrl } from './origin.ts'
import type { Http, KeyStore, SecretStorage, Sleep, Storage } from './ports.ts'
import { STANDARD_RETRIES, type RetryPolicy } from './wire.ts'

const MAX_LANGUAGES = 9

/** Options of an authenticator. */
export interface AuthenticatorOptions {
  /** The service's URL, such as `https://countersign.example`. */
  service: string
  /** The app's key, `cs_app_…`. Ids of logins commit to it, so it must be built into the app. */
  appKey: string
  /** The hosts of links that the app opens, with a port unless it is the scheme's. Without any, every link is refused. */
  linkHosts: readonly string[]
  /** Stores the phone's answers, and its secret unless `secrets` does. */
  storage: Storage
  /** Stores the phone's keys. */
  keys: KeyStore
  /** Stores the phone's secret. */
  secrets?: SecretStorage
  /** Accepts logins of browsers without a key, whose payloads the service can read. */
  allowUnencrypted?: boolean
  /** Whether the app's screen shows the whole context of a login. Otherwise, a login with a context is refused. */
  showsContexts?: boolean
  /** Whether the app opens `returnUrl` in the phone's browser after a confirmation. An app that does not cannot finish such a login. */
  returnsToPages?: boolean
  /** Languages of the screen's texts, as tags such as `de-AT`, the preferred one first. */
  languages?: readonly string[]
  retries?: RetryPolicy
  http?: Http
  sleep?: Sleep
  /** The wall clock, in milliseconds since the Unix epoch. It only serves to reject an implausible time of the service. */
  now?: () => number
  /** A clock that never jumps, in milliseconds. It should include the time in which the phone sleeps. */
  sinceBoot?: () => number
}

const NAMES = [
  'service', 'appKey', 'linkHosts', 'storage', 'keys', 'secrets', 'allowUnencrypted', 'showsContexts', 'returnsToPages', 'languages',
  'retries', 'http', 'sleep', 'now', 'sinceBoot',
]

/** The options in their normal form. */
export interface Configuration {
  service: string
  appKey: string
  linkHosts: ReadonlySet<string>
  storage: Storage
  keys: KeyStore
  secrets: SecretStorage
  allowUnencrypted: boolean
  showsContexts: boolean
  returnsToPages: boolean
  acceptLanguage: string | undefined
  retries: RetryPolicy
  http: Http
  sleep: Sleep
  now: () => number
  sinceBoot: () => number
}

const STORAGE = ['get', 'add', 'set', 'remove', 'names']
const KEYS = ['generate', 'publicKey', 'list', 'sign']

/** Checks the options. */
export function configure(options: AuthenticatorOptions): Configuration {
  assertEngine()
  if (typeof options !== 'object' || options === null) throw new TypeError('an authenticator needs options')
  // A misspelled option would be ignored.
  const unknown = Object.keys(options).find((name) => !NAMES.includes(name))
  if (unknown !== undefined) throw new TypeError(`unknown option: ${unknown}`)
  const service = typeof options.service === 'string' ? normalServiceUrl(options.service) : undefined
  if (service === undefined) {
    throw new TypeError('service must be https://HOST, without a query; http:// is only allowed for this machine')
  }
  if (typeof options.appKey !== 'string' || !/^cs_app_[0-9A-Za-z]{22}$/.test(options.appKey)) {
    throw new AuthenticatorError('invalid_app_key', 'the app key is malformed')
  }
  const secrets = options.secrets ?? options.storage
  assertMethods('storage', options.storage, STORAGE)
  assertMethods('secrets', secrets, ['get', 'add'])
  assertMethods('keys', options.keys, KEYS)
  return {
    service,
    appKey: options.appKey,
    linkHosts: linkHosts(options.linkHosts),
    storage: options.storage,
    keys: options.keys,
    secrets,
    allowUnencrypted: flag('allowUnencrypted', options.allowUnencrypted),
    showsContexts: flag('showsContexts', options.showsContexts),
    returnsToPages: flag('returnsToPages', options.returnsToPages),
    acceptLanguage: acceptLanguage(options.languages ?? []),
    retries: retries(options.retries ?? STANDARD_RETRIES),
    http: options.http ?? fetchHttp,
    sleep: options.sleep ?? sleep,
    now: options.now ?? (() => Date.now()),
    sinceBoot: options.sinceBoot ?? (() => performance.now()),
  }
}

/** Refuses engines without what the package needs, before they fail halfway or read links in their own way. */
function assertEngine(): void {
  const lack = (what: string) => new TypeError(`this engine lacks ${what}, which @countersign/authenticator needs`)
  if (typeof globalThis.crypto?.subtle?.digest !== 'function') throw lack('WebCrypto (crypto.subtle, in secure contexts)')
  const url = parseUrl('HTTPS://A.example:443/?sessionId=1#x')
  const isStandard = url?.host === 'a.example' && url.pathname === '/' && url.searchParams?.get('sessionId') === '1'
  if (!isStandard) throw lack('a standard URL')
  try {
    new RegExp('\\p{Script=Latin}\\p{Extended_Pictographic}', 'u')
  } catch {
    throw lack("Unicode's properties in regular expressions")
  }
}

function assertMethods(name: string, value: unknown, methods: string[]): void {
  const members = (value ?? {}) as Record<string, unknown>
  const missing = methods.find((method) => typeof members[method] !== 'function')
  if (missing !== undefined) throw new TypeError(`${name} has no method ${missing}`)
}

function flag(name: string, value: unknown = false): boolean {
  if (typeof value !== 'boolean') throw new TypeError(`${name} is neither true nor false`)
  return value
}

function linkHosts(hosts: unknown): ReadonlySet<string> {
  if (!Array.isArray(hosts)) throw new TypeError('linkHosts is not a list')
  return new Set(hosts.map((text) => {
    const host = typeof text === 'string' ? normalLinkHost(text) : undefined
    if (host === undefined) throw new TypeError(`${JSON.stringify(text)} is not a link host: a name with an optional port, such as login.shop.example`)
    return host
  }))
}

/** Returns the header `Accept-Language`. */
function acceptLanguage(tags: readonly string[]): string | undefined {
  if (!Array.isArray(tags) || tags.length > MAX_LANGUAGES) throw new TypeError(`languages is not a list of at most ${MAX_LANGUAGES}`)
  const parts = tags.map((tag: unknown, index) => {
    const isTag = typeof tag === 'string' && tag.length <= 35 && /^(?=[A-Za-z])[A-Za-z0-9]{1,8}(?:-[A-Za-z0-9]{1,8})*$/.test(tag)
    if (!isTag) throw new TypeError(`${JSON.stringify(tag)} is not a language tag such as de-AT`)
    return index === 0 ? tag : `${tag};q=0.${10 - index}`
  })
  return parts.length > 0 ? parts.join(', ') : undefined
}

function retries({ delays, timeout }: RetryPolicy): RetryPolicy {
  const isTime = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0
  if (!Array.isArray(delays) || !delays.every(isTime)) throw new TypeError('retries.delays is not a list of milliseconds')
  if (timeout !== undefined && !(isTime(timeout) && timeout > 0)) throw new TypeError('retries.timeout is not a number of milliseconds')
  return timeout === undefined ? { delays: [...delays] } : { delays: [...delays], timeout }
}
