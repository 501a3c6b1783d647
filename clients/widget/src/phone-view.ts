import type { Confirmation } from './confirmation.ts'
import { CopyField } from './copy-field.ts'
import { drawTime } from './countdown.ts'
import { attribute, element, isSame, reserve, say } from './dom.ts'
import type { Icon } from './drawings.ts'
import { Frame } from './frame.ts'
import { ENGLISH, fill, nameOf, textOf, type Wording } from './languages.ts'
import { NumberForm } from './number-form.ts'
import type { PhonePhase, PhoneSight } from './phone.ts'
import { MISSES, type TypedNumber } from './phone-service.ts'
import type { PhoneTexts } from './texts.ts'

/** Icon, text and button of each phase. */
const PHASES: Readonly<Record<PhonePhase, readonly [Icon, keyof PhoneTexts, ('again' | 'anew')?]>> = {
  asking: ['phone', 'ask'],
  starting: ['turning', 'starting'],
  open: ['phone', 'send'],
  ending: ['turning', 'ending'],
  checking: ['turning', 'finishing'],
  verified: ['done', 'verified'],
  rejected: ['no', 'failed', 'again'],
  expired: ['clock', 'expired', 'anew'],
  cancelled: ['no', 'cancelled', 'again'],
  failed: ['no', 'failed', 'again'],
}

/** The texts that replace others if the app has a name. */
const NAMED = { scan: 'scanWith', send: 'sendWith' } as const

/** Reserves the space of a confirmation before there is one. */
const SAMPLE: Confirmation = {
  id: '',
  // Must not look like a text to send.
  message: '00-0000000000000000',
  sendTo: '000000000000',
  country: 'US',
  number: '',
  links: { qr: '', ios: '', sms: '', whatsapp: null },
  lifetime: 0,
  test: false,
  client: null,
}

/** Facts about the device and the page that the view needs. */
export interface Circumstances {
  /** Whether the device is a phone. */
  readonly phone: boolean
  /** The link that opens a text on this device. */
  readonly link: 'ios' | 'sms'
  /** Whether the element can start again. */
  readonly renewable: () => boolean
  /** The language of the page around the element. */
  readonly language: () => string
  /** Whether the user types the number to confirm. */
  readonly confirms: () => boolean
  /** The initial country of the number; empty if unknown. */
  readonly country: () => string
}

/** The user's requests. */
export interface Wishes {
  /** A new confirmation. */
  readonly renew: () => void
  /** A confirmation of this number. */
  readonly confirm: (number: TypedNumber) => void
}

/** Draws a confirmation, and reports what the user wants. */
export class PhoneView {
  readonly #frame: Frame
  readonly #here: Circumstances
  readonly #details = element('div', 'details')
  readonly #link = element('a', 'link')
  readonly #whatsapp = element('a', 'whatsapp')
  readonly #number: CopyField
  readonly #message: CopyField
  readonly #cost = element('p', 'cost')
  readonly #left = element('p', 'left')
  readonly #copied = element('p', 'copied')
  readonly #wishes: Wishes
  #form: NumberForm | undefined
  /** The space for each message, and for the time left or an obstacle. */
  readonly #rooms = [element('div', 'room'), element('div', 'room')] as const
  #sight: PhoneSight = { phase: 'starting', confirmation: null, left: 0, trouble: null, miss: null, fault: null, reason: '', next: null }
  #wording: Wording<PhoneTexts> | null = null
  #app = ''

