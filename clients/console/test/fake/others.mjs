// Logins, counts, the audit log and the system of the fake server.

import { hex, pick, random } from './random.mjs'

const HOUR = 3_600_000
const at = (ms) => new Date(ms).toISOString()

export function login(index, now) {
  const next = random(index + 911)
  const created = now - index * 61_000 - 15_000
  const state = index === 0 ? 'scanned' : pick(next, ['consumed', 'consumed', 'consumed', 'confirmed', 'denied', 'blocked', 'expired', 'cancelled'])
  const app = pick(next, ['shop', 'demo'])
  return {
    id: hex(next, 32), app, state, createdAt: at(created), expiresAt: at(created + 120_000), origin: `https://${app}.example`,
    publicUserId: ['expired', 'cancelled'].includes(state) ? null : `user-${Math.floor(next() * 900 + 100)}`,
    risk: pick(next, ['clear', 'clear', 'warn', 'deny']), delivery: state === 'consumed' ? 'delivered' : null, attempts: state === 'consumed' ? 1 : null, test: false,
  }
}

export function loginDetails(item) {
  const start = Date.parse(item.createdAt)
  const moments = [{ at: item.createdAt, kind: 'created', title: 'Opened' }]
  if (item.publicUserId) moments.push({ at: at(start + 8000), kind: 'scanned', title: 'A phone opened the code', detail: 'Risk: new_browser', values: { flags: 'new_browser' } })
  if (['consumed', 'confirmed'].includes(item.state)) moments.push({ at: at(start + 14_000), kind: 'confirmed', title: 'Confirmed on the phone' })
  if (item.state === 'consumed') moments.push({ at: at(start + 15_000), kind: 'consumed', title: 'Logged in' })
  if (item.state === 'denied') moments.push({ at: at(start + 14_000), kind: 'denied', title: 'Denied on the phone' })
  if (item.state === 'blocked') moments.push({ at: at(start + 14_000), kind: 'blocked', title: 'Blocked', detail: 'A second phone opened the code, so another person may have it.', values: { reason: 'second_phone' } })
  if (item.state === 'expired') moments.push({ at: item.expiresAt, kind: 'expired', title: 'Expired' })
  if (item.state === 'cancelled') moments.push({ at: at(start + 30_000), kind: 'cancelled', title: 'Cancelled' })
  return {
    ...item, timeline: moments, browser: { name: 'Firefox on Linux', place: 'Berlin, DE', address: '203.0.113.•••' },
    phone: item.publicUserId ? { name: null, place: 'Berlin, DE', address: '198.51.100.•••' } : null,
    curl: `curl -H "x-api-key: $COUNTERSIGN_API_KEY" "https://text.example.com/qr-sessions/${item.id}"`,
  }
}

export function history(from, to) {
  const hours = []
  for (let hour = Date.parse(from); hour < Date.parse(to); hour += HOUR) {
    const ofDay = new Date(hour).getUTCHours()
    for (const [app, country, provider, weight] of [['shop', 'DE', 'twilio', 1], ['shop', 'US', 'twilio', 0.7], ['bank-example', 'GB', 'generic', 0.35], ['demo', 'FR', '', 0.06]]) {
      const next = random(hour / HOUR + weight * 1000)
      const started = Math.round((20 + 60 * Math.max(0, Math.sin((ofDay - 5) / 24 * 2 * Math.PI))) * weight * (0.7 + next() * 0.6))
      const texted = Math.round(started * (0.8 + next() * 0.1))
      const verified = Math.round(texted * 0.94)
      hours.push({ at: at(hour), app, country, provider, started, texted, verified, delivered: Math.round(verified * 0.98), loggedIn: Math.round(started * 0.4) })
    }
  }
  return { hours }
}

export const ATTENTION = [
  {
    kind: 'receiver_failing', title: 'https://hooks.shop.example does not accept webhooks of shop',
    detail: 'Webhooks of the last 24 hours: 42 given up, 3 waiting for another attempt. It last answered 500.',
    step: 'Repair the receiver, then redeliver what failed.',
    values: { app: 'shop', receiver: 'https://hooks.shop.example', givenUp: '42', waiting: '3', status: '500', failure: '' },
  },
  {
    kind: 'secret_rotation', title: 'Two webhook secrets of bank-example are in force',
    detail: 'A rotation was begun and not finished. Once the app\'s server checks webhooks with the new secret, the former one can go.',
    step: 'countersign app webhook-secret bank-example --retire', values: { app: 'bank-example' },
  },
  { kind: 'unheard_of', title: 'A later server found something', detail: 'This page does not know it.', step: 'Look at the log.', values: {} },
]

export function audit(now) {
  return [
    ['rotate_webhook_secret', 'anna', 'bank-example', {}, 'done', null],
    ['reveal_number', 'ben', null, { id: '0f6b2a7c9d3e4f508192a3b4c5d6e7f8', reason: 'Customer asked for support' }, 'done', null],
    ['update_app', 'anna', 'shop', { added_origins: ['https://www.shop.example'] }, 'done', null],
    ['update_app', 'ben', 'shop', { link_host: 'localhost:1' }, 'refused', 'a link host on this machine is for local mode'],
    ['issue_key', 'anna', 'shop', { label: 'production, Frankfurt' }, 'done', null, 'key_0123456789abcdef'],
    ['change_provider', 'uid 1001', null, { provider: 'twilio' }, 'done', null],
    ['create_app', 'anna', 'shop', { senders: ['+12025550199'] }, 'done', null],
  ].map(([action, by, app, details, result, reason, keyId = null], index) => (
    { at: at(now - index * 5 * HOUR - 120_000), by, action, app, details, result, reason, keyId }
  ))
}

export function system(now, version) {
  return {
    version, startedAt: at(now - 9 * 24 * HOUR), url: 'https://text.example.com',
    store: { bytes: 183_500_800, documents: 412_306, checkedAt: at(now - 5 * HOUR), damaged: 0 },
    backups: [{ at: at(now - 7 * HOUR), bytes: 181_403_648, name: '/backups/countersign-2026-11-29.backup' }], table: null,
  }
}

export const SIGNING_KEYS = [
  { keyId: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs', current: true, pem: '-----BEGIN PUBLIC KEY-----' },
  { keyId: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k', current: false, pem: '-----BEGIN PUBLIC KEY-----' },
]

export const METRICS = {
  events: [['created', 51_230], ['verified', 44_807], ['delivered', 44_510], ['miss_wrong_sender', 311], ['miss_expired', 502], ['inbound_refused', 12]].map(([name, count]) => ({ name, count })),
  firstAttempts: [], queued: 3, storeWrites: 198_442, storeFlushes: 61_007,
}
