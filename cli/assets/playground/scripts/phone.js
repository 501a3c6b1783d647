import { element, say } from './dom.js'
import { call } from './http.js'

const OUTCOMES = {
  verified: 'The number is verified.',
  open: 'No effect: the confirmation is still open.',
  expired: 'No effect: the confirmation has expired.',
  cancelled: 'No effect: the confirmation was cancelled.',
}

/** The simulated phone: a form that sends texts as an SMS provider does. */
export class Phone {
  #form
  #thread
  #problem
  #token = null
  #status = null

  constructor(form, thread, problem) {
    this.#form = form
    this.#thread = thread
    this.#problem = problem
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      this.#send()
    })
    form.elements.message.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
        event.preventDefault()
        form.requestSubmit()
      }
    })
  }

  /** Fills in the text of a new confirmation, ready to send. */
  draft(token, { sendTo, confirmationMessage }, from) {
    this.#token = token
    this.#status = 'open'
    this.#thread.replaceChildren()
    const { elements } = this.#form
    elements.to.value = sendTo
    elements.message.value = confirmationMessage
    if (from) elements.from.value = from
  }

  /** Records the confirmation's status. */
  know(status) {
    this.#status = status
  }

  async #send() {
    const token = this.#token
    const { from, to, message } = this.#form.elements
    const outcome = element('small', {}, 'Sending…')
    const bubble = element('p', {}, message.value)
    this.#thread.append(element('li', {}, bubble, outcome))
    this.#thread.scrollTop = this.#thread.scrollHeight
    say(this.#problem, null)
    const before = this.#status
    try {
      const sent = { from: from.value.trim(), to: to.value.trim(), message: message.value }
      const { confirmation } = await call('POST', `/playground/confirmations/${token}/text`, sent)
      const status = confirmation?.status
      const again = before === 'verified'
      outcome.textContent = again ? 'No effect: the number is already verified.' : OUTCOMES[status] ?? 'Sent.'
      outcome.className = status === 'verified' && !again ? 'good' : ''
    } catch (refusal) {
      outcome.textContent = 'Not sent.'
      outcome.className = 'bad'
      if (token === this.#token) say(this.#problem, refusal.message)
    }
    this.#thread.scrollTop = this.#thread.scrollHeight
  }
}
