// The shapes of the requests and answers, as the command's structs are serialised.

export type Page<T> = { items: T[], next?: string | null, examined?: number, complete?: boolean, left_out?: number }

export type ConsoleFacts = {
  readOnly: boolean
  target: 'data' | 'table'
  name: string
  person: string
  version: string
  local: boolean
  running: boolean
  /** The names of the requests that the console answers. */
  requests: string[]
}

export type ConfirmationState = 'open' | 'verified' | 'cancelled' | 'expired'

export type ConfirmationSummary = {
  id: string
  app: string
  flow: 'acquisition' | 'confirmation'
  state: ConfirmationState
  createdAt: string
  expiresAt: string
  number?: string | null
  delivery?: string | null
  attempts?: number | null
  test: boolean
  redactedAt?: string | null
}

/** A sentence in English, with what it takes to say it in another language. */
export type Sentence = { code: string, values?: Record<string, string>, sentence: string }

export type Moment = { at: string, kind: string, title: string, detail?: string | null, values?: Record<string, string> }

export type Miss = { code: string, sentence: string, advice: string, at?: string | null }

export type ConfirmationDetails = ConfirmationSummary & {
  callbackUrl?: string | null
  metadata?: unknown
  lastMiss?: Miss | null
  timeline: Moment[]
  curl: string
}

export type FindConfirmations = {
  app?: string
  states?: string[]
  failed?: boolean
  noText?: boolean
  from?: string
  to?: string
  id?: string
  digits?: string
  after?: string
  limit?: number
}

export type LoginSummary = {
  id: string
  app: string
  state: string
  createdAt: string
  expiresAt: string
  origin?: string | null
  publicUserId?: string | null
  risk?: string | null
  delivery?: string | null
  attempts?: number | null
  test?: boolean
}

export type LoginDetails = LoginSummary & {
  timeline: Moment[]
  browser?: { place?: string | null, address?: string | null, name?: string | null } | null
  phone?: { place?: string | null, address?: string | null, name?: string | null } | null
  curl?: string
}

export type FindLogins = {
  app?: string
  states?: string[]
  failed?: boolean
  from?: string
  to?: string
  id?: string
  after?: string
  limit?: number
}

/** An app as `app show --json` prints it. */
export type App = {
  app: string
  appKey: string
  createdAt: string
  webhookSecrets?: number
  [setting: string]: unknown
}

export type ApiKey = { keyId: string, issuedAt: string, revokedAt?: string | null, label?: string | null, test: boolean, lastUsedAt?: string | null }

export type ClientSecret = { secretId: string, issuedAt: string, revokedAt?: string | null, label?: string | null, lastUsedAt?: string | null }

export type AssociationKey = {
  keyId: string
  publicUserId: string
  registeredAt: string
  kind: string
  label?: string
  /** Of a passkey. */
  origin?: string
  synced?: boolean
  obstacle?: string
}

export type PhoneRegistration = {
  id: string
  app: string
  publicUserId: string
  label?: string
  state: string
  createdAt: string
  expiresAt: string
  browser?: string
  place?: string
  keyId?: string
  failure?: string
  test: boolean
}

export type TestWebhookResult = { webhookId: string, status?: number | null, answer?: string | null, failure?: string | null, durationMs: number }

export type Receiver = {
  origin: string
  delivered: number
  failed: number
  pending: number
  p50Ms?: number | null
  p95Ms?: number | null
  lastFailure?: { at: string, status?: number | null, failure?: string | null } | null
}

export type Redelivered = { redelivered: number, leftOut?: number, skipped?: number, examined?: number, complete?: boolean }

export type ProviderCall = { at: string, result: string, reason?: string | null }

export type ProviderSummary = {
  name: string
  title?: string | null
  on: boolean
  accepted?: number | null
  refused?: number | null
  ignored?: number | null
  lastCall?: ProviderCall | null
}

export type ProviderDetails = ProviderSummary & {
  url?: string | null
  topic?: string | null
  steps: string
  secrets?: number | null
  soleSigner?: string | null
  docs?: string | null
  calls?: ProviderCall[] | null
  /** Where the calls are, if the target does not remember them. */
  callsElsewhere?: Sentence | null
}

export type AuditChange = {
  at: string
  by: string
  action: string
  app?: string | null
  details: Record<string, unknown>
  result: string
  reason?: string | null
  keyId?: string | null
}