  constructor(root: ShadowRoot, here: Circumstances, wishes: Wishes) {
    // Screen readers only announce a text again if it differs.
    const copied = () => {
      const { copied } = this.#texts
      say(this.#copied, this.#copied.textContent === copied ? `${copied}\u00a0` : copied)
    }
    this.#here = here
    this.#wishes = { ...wishes, renew: () => this.#renew(wishes) }
    this.#number = new CopyField('ltr', copied)
    this.#message = new CopyField('auto', copied)
    this.#left.setAttribute('role', 'timer')
    this.#copied.setAttribute('role', 'status')
    this.#link.className = here.phone ? 'main' : 'plain'
    this.#whatsapp.rel = 'noopener noreferrer'
    this.#whatsapp.target = '_blank'
    this.#frame = new Frame(root, here.phone, () => this.#draw(), this.#wishes.renew, this.#details, this.#copied, ...this.#rooms, this.#left)
    this.#rooms[0].classList.add('message')
    this.#rooms[1].classList.add('trouble')
    const links = [this.#link, this.#whatsapp]
    const rest = [this.#number.root, this.#message.root, this.#cost]
    this.#details.append(...(here.phone ? [...links, ...rest, this.#frame.toggle] : [...rest, ...links]))
    this.#frame.actions.append(this.#frame.renew)
    this.#frame.body.classList.add('number')
  }

  /** Sets the texts, and the app's name that some of them contain. */
  word(wording: Wording<PhoneTexts> | null, app: string): void {
    this.#wording = wording
    this.#app = app
    const texts = this.#texts
    const phases = Object.values(PHASES).map(([, words]) => words)
    reserve(this.#rooms[0], (['scan', ...phases, ...MISSES] as const).map((words) => this.#text(words)))
    reserve(this.#rooms[1], [`${texts.waiting} ${texts.left}`, texts.offline, texts.unreachable, texts.stuck, texts.busy])
    this.#draw()
  }

  show(sight: PhoneSight): void {
    const before: PhoneSight = { ...this.#sight, left: sight.left }
    this.#sight = sight
    if (isSame(sight, before)) this.#drawLeft()
    else this.#draw()
    if (sight.fault && sight.fault !== before.fault && this.#frame.mayFocus) this.#form?.focus()
  }

  get #texts(): Readonly<PhoneTexts> {
    return this.#wording?.texts ?? ENGLISH.phone
  }

  /** Returns a text, with the app's name where there is one. */
  #text(name: keyof PhoneTexts): string {
    return textOf(this.#texts, this.#app, name, NAMED)
  }

  #draw(): void {
    const { confirmation, miss, next, phase, reason, trouble } = this.#sight
    const { renew, showsCode, stage } = this.#frame
    const texts = this.#texts
    const open = phase === 'open'
    const [icon, words, again] = PHASES[phase]
    const code = open && showsCode && confirmation ? confirmation.links.qr : null

    this.#frame.draw(this.#wording, texts, {
      icon,
      code,
      label: texts.code,
      message: this.#text(miss ?? (code ? 'scan' : words)),
      reason,
      next,
      trouble,
    }, () => {
      stage.classList.toggle('open', open || phase === 'asking')
      renew.hidden = !again || !this.#here.renewable()
      renew.className = next ? '' : 'main'
      say(renew, texts[again ?? 'again'])
      this.#details.hidden = !open
      this.#left.hidden = !open || trouble !== null
      if (!open) say(this.#copied, '')
      this.#drawForm(texts)
      this.#drawDetails(confirmation ?? SAMPLE, texts)
    })
  }

  #drawForm(texts: Readonly<PhoneTexts>): void {
    const { confirms, country, language } = this.#here
    if (!confirms()) {
      this.#form?.root.remove()
      this.#form?.row.remove()
      this.#form = undefined
      return
    }
    if (!this.#form) {
      this.#form = new NumberForm(texts, this.#wishes.confirm, this.#wishes.renew)
      this.#details.before(this.#form.root)
      this.#details.prepend(this.#form.row)
    }
    const { confirmation, fault, phase } = this.#sight
    this.#form.draw(phase === 'asking', fault, texts, { country: country(), language: this.#language, page: language() })
    this.#form.drawNumber(confirmation?.number ?? '')
  }

  /**
   * Requests a new confirmation. The form that may appear then gets the focus, because the user asked for it.
   */
  #renew({ renew }: Wishes): void {
    renew()
    if (this.#sight.phase === 'asking') this.#form?.focus()
  }

  get #language(): string {
    return this.#wording?.lang || this.#here.language()
  }

  #drawDetails(
    { country, links, message, sendTo, test }: Confirmation,
    texts: Readonly<PhoneTexts>,
  ): void {
    const { link, phone } = this.#here
    this.#link.href = links[link]
    say(this.#link, texts[phone ? 'open' : 'openHere'])
    this.#whatsapp.hidden = links.whatsapp === null
    attribute(this.#whatsapp, 'href', links.whatsapp ?? '')
    say(this.#whatsapp, texts.whatsapp)
    this.#number.draw(texts.number, sendTo, texts.copyNumber)
    this.#message.draw(texts.message, message, texts.copyMessage)
    const name = country && nameOf(country, this.#language)
    say(this.#cost, test ? texts.test : name ? fill(texts.cost, 'country', name) : texts.costAnywhere)
    this.#drawLeft()
  }

  #drawLeft(): void {
    const texts = this.#texts
    const { confirmation, left } = this.#sight
    const waiting = (confirmation ?? SAMPLE).client ? `${texts.waiting} ` : ''
    drawTime(this.#left, waiting + texts.left, left)
  }
}
