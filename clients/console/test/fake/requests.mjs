// The requests that the fake server answers, as the command's admin requests do.

import { details, confirmation, summary } from './confirmations.mjs'
import { apps, keys, people, phones, providers } from './apps.mjs'
import { ATTENTION, audit, history, login, loginDetails, METRICS, SIGNING_KEYS, system } from './others.mjs'

export class Refusal extends Error {
  constructor(status, message, more = {}) {
    super(message)
    this.status = status
    this.more = more
  }
}

const VERSION = '0.1.0'
/** Confirmations that a bounded walk looks at. */
const WALK = 10_000

/** Changes of settings: the request's member, and the app's. */
const NAMES = { callback_url: 'callbackUrl', link_host: 'linkHost', login_callback: 'callback', logins_from: 'loginsFrom', message_template: 'messageTemplate', code_prefix: 'codePrefix', refused_number_types: 'refusedNumberTypes', callback_origins: 'callbackOrigins', payload_encryption: 'payloadEncryption', require_proof: 'requireProof', check_code: 'checkCode', deny_after_denials: 'denyAfterDenials', web_phone: 'webPhone', web_phone_key: 'webPhoneKey', phone_setup_url: 'phoneSetupUrl', openid_client: 'client', openid_pkce: 'pkce', openid_methods: 'methods', openid_subject_silence_days: 'subjectSilenceDays' }

/** The lists that requests add to and remove from. */
const LISTS = { origins: 'origins', return_pages: 'returnPages', redirect_uris: 'redirectUris', post_logout_redirect_uris: 'postLogoutRedirectUris' }

function apply(app, given) {
  for (const [name, value] of Object.entries(given)) {
    if (name === 'login' || name === 'openid') apply(app[name], value)
    else if (name === 'quotas' || value === false || (Array.isArray(value) && value.length === 0)) continue
    else if (name.startsWith('no_')) app[NAMES[name.slice(3)] ?? name.slice(3)] = null
    else if (name.startsWith('added_') || name.startsWith('removed_')) {
      const list = LISTS[name.slice(name.indexOf('_') + 1)]
      app[list] = name.startsWith('added_') ? [...app[list], ...value] : app[list].filter((one) => !value.includes(one))
    } else app[NAMES[name] ?? name] = value
  }
}

/** A store with this many confirmations. */
export class Fake {
  constructor({ size = 100_000, readOnly = false, local = false, now = Date.now(), lacks = [] } = {}) {
    /** The requests that it does not know. */
    this.lacks = lacks
    this.size = size
    this.readOnly = readOnly
    this.local = local
    this.now = now
    this.apps = size === 0 ? new Map() : apps()
    this.keys = keys(now)
    this.secrets = [{ secretId: 'sec_0123456789abcdef', issuedAt: '2026-03-02T09:15:00.000Z', revokedAt: null, label: 'Keycloak', lastUsedAt: '2026-11-29' }]
    this.people = people(now)
    this.phones = phones(now)
    this.providers = providers(now, { quiet: size === 0 })
    this.records = size === 0 ? [] : audit(now)
    this.changes = new Map()
    this.places = new Map()
    /** True while the server does not answer. */
    this.isStopped = false
    this.isEnded = false
  }

  /** Answers a request by its name. */
  answer(name, body) {
    if (this.isEnded) throw new Refusal(401, 'the session is over')
    if (name === 'show_console') return this.console()
    if (this.isStopped) throw new Refusal(503, 'the server does not answer on its admin socket')
    const handler = this[name]
    if (!/^[a-z_]+$/.test(name) || typeof handler !== 'function' || this.lacks.includes(name)) throw new Refusal(404, `there is no request called ${name}`)
    const changes = !/^(find|show|list|check)_/.test(name)
    if (changes && this.readOnly) throw new Refusal(403, 'this console only reads')
    const answer = handler.call(this, body)
    if (changes) {
      const { app = null, ...rest } = body
      this.records.unshift({ at: new Date().toISOString(), by: 'anna', action: name, app, details: rest, result: 'done', reason: null, keyId: null })
    }
    return answer
  }

  console() {
    return { readOnly: this.readOnly, target: 'data', name: '/var/lib/countersign', person: 'anna', version: VERSION, local: this.local, running: !this.isStopped, requests: this.requests() }
  }

  requests() {
    const names = Object.getOwnPropertyNames(Fake.prototype)
    return names.filter((name) => name.includes('_') && !this.lacks.includes(name))
  }

  at(index) {
    const made = confirmation(index, this.now)
    this.places.set(made.id, index)
    return { ...made, ...this.changes.get(made.id) }
  }

  has(id) {
    for (let index = 0; index < this.size && !this.places.has(id); index += 1) this.at(index)
    return this.places.has(id)
  }

