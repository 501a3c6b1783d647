import { element, say } from './dom.js'
import { call } from './http.js'

const OUTCOMES = {
  verified: 'Taken: the number is verified.',
  open: 'Changed nothing: the session is still open.',
  expired: 'Changed nothing: the session has expired.',
  cancelled: 'Changed nothing: the session was cancelled.',
}

/** The simulated phone: a form that hands texts in as an SMS provider does. */
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

  /** Writes the text of a new session, ready to send. */
  draft(token, { sendTo, confirmationMessage }, from) {
    this.#token = token
    this.#status = 'open'
    this.#thread.replaceChildren()
    const { elements } = this.#form
    elements.to.value = sendTo
    elements.message.value = confirmationMessage
    if (from) elements.from.value = from
  }

  /** Where the session stands as far as the page knows. */
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
      const { confirmation } = await call('POST', `/playground/sessions/${token}/text`, sent)
      const status = confirmation?.status
      const again = before === 'verified'
      outcome.textContent = again ? 'Changed nothing: one text was enough.' : OUTCOMES[status] ?? 'Sent.'
      outcome.className = status === 'verified' && !again ? 'good' : ''
    } catch (refusal) {
      outcome.textContent = 'Not sent.'
      outcome.className = 'bad'
      if (token === this.#token) say(this.#problem, refusal.message)
    }
    this.#thread.scrollTop = this.#thread.scrollHeight
  }
}
