import { digitsOf } from './digits.ts'
import { attribute, element, say } from './dom.ts'

/** Keeps 1Password, LastPass, Bitwarden and Dashlane away from a field. */
const UNMANAGED = { 'data-1p-ignore': '', 'data-lpignore': 'true', 'data-bwignore': '', 'data-form-type': 'other' }

/** The field for the check code, which the user reads from the phone. */
export class CodeForm {
  readonly root = element('form', 'check')
  readonly #field = element('input', 'digits')
  readonly #wrong = element('p', 'wrong')
  readonly #send = element('button', 'send')

  /** `label` is the id of the text that says what to type. */
  constructor(label: string, typed: (code: string) => void) {
    const field = this.#field
    this.root.noValidate = true
    this.root.hidden = true
    this.#wrong.id = 'wrong'
    this.#wrong.setAttribute('role', 'alert')
    field.type = 'text'
    field.inputMode = 'numeric'
    field.autocomplete = 'off'
    // Password managers recognize the field by its appearance, and each has its own attribute to exclude it.
    for (const [name, value] of Object.entries(UNMANAGED)) field.setAttribute(name, value)
    field.size = 2
    field.dir = 'ltr'
    field.enterKeyHint = 'done'
    field.setAttribute('aria-labelledby', label)
    field.setAttribute('aria-describedby', this.#wrong.id)
    field.addEventListener('input', (event) => {
      if (!(event instanceof InputEvent && event.isComposing)) field.value = digitsOf(field.value).slice(0, 2)
    })
    this.#send.className = 'main'
    this.root.append(field, this.#send, this.#wrong)
    this.root.addEventListener('submit', (event) => {
      event.preventDefault()
      const code = digitsOf(field.value).slice(0, 2)
      if (code.length === 2) typed(code)
      else field.focus()
    })
  }

  /** Shows or hides the field, with the text about a wrong code. */
  draw(shown: boolean, send: string, wrong: string): void {
    if (!shown || this.root.hidden) this.#field.value = ''
    this.root.hidden = !shown
    say(this.#send, send)
    say(this.#wrong, wrong)
    attribute(this.#field, 'aria-invalid', wrong ? 'true' : '')
  }

  focus(): void {
    this.#field.focus()
  }
}
