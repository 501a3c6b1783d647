import { element, say } from './dom.ts'
import { symbol } from './drawings.ts'
import { button } from './frame.ts'

/** Time that the tick stays, in ms. */
const TICK = 2_000

/** A value with a name, and a button that copies it. */
export class CopyField {
  readonly root = element('div', 'field')
  readonly #name = element('span', 'name')
  readonly #value = element('bdi', 'value')
  readonly #copy = button('copy')

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
      navigator.clipboard.writeText(value.textContent ?? '').then(() => {
        copy.replaceChildren(symbol('done', 'glyph'))
        setTimeout(idle, TICK)
        copied()
      }, () => getSelection()?.selectAllChildren(value))
    })
    this.root.append(this.#name, value, copy)
  }

  draw(name: string, value: string, copy: string): void {
    say(this.#name, name)
    say(this.#value, value)
    this.#copy.ariaLabel = this.#copy.title = copy
  }
}
