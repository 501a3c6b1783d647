import { CodeForm } from './code-form.ts'
import { element, say } from './dom.ts'
import type { Icon } from './drawings.ts'
import { Frame } from './frame.ts'
import { ENGLISH, textOf, type Wording } from './languages.ts'
import type { Sight } from './login.ts'
import type { Phase } from './machine.ts'
import type { Texts } from './texts.ts'

/** Icon, text and button of each phase that shows no code. */
const PHASES: Readonly<Record<Phase, readonly [Icon, keyof Texts, ('again' | 'anew')?]>> = {
  waiting: ['phone', 'onThisPhone'],
  idle: ['turning', 'opening'],
  opening: ['turning', 'opening'],
  scanned: ['phone', 'scanned', 'anew'],
  typing: ['phone', 'checkCode', 'anew'],
  redeeming: ['turning', 'finishing'],
  elsewhere: ['done', 'elsewhere', 'anew'],
  checking: ['turning', 'finishing'],
  rejected: ['no', 'failed', 'anew'],
  confirmed: ['done', 'confirmed'],
  denied: ['no', 'denied', 'again'],
  blocked: ['no', 'blocked', 'again'],
  wrongCodes: ['no', 'wrongCodes', 'again'],
  expired: ['clock', 'expired', 'anew'],
  late: ['clock', 'late', 'anew'],
  cancelled: ['no', 'cancelled', 'again'],
  failed: ['no', 'failed', 'again'],
}

/** The texts that replace others if the app is on the same phone, and no code was shown. */
const HERE: { readonly [Name in keyof Texts]?: keyof Texts } = {
  scanned: 'scannedHere',
  checkCode: 'checkCodeHere',
  expired: 'expiredHere',
  anew: 'again',
}

/** Draws a login, and reports requests for a fresh code and typed digits. */
export class View {
  readonly #frame: Frame
  readonly #form: CodeForm
  readonly #link = element('a', 'link')
  #sight: Sight = { phase: 'idle', url: null, trouble: null, triesLeft: null, reason: '' }
  #wording: Wording<Texts> | null = null
  #app = ''

  constructor(root: ShadowRoot, phone: boolean, renew: () => void, typed: (code: string) => void) {
    this.#form = new CodeForm('message', typed)
    // A code is for another phone, whose app must not return to this page.
    this.#frame = new Frame(root, phone, renew, renew, this.#form.root)
    this.#link.rel = 'noopener noreferrer'
    // Outside a phone there may be no app, so the page stays open.
    if (!phone) this.#link.target = '_blank'
    this.#frame.actions.append(this.#link, this.#frame.renew, this.#frame.toggle)
  }

  /** Whether the link is shown instead of the code, so that the app is on this phone. */
  get isHere(): boolean {
    return !this.#frame.showsCode
  }

  /** Sets the texts, and the app's name that some of them take. */
  word(wording: Wording<Texts> | null, app: string): void {
    this.#wording = wording
    this.#app = app
    this.#draw()
  }

  show(sight: Sight): void {
    this.#sight = sight
    this.#draw()
  }

  #draw(): void {
    const { phone, renew, showsCode, toggle } = this.#frame
    const texts = this.#wording?.texts ?? ENGLISH.login
    const text = (name: keyof Texts) => textOf(texts, this.#app, (showsCode ? null : HERE[name]) ?? name)
    const { phase, reason, triesLeft, trouble, url } = this.#sight
    const types = phase === 'typing'
    const asks = types && this.#form.root.hidden
    const waits = phase === 'waiting' && url !== null
    const [icon, words, again] = PHASES[phase]
    const code = waits && showsCode

    this.#frame.draw(this.#wording, texts, {
      icon,
      code: code ? url : null,
      label: text('code'),
      message: text(code ? 'scan' : words),
      reason,
      trouble,
    }, () => {
      const wrong = triesLeft === null ? '' : text(triesLeft > 1 ? 'checkCodeWrong' : 'checkCodeLast')
      this.#form.draw(types, text('checkCodeSend'), wrong)

      this.#link.hidden = !waits
      if (waits) this.#link.href = url
      else this.#link.removeAttribute('href')
      say(this.#link, text(phone ? 'openApp' : 'openHere'))
      this.#link.className = phone ? 'main' : 'plain'
      toggle.hidden = !waits || !phone
      renew.hidden = !code && again === undefined
      say(renew, text(again ?? 'renew'))
      renew.className = again === undefined || types || phase === 'scanned' ? '' : 'main'
    })
    if (asks && this.#frame.mayFocus) this.#form.focus()
  }
}