export type SystemFacts = {
  version: string
  startedAt?: string | null
  url?: string | null
  store?: { bytes?: number | null, documents?: number | null, checkedAt?: string | null, damaged?: number | null } | null
  backups?: { at: string, bytes?: number | null, name: string }[] | null
  table?: { name: string, region?: string | null } | null
}

export type SigningKey = { keyId: string, current: boolean, pem: string }

export type MetricsAnswer = {
  events: { name: string, count: number }[]
  firstAttempts?: unknown[]
  queued: number
  storeWrites: number
  storeFlushes: number
}

export type Hour = {
  at: string
  app: string
  country: string
  provider?: string | null
  started: number
  texted: number
  verified: number
  delivered: number
  loggedIn: number
}

export type Attention = { kind: string, title: string, detail: string, step: string, values?: Record<string, string> }

export type LinkHostCheck = Sentence & { name: string, ok: boolean }

type Empty = Record<string, never>

/** The requests by name, with their bodies and answers. */
export type Requests = {
  show_console: [Empty, ConsoleFacts]
  find_confirmations: [FindConfirmations, Page<ConfirmationSummary>]
  show_confirmation: [{ id: string }, ConfirmationDetails]
  reveal_number: [{ id: string, reason: string }, { phoneNumber: string }]
  redeliver_webhook: [{ id: string }, unknown]
  cancel_confirmation: [{ id: string }, unknown]
  redact_confirmation: [{ id: string }, unknown]
  find_logins: [FindLogins, Page<LoginSummary>]
  show_login: [{ id: string }, LoginDetails]
  cancel_login: [{ id: string }, LoginSummary]
  list_apps: [Empty, Page<App>]
  show_app: [{ app: string }, App]
  update_app: [{ app: string, settings: Record<string, unknown>, seen?: Record<string, unknown> }, App]
  list_keys: [{ app: string }, Page<ApiKey>]
  issue_key: [{ app: string, test: boolean, label?: string }, { keyId: string, apiKey: string }]
  revoke_key: [{ app: string, key: string }, ApiKey]
  list_client_secrets: [{ app: string }, Page<ClientSecret>]
  issue_client_secret: [{ app: string, label?: string }, { clientId: string, secretId: string, clientSecret: string }]
  revoke_client_secret: [{ app: string, secret: string }, ClientSecret]
  list_association_keys: [{ app?: string, public_user_id?: string, after?: string }, Page<AssociationKey>]
  list_phone_registrations: [{ app?: string, public_user_id: string }, Page<PhoneRegistration>]
  cancel_phone_registration: [{ id: string }, PhoneRegistration]
  revoke_association_key: [{ app: string, key: string }, { keyId: string }]
  revoke_user_keys: [{ app: string, public_user_id: string }, { keyIds: string[], cancelledRegistrations: number }]
  rotate_webhook_secret: [{ app: string }, { webhookSecrets: string[] }]
  retire_webhook_secret: [{ app: string }, unknown]
  test_webhook: [{ app: string, url?: string }, TestWebhookResult]
  check_link_host: [{ app: string }, { checks: LinkHostCheck[] }]
  redeliver_failed: [{ app: string, since: string }, Redelivered]
  show_webhooks: [{ app: string, since: string }, { receivers: Receiver[], examined: number, complete: boolean }]
  list_providers: [Empty, Page<ProviderSummary>]
  show_provider: [{ provider: string }, ProviderDetails]
  test_provider: [{ provider: string }, Sentence & { accepted: boolean, status?: number | null }]
  list_audit: [{ app?: string, last: number, by?: string, action?: string }, Page<AuditChange>]
  show_system: [Empty, SystemFacts]
  show_metrics: [Empty, MetricsAnswer]
  list_signing_keys: [Empty, Page<SigningKey>]
  rotate_signing_key: [Empty, SigningKey[]]
  show_history: [{ from: string, to: string, by?: 'app' | 'country' | 'provider' }, { hours: Hour[], complete?: boolean, notes?: Sentence[] }]
  list_attention: [Empty, { items: Attention[] }]
}

export type RequestName = keyof Requests
export type BodyOf<N extends RequestName> = Requests[N][0]
export type AnswerOf<N extends RequestName> = Requests[N][1]
