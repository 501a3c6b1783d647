import { pageClock } from './clock.ts'
import { CodeForm } from './code-form.ts'
import { drawTime } from './countdown.ts'
import { element, isSame, say } from './dom.ts'
import type { Icon } from './drawings.ts'
import { button, Frame } from './frame.ts'
import { ENGLISH, fill, type Wording } from './languages.ts'
import { NO_SETUP, type SetupPhase, type SetupSight } from './setup.ts'
import type { SetupTexts } from './texts.ts'

/** Icon and text of each phase, and whether the user may start again. */
const PHASES: Readonly<Record<SetupPhase, readonly [Icon, keyof SetupTexts, again?: true]>> = {
  idle: ['turning', 'preparing'],
  waiting: ['phone', 'onThisPhone'],
  opened: ['phone', 'opened'],
  typing: ['phone', 'typing'],
  checking: ['turning', 'finishing'],
  completed: ['done', 'completed'],
  wrongDigits: ['no', 'wrongDigits', true],
  cancelled: ['no', 'cancelled', true],
  expired: ['clock', 'expired', true],
  failed: ['no', 'failed', true],
}

/** The user's requests. */
export interface SetupWishes {
  readonly renew: () => void
  readonly typed: (digits: string) => void
  /** The phone is not the user's. */
  readonly cancel: () => void
}

/** Draws a registration: the link, the phone that opened it, and the field for the digits. */
export class SetupView {
  readonly #frame: Frame
  readonly #form: CodeForm
  readonly #link = element('a', 'link')
  readonly #device = element('p', 'device')
  readonly #stranger = button('stranger')
  readonly #left = element('p', 'left')
  readonly #renewable: () => boolean
  #sight = NO_SETUP
  #wording: Wording<SetupTexts> | null = null
  #stopTicking = () => {}

  constructor(root: ShadowRoot, phone: boolean, renewable: () => boolean, { cancel, renew, typed }: SetupWishes) {
    this.#renewable = renewable
    this.#form = new CodeForm('message', typed)
    this.#frame = new Frame(root, phone, () => this.#draw(), renew, this.#device, this.#form.root, this.#left)
    this.#device.setAttribute('role', 'status')
    this.#left.setAttribute('role', 'timer')
    this.#link.rel = 'noopener noreferrer'
    // The user types the digits here, also on the phone itself.
    this.#link.target = '_blank'
    this.#stranger.addEventListener('click', cancel)
    this.#frame.actions.append(this.#link, this.#stranger, this.#frame.renew, this.#frame.toggle)
  }

  word(wording: Wording<SetupTexts> | null): void {
    this.#wording = wording
    this.#draw()
  }

  show(sight: SetupSight): void {
    const before: SetupSight = { ...this.#sight, endsAt: sight.endsAt }
    const timed = (this.#sight.endsAt === null) === (sight.endsAt === null)
    const isUnchanged = timed && JSON.stringify(sight) === JSON.stringify(before)
    this.#sight = sight
    if (isUnchanged && isSame(sight, { ...before, device: sight.device })) this.#tick()
    else this.#draw()
  }

  #draw(): void {
    const { phone, renew, showsCode, toggle } = this.#frame
    const texts = this.#wording?.texts ?? ENGLISH.setup
    const { device, endsAt, phase, triesLeft, trouble, url } = this.#sight
    const [icon, words, again] = PHASES[phase]
    const types = phase === 'typing'
    const asks = types && this.#form.root.hidden
    const waits = phase === 'waiting' && url !== null
    const code = waits && showsCode

    this.#frame.draw(this.#wording, texts, {
      icon,
      code: code ? url : null,
      label: texts.code,
      message: texts[code ? 'scan' : words],
      reason: '',
      next: null,
      trouble,
    }, () => {
      const isHere = device !== null && (types || phase === 'opened' || phase === 'checking')
      const place = device?.location ? `${fill(texts.place, 'place', device.location)} ${device.credit}`.trim() : ''
      say(this.#device, isHere ? `${fill(texts.device, 'device', device.browser)}${place && ` ${place}`}` : '')
      const wrong = triesLeft === null ? '' : texts[triesLeft > 1 ? 'digitsWrong' : 'digitsLast']
      this.#form.draw(types, texts.send, wrong)
      this.#left.hidden = endsAt === null || trouble !== null
      this.#tick()
      this.#link.hidden = !waits
      if (waits) this.#link.href = url
      else this.#link.removeAttribute('href')
      say(this.#link, texts[phone ? 'openLink' : 'openHere'])
      this.#link.className = phone && !code ? 'main' : 'plain'
      this.#stranger.hidden = !isHere || phase === 'checking'
      say(this.#stranger, texts.notMine)
      toggle.hidden = !waits || !phone
      renew.hidden = !again || !this.#renewable()
      renew.className = 'main'
      say(renew, texts.again)
    })
    if (asks && this.#frame.mayFocus) this.#form.focus()
  }

  #tick(): void {
    this.#stopTicking()
    const { endsAt } = this.#sight
    if (endsAt === null) return
    const left = endsAt - pageClock.now()
    drawTime(this.#left, (this.#wording?.texts ?? ENGLISH.setup).left, left)
    if (left > 0) this.#stopTicking = pageClock.after(left % 1_000 || 1_000, () => this.#tick())
  }
}
