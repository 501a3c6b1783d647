import { confirmationScreen, digits } from './confirmation-screen.js'
import { say } from './dom.js'
import { call } from './http.js'

const VERDICTS = {
  confirmed: ['good', 'Confirmed'],
  denied: ['', 'Denied'],
}

const CONSEQUENCES = {
  confirmed: ({ encrypted }) =>
    encrypted
      ? 'The payload was encrypted: only the page can read it.'
      : 'The payload was not encrypted: the service could read it.',
  denied: () => 'No payload was sent.',
}

/** The simulated phone for logins. The server acts for it, so the page holds neither its token nor
/** its encryption.
 */
export class LoginPhone {
  #part
  #widget = null
  /** The server's name for the phone that has a login open. */
  #token = null
  /** The check code of that login, if it has one. */
  #checkCode = null

  constructor(part) {
    this.#part = part
    part.scan.addEventListener('submit', (event) => {
      event.preventDefault()
      this.#scan()
    })
    part.paste.addEventListener('submit', (event) => {
      event.preventDefault()
      const { value } = part.paste.elements.link
      this.#open(value.trim(), 'There is no link to open.')
    })
    part.back.addEventListener('click', () => {
      this.#show('home')
      part.scanButton.focus()
    })
  }

  /** Holds the phone in front of an element, so that links clicked there open on the phone. */
  near(widget) {
    this.#widget = widget
    widget.addEventListener('click', (event) => {
      const link = event.composedPath().find((one) => one.localName === 'a')
      if (!link) return
      event.preventDefault()
      this.#scan()
    })
  }

  /** Returns what would be scanned and sent now. */
  draft() {
    const { payload, publicUserId } = this.#part.scan.elements
    return {
      link: this.#widget?.link ?? null,
      payload: payload.value,
      publicUserId: publicUserId.value.trim(),
    }
  }

  #scan() {
    this.#open(this.draft().link, 'There is no code to scan. Start again in the browser.')
  }

  async #open(link, otherwise) {
    const { phoneProblem, scanButton, pasteButton, screen } = this.#part
    say(phoneProblem, link ? null : otherwise)
    if (!link) return
    const buttons = [scanButton, pasteButton]
    for (const button of buttons) button.disabled = true
    const { publicUserId } = this.draft()
    const scanned = publicUserId ? { link, publicUserId } : { link }
    try {
      const opened = await call('POST', '/playground/phones', scanned)
      this.#token = opened.token
      this.#checkCode = opened.checkCode
      screen.replaceChildren(...confirmationScreen(opened, (decision) => this.#decide(decision)))
      this.#show('screen')
      screen.querySelector('h3').focus()
    } catch (refusal) {
      say(phoneProblem, refusal.message)
      this.#show('home')
    } finally {
      for (const button of buttons) button.disabled = false
    }
  }

  async #decide(decision) {
    const { consequence, screen, verdict } = this.#part
    const buttons = screen.querySelectorAll('button')
    for (const button of buttons) button.disabled = true
    const { payload } = this.draft()
    try {
      const path = `/playground/phones/${this.#token}/${decision}`
      // A denial's payload is readable, so what was meant for the page stays here.
      const said = payload && decision === 'confirm' ? { payload } : {}
      const became = await call('POST', path, said)
      const [tone, text] = VERDICTS[became.decision]
      verdict.className = `verdict ${tone}`
      verdict.textContent = text
      consequence.replaceChildren(
        CONSEQUENCES[became.decision](became),
        ...(decision === 'confirm' ? digits(this.#checkCode) : []),
      )
    } catch (refusal) {
      verdict.className = 'verdict'
      verdict.textContent = decision === 'confirm' ? 'Not confirmed' : 'Not denied'
      consequence.textContent = refusal.message
    }
    this.#show('end')
    verdict.focus()
  }

  #show(which) {
    const { end, home, phoneProblem, screen } = this.#part
    for (const [name, part] of Object.entries({ end, home, screen })) part.hidden = name !== which
    if (which !== 'home') say(phoneProblem, null)
  }
}
