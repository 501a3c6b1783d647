import { element, timeOfDay } from './dom.js'

/** The element's events, in the order in which a login has them. */
const NAMES = ['scanned', 'confirmed', 'denied', 'blocked', 'expired', 'cancelled', 'error']

/** So many are kept in the list. */
const MOST = 12

/** What the page gets: the events that the element dispatches. */
export class LoginEvents {
  #list
  #nothing
  #announce

  /** `announce` tells those who do not see the list. */
  constructor({ events, noEvents }, announce) {
    this.#list = events
    this.#nothing = noEvents
    this.#announce = announce
  }

  /** Lists what an element dispatches from now on. */
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
    if (this.#list.children.length > MOST) this.#list.firstChild.remove()
    // How a login went, the element says by itself. What it brought, only the page knows.
    if (name === 'confirmed') {
      const how = detail.encrypted ? 'encrypted for this page' : 'not encrypted'
      this.#announce(`The payload arrived, ${how}: ${detail.payload}`)
    }
    if (name === 'error') this.#announce(`An error: ${detail.message}`)
  }
}

function described(name, detail) {
  switch (name) {
    case 'confirmed':
      return [
        detail.encrypted
          ? element('span', { className: 'badge good' }, 'Encrypted for this page')
          : element('span', { className: 'badge bad' }, 'Not encrypted'),
        element(
          'pre',
          { tabIndex: 0, role: 'group', 'aria-label': 'Payload' },
          element('code', {}, detail.payload),
        ),
      ]
    case 'expired':
      return [element('span', { className: 'hint' }, detail.scanned ? 'nobody decided in time' : 'nobody scanned it')]
    case 'error':
      return [element('span', { className: 'badge bad' }, detail.code), element('span', {}, detail.message)]
    default:
      return []
  }
}