  find(id) {
    if (!this.has(id)) throw new Refusal(409, 'there is no such confirmation')
    return this.at(this.places.get(id))
  }

  find_confirmations({ app, states, failed, noText, from, to, id, digits, after, limit = 50 }) {
    if (id !== undefined) {
      if (!/^[0-9a-f]{32}$/.test(id)) throw new Refusal(400, 'the page cannot have sent this: malformed id')
      return { items: this.has(id) ? [summary(this.find(id))] : [], examined: 1, complete: true }
    }
    const items = []
    let index = after === undefined ? 0 : Number(after)
    const begin = index
    for (; index < this.size && items.length < limit && index - begin < WALK; index += 1) {
      const item = this.at(index)
      const fits = (!app || item.app === app) && (!states || states.includes(item.state)) && (!failed || item.delivery === 'failed')
        && (!noText || (item.miss === null && ['open', 'expired'].includes(item.state))) && (!from || item.createdAt >= from) && (!to || item.createdAt < to)
        && (!digits || (item.plain ?? '').replace(/\D/g, '').endsWith(digits))
      if (fits) items.push(summary(item))
    }
    const complete = index >= this.size
    return { items, examined: index - begin, complete, ...(complete ? {} : { next: String(index) }) }
  }

  show_confirmation({ id }) { return details(this.find(id)) }

  reveal_number({ id, reason }) {
    if (!reason) throw new Refusal(400, 'a reason is missing')
    return { phoneNumber: (this.find(id).plain ?? '').replaceAll(' ', '') }
  }

  redeliver_webhook({ id }) { this.changes.set(id, { delivery: 'delivered', attempts: (this.find(id).attempts ?? 0) + 1 }); return null }
  cancel_confirmation({ id }) {
    if (this.find(id).state !== 'open') throw new Refusal(409, 'it is verified: only an open confirmation can be cancelled', { code: 'not_open', values: { state: 'verified' } })
    this.changes.set(id, { state: 'cancelled' })
    return null
  }

  redact_confirmation({ id }) { this.changes.set(id, { redactedAt: new Date().toISOString(), plain: null }); return null }

  find_logins({ app, states, id, after, limit = 50 }) {
    const all = Array.from({ length: Math.min(400, this.size) }, (_, index) => login(index, this.now))
    const fitting = all.filter((item) => (!app || item.app === app) && (!states || states.includes(item.state)) && (!id || item.id === id))
    const begin = Number(after ?? 0)
    const next = begin + limit < fitting.length ? { next: String(begin + limit) } : {}
    return { items: fitting.slice(begin, begin + limit), ...next }
  }

  show_login({ id }) {
    const found = Array.from({ length: 400 }, (_, index) => login(index, this.now)).find((item) => item.id === id)
    if (!found) throw new Refusal(409, 'there is no such login')
    return loginDetails({ ...found, ...this.changes.get(id) })
  }

  list_apps() { return { items: [...this.apps.values()], left_out: 0 } }

  show_app({ app }) {
    const found = this.apps.get(app)
    if (!found) throw new Refusal(409, `there is no app called ${app}`)
    return structuredClone(found)
  }

  update_app({ app, settings, seen = {} }) {
    this.show_app({ app })
    const found = this.apps.get(app)
    for (const [path, before] of Object.entries(seen)) {
      const now = path.split('.').reduce((at, name) => at?.[name], found) ?? null
      if (JSON.stringify(now) !== JSON.stringify(before)) throw new Refusal(409, 'another operator changed it meanwhile', { now: { [path]: now } })
    }
    if (settings.link_host === 'localhost:1') throw new Refusal(409, 'a link host on this machine is for local mode')
    apply(found, settings)
    return structuredClone(found)
  }

  list_keys() { return { items: this.keys, left_out: 0 } }

  issue_key({ test, label = null }) {
    const keyId = 'key_00112233445566aa'
    this.keys = [{ keyId, issuedAt: new Date().toISOString(), revokedAt: null, label, test, lastUsedAt: null }, ...this.keys]
    return { keyId, apiKey: `cs_${test ? 'test' : 'live'}_4fKq8ZbT1xVhGm2RcYw9NdLp6sJ0` }
  }

  revoke_key({ key }) {
    this.keys = this.keys.map((one) => (one.keyId === key ? { ...one, revokedAt: new Date().toISOString() } : one))
    return this.keys.find((one) => one.keyId === key)
  }

  list_client_secrets() { return { items: this.secrets, left_out: 0 } }

  issue_client_secret({ label = null }) {
    const secretId = 'sec_00112233445566aa'
    this.secrets = [{ secretId, issuedAt: new Date().toISOString(), revokedAt: null, label, lastUsedAt: null }, ...this.secrets]
    return { clientId: 'cs_app_shop000000000000000000', secretId, clientSecret: 'cs_oidc_4fKq8ZbT1xVhGm2RcYw9NdLp6sJ0' }
  }

