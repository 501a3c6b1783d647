import { element, timeOfDay } from './dom.js'

/** Shows the delivery attempts from `GET /confirmations/{id}`. */
export function showAttempts(place, delivery) {
  const attempts = delivery?.attempts ?? []
  place.hidden = attempts.length === 0
  if (place.hidden) return
  const head = ['No.', 'At', 'Took', 'Answer'].map((name) => element('th', { scope: 'col' }, name))
  const rows = attempts.map((attempt) => element(
    'tr',
    {},
    element('td', {}, String(attempt.number)),
    element('td', {}, timeOfDay(attempt.at)),
    element('td', {}, `${attempt.durationMs} ms`),
    element('td', {}, resultOf(attempt)),
  ))
  place.replaceChildren(
    element('h4', {}, 'Delivery attempts'),
    element(
      'div',
      { className: 'wide' },
      element(
        'table',
        {},
        element('thead', {}, element('tr', {}, ...head)),
        element('tbody', {}, ...rows),
      ),
    ),
  )
}

function resultOf({ outcome, status, failure }) {
  const text = status ? String(status) : failure.replaceAll('_', ' ')
  return element('span', { className: outcome === 'succeeded' ? 'badge good' : 'badge bad' }, text)
}
