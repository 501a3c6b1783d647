import { AssociationKeys } from './association-keys.js'
import { Clock } from './clock.js'
import { Confirmations } from './confirmations.js'
import { KeySet } from './key-set.js'
import { Logins } from './logins.js'
import { MemoryStore } from './store.js'
import { SYSTEM } from './system.js'
import { Transport } from './transport.js'
import { Webhooks } from './webhooks.js'

/**
 * @typedef {object} Options
 * @property {string} url The service's URL. It must be https, or name this machine.
 * @property {string} apiKey The app's secret key, `cs_live_…`.
 * @property {string} [appKey] The app's public key, `cs_app_…`. Needed to verify logins.
 * @property {string | string[]} [webhookSecret] The app's secret for webhooks, `whsec_…`, or several while you change
 *   it. With it, webhooks must have `webhook-signature`; without it, a signature by the service's published keys.
 * @property {import('./store.js').Store} [store] Remembers what this server started. **The default is the memory of
 *   this process: with several processes, or to survive a restart, give a shared one.**
 * @property {number} [keyRefetchSeconds] The least time between two fetches of the service's keys; 10 if absent.
 */

/** A client of one app. Create one for each process, and share it. */
export class Countersign {
  /** @param {Options} options */
  constructor(options) {
    const parts = assemble(options, SYSTEM)
    this.confirmations = parts.confirmations
    this.logins = parts.logins
    this.associationKeys = parts.associationKeys
    this.webhooks = parts.webhooks
    /** The store of the options, or the default. */
    this.store = parts.store
  }
}

/**
 * Puts the parts together. The tests give a system of their own.
 *
 * @internal
 * @param {Options} options
 * @param {import('./system.js').System} system
 */
export function assemble({ url, apiKey, appKey, webhookSecret, store, keyRefetchSeconds = 10 }, system) {
  if (typeof apiKey !== 'string') throw new TypeError('apiKey is missing')
  if (!/^[!-~]*$/.test(apiKey)) throw new TypeError('apiKey has characters that no API key has, such as a line feed')
  const clock = new Clock(system)
  const transport = new Transport({ url, apiKey }, clock, system)
  const keys = new KeySet(transport, system, keyRefetchSeconds)
  /** @type {import('./store.js').Store} */
  const remembered = store ?? new MemoryStore(system)
  const time = async () => {
    // Any answer tells the time. If none can be had, the machine's clock must do.
    if (!clock.known) await keys.refresh().catch(() => {})
    return clock.now()
  }
  return {
    confirmations: new Confirmations(transport, remembered),
    logins: new Logins(transport, remembered, time, appKey),
    associationKeys: new AssociationKeys(transport),
    webhooks: new Webhooks(webhookSecret, keys, time),
    store: remembered,
  }
}
