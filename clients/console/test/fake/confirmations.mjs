// Confirmations of the fake server, made from their place in the list.

import { hex, pick, random } from './random.mjs'

const COUNTRIES = [['+1 202', 3, 4], ['+49 170', 3, 4], ['+44 7700', 3, 3], ['+33 6', 4, 4]]

/** The misses with the server's sentences. */
const MISSES = {
  wrong_sender: ['A text with the code came from another number than the one to confirm.', 'Send the text from the phone with the number that you entered.'],
  late: ['The text with the code came after the confirmation had expired.', 'Start again, and send the text soon.'],
  number_hidden: ['A text with the code came without its sender’s number.', 'Turn off hiding of the own number.'],
}

function number(next) {
  const [prefix, ...groups] = pick(next, COUNTRIES)
  return [prefix, ...groups.map((length) => Array.from({ length }, () => Math.floor(next() * 10)).join(''))].join(' ')
}

/** Masks all but the country, the first group and the last two digits. */
export function masked(plain) {
  const [country, first, ...rest] = plain.split(' ')
  const last = rest.join('')
  return `${country} ${first} ••• ••${last.slice(-2)}`
}

const at = (ms) => new Date(ms).toISOString()

/** Returns the confirmation at a place of the list, the newest first. */
export function confirmation(index, now) {
  const next = random(index + 7)
  const created = now - Math.floor(index * 47_000 + next() * 30_000) - 20_000
  const kind = next()
  const flow = next() < 0.6 ? 'confirmation' : 'acquisition'
  const isOld = now - created > 10 * 60_000
  const state = kind < 0.62 ? 'verified' : kind < 0.7 ? 'cancelled' : isOld ? 'expired' : 'open'
  const test = next() < 0.08
  const failed = state === 'verified' && next() < 0.09
  const plain = number(next)
  const miss = state === 'expired' || state === 'open' ? pick(next, [null, 'wrong_sender', 'late', 'number_hidden', null]) : null
  return {
    id: hex(next, 32),
    app: pick(next, ['shop', 'bank-example', 'demo']),
    flow,
    state,
    createdAt: at(created),
    expiresAt: at(created + 10 * 60_000),
    plain: state === 'verified' || flow === 'confirmation' ? plain : null,
    delivery: state === 'verified' ? (failed ? 'failed' : next() < 0.02 ? 'pending' : 'delivered') : null,
    attempts: state === 'verified' ? (failed ? 8 : next() < 0.1 ? 2 : 1) : null,
    test,
    miss: state === 'open' && miss === 'late' ? null : miss,
  }
}

export function summary(item) {
  const { plain, miss, ...rest } = item
  return { ...rest, number: plain === null ? null : masked(plain) }
}

function timeline(item) {
  const start = Date.parse(item.createdAt)
  const title = item.flow === 'confirmation' ? 'Started, to confirm a known number' : 'Started, to find out a number'
  const moments = [{
    at: item.createdAt, kind: 'started', title, ...(item.test ? { detail: 'With a test key' } : {}), values: { flow: item.flow, test: String(item.test) },
  }]
  const miss = item.miss && MISSES[item.miss]
  if (miss) moments.push({ at: at(start + 41_000 + (item.miss === 'late' ? 600_000 : 0)), kind: 'missed', title: miss[0], detail: miss[1], values: { miss: item.miss } })
  if (item.state === 'verified') {
    moments.push({ at: at(start + 62_000), kind: 'verified', title: 'Verified by a text', detail: 'sms by twilio', values: { channel: 'sms', provider: 'twilio' } })
    for (let attempt = 1; attempt <= item.attempts; attempt += 1) {
      const isWell = attempt === item.attempts && item.delivery === 'delivered'
      moments.push({
        at: at(start + 62_400 + (attempt - 1) ** 2 * 90_000),
        kind: isWell ? 'attempt_succeeded' : 'attempt_failed',
        title: `Attempt ${attempt}: ${isWell ? 'the receiver accepted it with 200' : attempt % 3 === 0 ? 'no answer (timed_out)' : 'the receiver answered 500'}`,
        detail: isWell ? '84 ms' : '112 ms: <b>Internal Server Error</b> &amp; <script>alert(1)</script>',
        values: { attempt: String(attempt), ...(isWell ? { status: '200' } : attempt % 3 === 0 ? { failure: 'timed_out' } : { status: '500' }) },
      })
    }
    if (item.delivery === 'failed') moments.push({ at: at(start + 62_400 + 50 * 90_000), kind: 'delivery_failed', title: 'The webhook was given up', detail: 'Repair the receiver, then redeliver the webhook.' })
    if (item.delivery === 'pending') moments.push({ at: at(start + 200_000), kind: 'attempt_pending', title: `Attempt ${item.attempts + 1} follows`, values: { attempt: String(item.attempts + 1) } })
  }
  if (item.state === 'expired') moments.push({ at: item.expiresAt, kind: 'expired', title: 'Expired without a fitting text' })
  if (item.state === 'cancelled') moments.push({ at: at(start + 30_000), kind: 'cancelled', title: 'Cancelled' })
  if (item.redactedAt) moments.push({ at: item.redactedAt, kind: 'redacted', title: 'Its personal data was erased' })
  return moments.sort((a, b) => a.at.localeCompare(b.at))
}

export function details(item) {
  const miss = item.miss && MISSES[item.miss]
  return {
    ...summary(item),
    number: item.redactedAt ? null : summary(item).number,
    callbackUrl: `https://hooks.${item.app}.example/countersign`,
    metadata: item.redactedAt ? null : { order: 4711, note: 'A <script> in the metadata & its friends', cart: ['tea', 'cups'] },
    lastMiss: miss ? { code: item.miss, sentence: miss[0], advice: miss[1], at: at(Date.parse(item.createdAt) + 41_000) } : null,
    timeline: timeline(item),
    curl: `curl -H "x-api-key: $COUNTERSIGN_API_KEY" "https://text.example.com/confirmations/${item.id}"`,
  }
}
