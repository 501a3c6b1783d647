import { element, timeOfDay } from './dom.js'
import { checkSignature } from './signature.js'

const VERDICTS = {
  accepted: ['good', 'Accepted'],
  signatureMissing: ['bad', 'Refused: not signed'],
  keyUnknown: ['bad', 'Refused: unknown key'],
  signatureFalse: ['bad', 'Refused: invalid signature'],
  notOurs: ['bad', 'Refused: another confirmation'],
}

/** The receiver's word on the signature, for each of its verdicts. */
const SIGNATURES = {
  accepted: [true, 'Signature verified by the receiver'],
  notOurs: [true, 'Signature verified by the receiver'],
  signatureMissing: [false, 'The receiver found no signature'],
  keyUnknown: [false, 'The receiver does not know the key'],
  signatureFalse: [false, 'The receiver found the signature invalid'],
}

/** Lists the webhooks that arrived, the newest first and open. */
export class Webhooks {
  #list
  #onChecked
  #newest = 0

  /** Calls `onChecked` with each webhook and the browser's check of its signature. */
  constructor(list, onChecked) {
    this.#list = list
    this.#onChecked = onChecked
  }

  /** Empties the list. */
  clear() {
    this.#newest = 0
    this.#list.replaceChildren()
  }

  /** Adds the new ones. */
  show(webhooks) {
    for (const webhook of webhooks) {
      if (webhook.number <= this.#newest) continue
      this.#newest = webhook.number
      for (const older of this.#list.children) older.open = false
      this.#list.prepend(this.#draw(webhook))
    }
  }

  #draw(webhook) {
    const [tone, verdict] = VERDICTS[webhook.verdict] ?? ['', webhook.verdict]
    const [verified, said] = SIGNATURES[webhook.verdict] ?? [false, '']
    const here = element('li', {}, 'Checking the signature in this browser…')
    const checks = element('ul', { className: 'checks' }, check(verified, said), here)
    checkSignature(webhook).then((result) => {
      const text = result.verified
        ? 'Signature verified in this browser with WebCrypto'
        : `Signature not verified in this browser: ${result.why}`
      here.replaceWith(check(result.verified, text))
      this.#onChecked(webhook, result)
    })
    if (verified) {
      const ours = webhook.verdict === 'accepted'
      const whose = ours ? 'It is about the confirmation started here' : 'It is about another confirmation'
      checks.append(check(ours, whose))
    }
    return element(
      'details',
      { className: 'webhook', open: true },
      element(
        'summary',
        {},
        element('strong', {}, `Webhook ${webhook.number}`),
        element('span', {}, timeOfDay(webhook.receivedAt)),
        element('span', { className: `badge ${tone}` }, verdict),
        webhook.repeat ? element('span', { className: 'badge' }, 'Repeated, same webhook-id') : null,
      ),
      checks,
      element('div', { className: 'pair' }, bodyOf(webhook), headersOf(webhook)),
    )
  }
}

function check(good, text) {
  return element('li', { className: good ? 'good' : 'bad' }, text)
}

function bodyOf({ number, body }) {
  const shown = element('code')
  const raw = body
  let pretty = body
  try {
    pretty = JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    // Not JSON: shown as it arrived.
  }
  const choose = (text) => () => { shown.textContent = text }
  const choice = (label, text, checked) => element(
    'label',
    {},
    element('input', { type: 'radio', name: `body-${number}`, checked, onchange: choose(text) }),
    element('span', {}, label),
  )
  choose(pretty)()
  return element(
    'div',
    {},
    element(
      'div',
      { className: 'heading' },
      element('h4', {}, 'Body'),
      element(
        'div',
        { className: 'choice', role: 'group', 'aria-label': 'Form of the body' },
        choice('Pretty', pretty, true),
        choice('Raw', raw, false),
      ),
    ),
    element('pre', { tabIndex: 0, role: 'group', 'aria-label': 'Body of the webhook' }, shown),
  )
}

function headersOf({ headers, answered }) {
  const rows = headers.flatMap(([name, value]) => [
    element('dt', {}, name),
    element('dd', {}, value),
  ])
  return element(
    'div',
    {},
    element(
      'div',
      { className: 'heading' },
      element('h4', {}, 'Headers'),
      element('span', { className: 'hint' }, `answered ${answered}`),
    ),
    element('dl', { className: 'headers' }, ...rows),
  )
}
