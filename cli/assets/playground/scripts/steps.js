import { element, timeOfDay } from './dom.js'

const ENDS = {
  open: { name: 'Verified', state: 'next', text: 'waits for the text' },
  verified: { name: 'Verified', state: 'done' },
  expired: { name: 'Expired', state: 'ended', text: 'no text verified it in time' },
  cancelled: { name: 'Cancelled', state: 'ended', text: 'cancelled by the app' },
}

/** Shows a confirmation's progress: open, then its end, then the webhook. */
export function showSteps(list, { openedAt, confirmation, webhook }) {
  const { status } = confirmation
  const end = ENDS[status] ?? { name: status, state: 'ended' }
  const steps = [
    step('Open', status === 'open' ? 'now' : 'done', `since ${timeOfDay(openedAt)}`),
    step(end.name, end.state, end.text ?? verifiedAs(confirmation.result)),
  ]
  if (status === 'open' || status === 'verified') steps.push(webhookStep(confirmation, webhook))
  list.replaceChildren(...steps)
}

function verifiedAs({ phoneNumber, timestamp }) {
  const at = timeOfDay(timestamp)
  return phoneNumber ? `${phoneNumber} at ${at}` : `at ${at}`
}

function webhookStep({ status, result, delivery }, webhook) {
  if (status === 'open') return step('Webhook', 'next', 'follows immediately')
  if (delivery.status === 'failed') return step('Webhook', 'ended', 'failed for good')
  if (delivery.status === 'pending' || !webhook) return step('Webhook', 'now', 'on its way')
  const late = Date.parse(webhook.receivedAt) - Date.parse(result.timestamp)
  return step('Webhook', 'done', `arrived ${late} ms after the text`)
}

const MEANINGS = { done: 'done', now: 'now', next: 'to come', ended: 'ended' }

function step(name, state, text) {
  return element(
    'li',
    { className: state },
    element('strong', {}, name),
    element('span', { className: 'unseen' }, `, ${MEANINGS[state]}: `),
    element('span', {}, text),
  )
}