  revoke_client_secret({ secret }) {
    this.secrets = this.secrets.map((one) => (one.secretId === secret ? { ...one, revokedAt: new Date().toISOString() } : one))
    return this.secrets.find((one) => one.secretId === secret)
  }

  list_association_keys({ public_user_id }) {
    return { items: this.people.filter((one) => public_user_id === undefined || one.publicUserId === public_user_id), next: null, examined: this.people.length, complete: true, left_out: 0 }
  }

  list_phone_registrations({ public_user_id }) {
    const items = this.phones.filter((one) => one.publicUserId === public_user_id)
    return { items, next: null, examined: items.length, complete: true, left_out: 0 }
  }

  cancel_phone_registration({ id }) {
    const found = this.phones.find((one) => one.id === id)
    if (!['created', 'opened', 'signed'].includes(found?.state)) throw new Refusal(409, `it is ${found?.state}`, { code: 'phone_settled', values: { state: found?.state } })
    return Object.assign(found, { state: 'failed', failure: 'cancelled' })
  }

  revoke_user_keys({ public_user_id }) {
    const lost = this.people.filter((one) => one.publicUserId === public_user_id)
    this.people = this.people.filter((one) => !lost.includes(one))
    return { keyIds: lost.map(({ keyId }) => keyId) }
  }

  cancel_login({ id }) { return this.show_login({ id }) }

  revoke_association_key({ key }) { this.people = this.people.filter((one) => one.keyId !== key); return { keyId: key } }

  rotate_webhook_secret({ app }) { this.apps.get(app).webhookSecrets = 2; return { webhookSecrets: ['whsec_bmV3c2VjcmV0Zm9ydGhlY29uc29sZXRlc3Q=', 'whsec_b2xk'] } }
  retire_webhook_secret({ app }) { this.apps.get(app).webhookSecrets = 1; return { webhookSecrets: ['whsec_bmV3'] } }
  test_webhook({ url }) { return url?.includes('down') ? { webhookId: 'msg_1', status: null, failure: 'connect_failed', durationMs: 3 } : { webhookId: 'msg_1', status: 204, failure: null, durationMs: 87 } }
  redeliver_failed() { return { redelivered: 42, leftOut: 0 } }
  show_webhooks() {
    return {
      receivers: [
        { origin: 'https://old.shop.example', delivered: 0, failed: 12, pending: 1, p50Ms: null, p95Ms: null, lastFailure: { at: new Date(Date.now() - 60_000).toISOString(), status: null, failure: 'connect_failed' } },
        { origin: 'https://shop.example', delivered: 48_210, failed: 3, pending: 2, p50Ms: 84, p95Ms: 412, lastFailure: { at: new Date(Date.now() - 3_600_000).toISOString(), status: 500, failure: null } },
        { origin: 'https://eu.shop.example', delivered: 930, failed: 0, pending: 0, p50Ms: 31, p95Ms: 55, lastFailure: null },
      ],
      examined: 5000,
      complete: false,
    }
  }

  check_link_host() {
    return {
      checks: [
        { name: 'DNS', ok: true, code: 'link_addresses', values: { addresses: '203.0.113.7' }, sentence: 'It leads to 203.0.113.7.' },
        {
          name: 'Certificate', ok: true, code: 'link_certificate_good', values: { until: '2026-12-31T12:00:00.000Z', days: '31' },
          sentence: 'Phones accept it until 2026-12-31T12:00:00.000Z (31 days).',
        },
        {
          name: 'assetlinks.json', ok: false, code: 'link_file_no_app', values: { app: 'com.example.shop' },
          sentence: 'The file is not what phones need: it does not name com.example.shop.',
        },
      ],
    }
  }

  list_providers() { return { items: this.providers, left_out: 0 } }

  show_provider({ provider }) {
    const found = this.providers.find(({ name }) => name === provider)
    if (!found) throw new Refusal(409, `there is no provider called ${provider}`)
    return found
  }

  test_provider() { return { accepted: true, status: 200, code: 'accepted_by_fake', sentence: 'The service accepted the signed call.' } }
  list_audit({ app, last }) { return { items: this.records.filter((one) => !app || one.app === app).slice(0, last), left_out: 0 } }
  show_system() { return { ...system(this.now, VERSION), ...(this.size === 0 ? { backups: [] } : {}) } }
  list_signing_keys() { return { items: SIGNING_KEYS, left_out: 0 } }
  rotate_signing_key() { return SIGNING_KEYS }
  show_metrics() { return this.size === 0 ? { ...METRICS, events: [], queued: 0, storeWrites: 0 } : METRICS }
  show_history({ from, to }) { return this.size === 0 ? { hours: [] } : history(from, to) }
  list_attention() { return { items: this.size === 0 ? [] : ATTENTION } }
}
