import { attribute, element, say, slot } from './dom.ts'
import { picture, symbol, type Icon } from './drawings.ts'
import type { Wording } from './languages.ts'
import type { Next } from './next.ts'
import type { Trouble } from './refusal.ts'
import styles from './styles.css'

/** The content of the frame. */
export interface Scene {
  readonly icon: Icon
  /** The content of the QR code that is shown instead of the icon. */
  readonly code: string | null
  /** Describes the code. */
  readonly label: string
  readonly message: string
  /** The page's own message, which replaces the element's. */
  readonly reason: string
  /** The link to the page's next step. */
  readonly next: Next | null
  readonly trouble: Trouble | null
}

/** The texts that the frame itself uses. */
type FrameTexts = Readonly<Record<'showCode' | 'hideCode' | Trouble, string>>

let sheet: CSSStyleSheet | undefined

/**
 * The parts that both elements share: a message, a code or an icon, an obstacle, and a button to start again.
 */
export class Frame {
  readonly body = element('div', 'body')
  readonly message = element('p', 'message')
  readonly stage = element('div', 'stage')
  readonly trouble = element('p', 'trouble')
  readonly actions = element('div', 'actions')
  readonly #next = element('a', 'next')
  readonly renew = button('renew')
  /** Switches between the code and a link, on a phone. */
  readonly toggle = button('toggle')
  readonly phone: boolean
  showsCode: boolean
  readonly #root: ShadowRoot
  readonly #panel = element('div', 'panel')
  /** Key of the drawing on the stage, which is only redrawn when the key changes. */
  #staged = ''

  /** `renew` is called when the user wants to start again, `draw` after other actions. */
  constructor(root: ShadowRoot, phone: boolean, draw: () => void, renew: () => void, ...rest: readonly Element[]) {
    this.#root = root
    this.phone = phone
    this.showsCode = !phone
    sheet ??= newSheet()
    root.adoptedStyleSheets = [sheet]
    this.message.id = 'message'
    this.message.tabIndex = -1
    for (const live of [this.message, this.trouble]) live.setAttribute('role', 'status')
    this.renew.addEventListener('click', renew)
    this.toggle.addEventListener('click', () => {
      this.showsCode = !this.showsCode
      draw()
    })
    // The texts are already in the page's language, and translators would undo the element's changes.
    this.#panel.translate = false
    this.body.append(this.message, this.stage, ...rest, this.trouble, this.actions)
    this.#next.classList.add('main')
    this.actions.append(this.#next)
    this.#panel.append(slot('header'), this.body, slot('another-way'), slot('footer'))
    root.append(this.#panel)
  }

  /**
   * Draws a scene, and the parts that `rest` draws. Without `wording`, the words take up space but are invisible.
   */
  draw(wording: Wording<unknown> | null, texts: FrameTexts, scene: Scene, rest: () => void): void {
    const { code, icon, label, message, next, reason, trouble } = scene
    const focused = this.#root.activeElement
    attribute(this.#panel, 'lang', wording?.lang ?? '')
    attribute(this.#panel, 'dir', wording?.dir ?? '')
    this.body.classList.toggle('mute', wording === null)
    say(this.message, reason || message)
    // The page's language may differ from the element's.
    attribute(this.message, 'dir', reason && 'auto')
    say(this.trouble, trouble ? texts[trouble] : '')
    say(this.toggle, texts[this.showsCode ? 'hideCode' : 'showCode'])
    this.body.classList.toggle('small', !this.showsCode)
    const staged = `${code ?? icon} ${label}`
    if (this.#staged !== staged) {
      this.#staged = staged
      this.stage.replaceChildren(code === null ? symbol(icon) : picture(code, label))
    }
    this.stage.classList.toggle('full', code !== null)
    this.#next.hidden = next === null
    say(this.#next, next?.text ?? '')
    attribute(this.#next, 'href', next?.href ?? '')
    this.#panel.classList.toggle('done', icon === 'done')
    rest()
    // Keeps the keyboard focus nearby when the focused button disappears.
    if (focused?.closest('[hidden]')) this.message.focus({ preventScroll: true })
  }

  /** Whether the user is not busy elsewhere on the page. */
  get mayFocus(): boolean {
    const { activeElement } = document
    return this.#root.activeElement !== null || activeElement === null || activeElement === document.body
  }
}

/** Creates a button that does not submit forms. */
export function button(part: string): HTMLButtonElement {
  const made = element('button', part)
  made.type = 'button'
  return made
}

function newSheet(): CSSStyleSheet {
  const made = new CSSStyleSheet()
  made.replaceSync(styles)
  return made
}
