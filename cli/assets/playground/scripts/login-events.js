import { element, timeOfDay } from './dom.js'

/** The element's events, in the order in which they occur. */
const NAMES = ['scanned', 'confirmed', 'denied', 'blocked', 'expired', 'cancelled', 'error']

/** Maximum number of events in the list. */
const MAX_EVENTS = 12

/** Lists what the page gets: the events that the element dispatches. */
export class LoginEvents {
  #list
  #nothing
  #announce

  /** `announce` speaks to people who do not see the list. */
  constructor({ events, noEvents }, announce) {
    this.#list = events
    this.#nothing = noEvents
    this.#announce = announce
  }

  /** Lists the events that an element dispatches from now on. */
  listenTo(widget) {
    for (const name of NAMES) widget.addEventListener(name, (event) => this.#came(name, event.detail))
  }

  #came(name, detail) {
    this.#nothing.hidden = true
    this.#list.append(element(
      'li',
      {},
      element('time', {}, timeOfDay(Date.now())),
      element('code', {}, name),
      ...described(name, detail),
    ))
    if (this.#list.children.length > MAX_EVENTS) this.#list.firstChild.remove()
    // The element itself announces a login's progress; only the page knows the payload.
    if (name === 'confirmed') {
      const how = isEncrypted(detail) ? 'encrypted for this page' : 'not encrypted'
      this.#announce(`The payload arrived, ${how}: ${detail.payload}`)
    }
    if (name === 'error') this.#announce(`An error: ${detail.message}`)
  }
}

/** Returns whether a login has a key. Its payload is then encrypted, or the element refuses it. */
function isEncrypted({ sessionId }) {
  return sessionId.startsWith('qrs_')
}

function described(name, detail) {
  switch (name) {
    case 'confirmed':
      return [
        isEncrypted(detail)
          ? element('span', { className: 'badge good' }, 'Encrypted for this page')
          : element('span', { className: 'badge bad' }, 'Not encrypted'),
        element(
          'pre',
          { tabIndex: 0, role: 'group', 'aria-label': 'Payload' },
          element('code', {}, detail.payload),
        ),
        detail.proof ? element('span', { className: 'badge good' }, 'With a proof') : null,
      ]
    case 'expired':
      return [element('span', { className: 'hint' }, detail.scanned ? 'nobody decided in time' : 'nobody scanned it')]
    case 'error':
      return [element('span', { className: 'badge bad' }, detail.code), element('span', {}, detail.message)]
    default:
      return []
  }
}
