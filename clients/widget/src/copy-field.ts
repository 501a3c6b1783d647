import { attribute, element, say } from './dom.ts'
import { symbol } from './drawings.ts'
import { button } from './frame.ts'

/** Time for which the tick is shown, in ms. */
const TICK = 2_000

/** A value with a label and a button that copies it. */
export class CopyField {
  readonly root = element('div', 'field')
  readonly #name = element('span', 'name')
  readonly #value = element('bdi', 'value')
  readonly #copy = button('copy')
  /** The text to copy. The shown text may have been translated. */
  #stored = ''

  /** `copied` is called when the user has copied the value. */
  constructor(dir: 'ltr' | 'auto', copied: () => void) {
    const copy = this.#copy
    const value = this.#value
    value.dir = dir
    // Browsers offer no clipboard to pages without https. The value can still be selected.
    copy.hidden = !(navigator.clipboard as Clipboard | undefined)
    const idle = () => copy.replaceChildren(symbol('pages', 'glyph'))
    idle()
    copy.addEventListener('click', () => {
      navigator.clipboard.writeText(this.#stored).then(() => {
        copy.replaceChildren(symbol('done', 'glyph'))
        setTimeout(idle, TICK)
        copied()
      }, () => getSelection()?.selectAllChildren(value))
    })
    // A selection contains the page's spaces and capitals.
    value.addEventListener('copy', (event) => {
      event.clipboardData?.setData('text/plain', this.#stored)
      event.preventDefault()
    })
    this.root.append(this.#name, value, copy)
  }

  draw(name: string, value: string, copy: string): void {
    say(this.#name, name)
    if (this.#stored !== value) {
      this.#stored = value
      this.#value.replaceChildren(...unbroken(value))
    }
    attribute(this.#copy, 'aria-label', copy)
    attribute(this.#copy, 'title', copy)
  }
}

/** Prevents line breaks in a code after its hyphen. */
function unbroken(text: string): (string | Node)[] {
  return text.split(/([^\s-]-)(?=[^\s-])/).flatMap((part, index) => (
    // Tests and extensions look for a code as one text, so its parts are not separate elements.
    index % 2 === 0 ? part : [part, Object.assign(document.createElement('span'), { className: 'joiner' })]
  ))
}
