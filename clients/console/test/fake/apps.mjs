// Apps, keys and providers of the fake server.

const FINGERPRINT = Array.from({ length: 32 }, (_, index) => (index * 7 % 256).toString(16).padStart(2, '0').toUpperCase()).join(':')

const quota = (perMinute, burst, maxOpen) => ({ perMinute, burst, maxOpen })

export function app(name, changes = {}) {
  return {
    app: name,
    appKey: `cs_app_${name.replace(/\W/g, '').padEnd(22, '0').slice(0, 22)}`,
    createdAt: '2026-03-02T09:15:00.000Z',
    callbackUrl: `https://hooks.${name}.example/countersign`,
    callbackOrigins: [],
    messageTemplate: 'My code for the shop is {code}. Send it unchanged.',
    messageTemplates: { de: 'Mein Code für den Laden: {code}' },
    codePrefix: 'CS',
    senders: ['+12025550199', 'DE=+4915735990000'],
    whatsapp: null,
    refusedNumberTypes: ['premium-rate'],
    webhookDetails: false,
    login: {
      linkHost: `login.${name}.example`,
      origins: [`https://${name}.example`, `https://www.${name}.example`],
      loginsFrom: 'pages',
      returnPages: [`https://${name}.example/login`],
      android: [`com.example.${name.replace(/\W/g, '')}=${FINGERPRINT}`],
      ios: ['ABCDE12345.com.example.shop'],
      callback: null,
      payloadEncryption: 'required',
      requireProof: true,
      checkCode: true,
      denyAfterDenials: false,
      webPhone: true,
      webPhoneKey: 'any',
      phoneSetupUrl: null,
    },
    openid: {
      redirectUris: [`https://${name}.example/callback`],
      postLogoutRedirectUris: [],
      client: 'confidential',
      pkce: 'required',
      methods: ['text'],
      subjectSilenceDays: 90,
    },
    quotas: { confirmations: quota(600, 200, 10_000), logins: quota(600, 200, 10_000), associationKeys: quota(60, 60, 1_000_000), lists: quota(60, 20, 4) },
    webhookSecrets: 1,
    ...changes,
  }
}

export function apps() {
  return new Map([app('bank-example', { webhookSecrets: 2 }), app('demo', { callbackUrl: null }), app('shop')].map((one) => [one.app, one]))
}

export function keys(now) {
  return [
    { keyId: 'key_0123456789abcdef', issuedAt: '2026-03-02T09:15:00.000Z', revokedAt: null, label: 'production, Frankfurt', test: false, lastUsedAt: new Date(now - 7_200_000).toISOString() },
    { keyId: 'key_a1b2c3d4e5f60718', issuedAt: '2026-05-20T11:00:00.000Z', revokedAt: null, label: null, test: true, lastUsedAt: null },
    { keyId: 'key_ffeeddccbbaa9988', issuedAt: '2025-12-01T08:00:00.000Z', revokedAt: '2026-03-02T10:00:00.000Z', label: 'production, former', test: false, lastUsedAt: '2026-03-02' },
  ]
}

/** The keys of users' phones, of each kind. */
export function people(now) {
  const key = (keyId, publicUserId, age, more) => ({ keyId, publicUserId, registeredAt: new Date(now - age).toISOString(), ...more })
  return [
    key('Ag9qkz4QZbqJ8b8N7v0B3h1aXh8uDCcd-6MNwXF4W_7', 'user-1', 86_400_000, { kind: 'app' }),
    key('Bh8qkz4QZbqJ8b8N7v0B3h1aXh8uDCcd-6MNwXF4W_8', 'user-1', 8_640_000, { kind: 'browser', label: 'Firefox on Android' }),
    key('Ch8qkz4QZbqJ8b8N7v0B3h1aXh8uDCcd-6MNwXF4W_c', 'user-2', 7_200_000, { kind: 'passkey', label: 'Safari on iOS', origin: 'https://login.shop.example', synced: true }),
    key('Dh8qkz4QZbqJ8b8N7v0B3h1aXh8uDCcd-6MNwXF4W_k', 'user-2', 31_536_000_000, {
      kind: 'passkey', label: 'Chrome on Android', origin: 'https://old.shop.example', synced: false, obstacle: 'other_host',
    }),
  ]
}

/** The phones that a user sets up without the app, in each state. */
export function phones(now) {
  const phone = (n, age, state, more = {}) => ({
    id: `phr_${String(n).repeat(32)}`, app: 'shop', publicUserId: 'user-2', label: 'zoe@example.com', state,
    createdAt: new Date(now - age).toISOString(), expiresAt: new Date(now - age + 600_000).toISOString(), test: false, ...more,
  })
  const device = { browser: 'Safari on iOS', place: 'Berlin, DE' }
  return [
    phone(1, 20_000, 'created', { label: undefined }),
    phone(2, 90_000, 'signed', device),
    phone(3, 900_000, 'expired', { browser: 'Chrome on Android', test: true }),
    phone(4, 3_600_000, 'failed', { ...device, place: 'Lagos, NG', failure: 'wrong_digits' }),
    phone(5, 7_200_000, 'completed', { ...device, keyId: 'Ch8qkz4QZbqJ8b8N7v0B3h1aXh8uDCcd-6MNwXF4W_c', kind: 'passkey' }),
  ]
}

const STEPS = '1. Console › Phone Numbers › Manage › Active numbers: choose the number.\n2. Under “Messaging configuration”, “A message comes in”: Webhook, {URL}, HTTP POST.\n3. Save. Twilio signs each call with the auth token of the account.'

const NAMES = [
  ['bandwidth', 'Bandwidth'], ['end-user-messaging', 'AWS End User Messaging'], ['generic', 'Generic'], ['infobip', 'Infobip'], ['plivo', 'Plivo'],
  ['sinch', 'Sinch'], ['sns', 'Amazon SNS'], ['telnyx', 'Telnyx'], ['twilio', 'Twilio'], ['vonage-sms', 'Vonage SMS'], ['whatsapp', 'WhatsApp'],
]

export function providers(now, { quiet = false } = {}) {
  const at = (ms) => new Date(now - ms).toISOString()
  const calls = quiet ? [] : [
    { at: at(40_000), result: 'refused', reason: 'not_authentic' },
    { at: at(95_000), result: 'accepted', reason: 'verified' },
    { at: at(180_000), result: 'ignored', reason: 'not_a_text' },
    { at: at(260_000), result: 'accepted', reason: 'miss_no_code' },
  ]
  return NAMES.map(([name, title]) => {
    const on = name === 'twilio' || name === 'generic'
    const known = name === 'twilio' ? calls : []
    return {
      name, title, on, url: `https://text.example.com/inbound-sms/${name}`, steps: STEPS.replace('{URL}', `https://text.example.com/inbound-sms/${name}`),
      secrets: on ? 1 : 0, soleSigner: name === 'sns' || name === 'telnyx' ? title : null, docs: `docs/providers.md#${name}`, calls: known,
      accepted: on ? (known.length > 0 ? 1834 : 0) : null, refused: on ? (known.length > 0 ? 12 : 0) : null, ignored: on ? (known.length > 0 ? 96 : 0) : null,
      lastCall: known[0] ?? null,
    }
  })
}
