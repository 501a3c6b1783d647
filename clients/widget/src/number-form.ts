import { attribute, element, reserve, say } from './dom.ts'
import { symbol } from './drawings.ts'
import { button } from './frame.ts'
import { nameOf } from './languages.ts'
import type { NumberFault, TypedNumber } from './phone-service.ts'
import type { PhoneTexts } from './texts.ts'

/** The countries, which only this form needs. */
type Countries = typeof import('./widget/countries.js')

/** Where the number is typed. */
export interface Place {
  /** The country set by the page; otherwise empty. */
  readonly country: string
  /** The language of the form. */
  readonly language: string
  /** The language of the page. */
  readonly page: string
}

/** The field for a number that the page wants to confirm, with its country. */
export class NumberForm {
  readonly root = element('form', 'entry')
  /** Later shows the number, with a button to change it. */
  readonly row = element('div', 'field')
  readonly #field = element('input', 'tel')
  readonly #select = element('select', 'country')
  readonly #labels = [element('label', 'name'), element('label', 'name')] as const
  readonly #wrong = element('p', 'wrong')
  readonly #room = element('div', 'room')
  readonly #send = element('button', 'send')
  readonly #name = element('span', 'name')
  readonly #value = element('bdi', 'value')
  readonly #change = button('copy')
  /** Missing until they are loaded, or if they cannot be loaded. */
  #countries: Countries | undefined
  /** The country that the user chose. */
  #chosen = ''
  #place: Place | undefined
  /** Whether the form was submitted without a number. */
  #empty = false
  #texts: Readonly<PhoneTexts>

  constructor(texts: Readonly<PhoneTexts>, typed: (number: TypedNumber) => void, change: () => void) {
    const field = this.#field
    const select = this.#select
    this.#texts = texts
    this.root.noValidate = true
    this.#wrong.id = 'wrong'
    this.#wrong.setAttribute('role', 'alert')
    field.type = 'tel'
    field.name = field.id = field.autocomplete = 'tel'
    field.enterKeyHint = 'send'
    field.required = true
    field.dir = this.#value.dir = 'ltr'
    field.setAttribute('aria-describedby', this.#wrong.id)
    select.name = select.id = select.autocomplete = 'country'
    this.#labels[0].htmlFor = select.id
    this.#labels[1].htmlFor = field.id
    this.#send.className = 'main'
    this.#change.append(symbol('pen', 'glyph'))
    this.#change.addEventListener('click', change)
    const errors = element('div', 'errors')
    errors.append(this.#wrong, this.#room)
    this.root.append(this.#labels[0], select, this.#labels[1], field, errors, this.#send)
    this.row.append(this.#name, this.#value, this.#change)
    select.addEventListener('change', () => {
      this.#chosen = select.value
    })
    field.addEventListener('input', () => {
      // A number with a calling code, pasted or filled in by the browser, determines its country.
      const country = this.#countries?.countryOfNumber(field.value, select.value)
      if (country) this.#chosen = select.value = country
    })
    this.root.addEventListener('submit', (event) => {
      event.preventDefault()
      this.#empty = !/\p{Nd}/u.test(field.value)
      this.#say(null)
      if (this.#empty) field.focus()
      else typed({ phoneNumber: field.value.trim(), country: select.value })
    })
    import('./widget/countries.js').then((countries) => {
      this.#countries = countries
      this.#list()
    }, () => {})
  }

  /** Shows or hides the form, with the text about the number. */
  draw(shown: boolean, fault: NumberFault | null, texts: Readonly<PhoneTexts>, place: Place): void {
    const changed = texts !== this.#texts || JSON.stringify(place) !== JSON.stringify(this.#place)
    this.#texts = texts
    this.#place = place
    if (changed) {
      this.#list()
      reserve(this.#room, [texts.ask, texts.numberWrong, texts.numberRefused])
    }
    if (!shown) this.#empty = false
    this.root.hidden = !shown
    for (const [index, name] of (['country', 'yourNumber'] as const).entries()) say(this.#labels[index]!, texts[name])
    say(this.#send, texts.next)
    say(this.#name, texts.yourNumber)
    attribute(this.#change, 'aria-label', texts.change)
    attribute(this.#change, 'title', texts.change)
    this.#say(fault)
  }

  /** Shows the number that is being confirmed. */
  drawNumber(number: string): void {
    // After a reload, the field is empty.
    this.#field.value ||= number
    say(this.#value, number || this.#field.value || '\u00a0')
  }

  focus(): void {
    this.#field.focus()
  }

  #say(fault: NumberFault | null): void {
    const words = this.#empty ? 'ask' : fault === 'number_type_refused' ? 'numberRefused' : fault && 'numberWrong'
    say(this.#wrong, words ? this.#texts[words] : '')
    attribute(this.#field, 'aria-invalid', words ? 'true' : '')
  }

  /** Lists the countries. Until they are loaded, there is only the initial one. */
  #list(): void {
    if (!this.#place) return
    const { country, language, page } = this.#place
    const countries = this.#countries
    const value = this.#chosen || country || (countries?.countryOf([page, ...navigator.languages]) ?? '')
    const all = countries?.listCountries(language) ?? [{ region: value, text: nameOf(value, language) ?? value }]
    const select = this.#select
    select.replaceChildren(...all.map(({ region, text }) => new Option(text, region)))
    select.value = value
    // A country without numbers, or no country from the page.
    if (select.selectedIndex < 0) select.prepend(new Option('–', '', true, true))
  }
}
