import { Approvals } from './approvals.js'
import { AssociationKeys } from './association-keys.js'
import { Clock } from './clock.js'
import { Confirmations } from './confirmations.js'
import { partsOf, withParts } from './internals.js'
import { KeySet } from './key-set.js'
import { Logins } from './logins.js'
import { LIMITS, limitsOf } from './call-limits.js'
import { assertCallback, assertFlag, assertKey, assertOptions, assertSeconds } from './options.js'
import { PhoneRegistrations } from './phone-registrations.js'
import { baseUrl } from './service-url.js'
import { MemoryStore, assertStore } from './store.js'
import { SYSTEM } from './system.js'
import { Transport } from './transport.js'
import { Webhooks } from './webhooks.js'

/**
 * @template [Tx=void]
 * @typedef {object} ClientOptions
 * @property {string} url The service's URL. It must be https, or name this machine.
 * @property {string} apiKey The app's secret key, `cs_live_…`.
 * @property {string} [appKey] The app's public key, `cs_app_…`. Needed for logins and approvals.
 * @property {string | readonly string[]} [webhookSecret] The app's secret for webhooks, `whsec_…`, or several while you
 *   change it. Webhooks must then have a `webhook-signature` by it, so that only your app's are taken.
 * @property {'published'} [webhookKeys] In place of a secret: webhooks must have an `x-signature` by one of the keys that
 *   the service publishes. **It signs the webhooks of all its apps with them.**
 * @property {import('./store.js').Store<Tx>} [store] Remembers what this server started. **The default is the memory of
 *   this process: with several processes, or to survive a restart, give a shared one.**
 * @property {number} [keyRefetchSeconds] The least time between two fetches of the service's keys; 10 if absent.
 * @property {typeof globalThis.fetch} [fetch] What sends requests, such as one with a proxy; the global one if absent.
 * @property {boolean} [allowUnencryptedHttp] Whether `url` may be plain http to a private host, such as
 *   `http://countersign:8080` between containers. **Everyone on that network can then read the API key, and answer with
 *   other keys**, so that forged webhooks and logins pass. Public hosts stay refused.
 */

/**
 * `webhookSecret` or `webhookKeys` is needed to verify webhooks, and the two exclude each other. An option that is
 * unknown, undefined, null or empty is refused.
 *
 * @template [Tx=void]
 * @typedef {ClientOptions<Tx> & import('./call-limits.js').CallOptions} Options
 */

const OPTIONS = [
  'url', 'apiKey', 'appKey', 'webhookSecret', 'webhookKeys', 'store', 'keyRefetchSeconds', 'fetch', 'allowUnencryptedHttp',
  ...LIMITS,
]

/**
 * A client of one app. Create one per process, and share it.
 *
 * @template [Tx=void] The transaction that the store hands to callbacks, if it has one.
 */
export class Countersign {
  /** @param {Options<Tx>} options */
  constructor(options) {
    const parts = assemble(options, SYSTEM)
    this.confirmations = parts.confirmations
    this.logins = parts.logins
    this.approvals = parts.approvals
    this.associationKeys = parts.associationKeys
    this.phoneRegistrations = parts.phoneRegistrations
    this.webhooks = parts.webhooks
    /** The store from the options, or the default. */
    this.store = parts.store
    withParts(this, partsOf(parts))
  }
}

/**
 * Assembles the parts. Tests pass a different system.
 *
 * @internal
 * @template [Tx=void]
 * @param {Options<Tx>} options
 * @param {import('./system.js').System} system
 */
export function assemble(options, system) {
  assertOptions('Countersign', options, OPTIONS)
  const { apiKey, appKey, webhookSecret, webhookKeys, store, keyRefetchSeconds = 10 } = options
  const { fetch: doFetch, allowUnencryptedHttp = false, timeout, maxRetries, signal } = options
  assertFlag('allowUnencryptedHttp', allowUnencryptedHttp)
  const url = baseUrl(options.url, allowUnencryptedHttp)
  assertKey('apiKey', apiKey)
  if (appKey !== undefined) assertKey('appKey', appKey)
  if (store !== undefined) assertStore(store)
  if (doFetch !== undefined) assertCallback('fetch', doFetch)
  assertSeconds('keyRefetchSeconds', keyRefetchSeconds)
  const limits = limitsOf({ timeout, maxRetries, signal })
  const clock = new Clock(system)
  const transport = new Transport({ url, apiKey, limits, doFetch }, clock, system)
  const keys = new KeySet(transport, system, keyRefetchSeconds)
  /** @type {import('./store.js').Store<Tx>} */
  const remembered = store ?? new MemoryStore(system)
  const time = async () => {
    // Any answer contains the time. If no answer is available, the machine's clock is used.
    if (!clock.known) await keys.refresh().catch(() => {})
    return clock.now()
  }
  const associationKeys = new AssociationKeys(transport)
  return withParts({
    confirmations: new Confirmations(transport, remembered),
    logins: new Logins(transport, remembered, time, appKey),
    approvals: new Approvals(transport, remembered, associationKeys, time, appKey),
    associationKeys,
    phoneRegistrations: new PhoneRegistrations(transport, remembered),
    webhooks: new Webhooks({ webhookSecret, webhookKeys }, keys, time),
    store: remembered,
  }, { transport, time, appKey })
}
