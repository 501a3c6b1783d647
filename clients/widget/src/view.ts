import { pageClock } from './clock.ts'
import { CodeForm } from './code-form.ts'
import { drawTime } from './countdown.ts'
import { element, isSame, say } from './dom.ts'
import type { Icon } from './drawings.ts'
import { Frame } from './frame.ts'
import { ENGLISH, textOf, type Instead, type Wording } from './languages.ts'
import type { Sight } from './login.ts'
import type { Phase } from './machine.ts'
import type { Texts } from './texts.ts'

/** Icon, text and button of each phase without a code. */
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
const HERE: Instead<Texts> = {
  scanned: 'scannedHere',
  checkCode: 'checkCodeHere',
  expired: 'expiredHere',
  anew: 'again',
}

/** The texts that replace others if the page's server opened the login, to have something approved. */
const APPROVAL: Instead<Texts> = {
  code: 'approveCode',
  onThisPhone: 'approveHere',
  denied: 'approvalDenied',
  blocked: 'approvalBlocked',
  late: 'approvalLate',
  cancelled: 'approvalCancelled',
  failed: 'approvalFailed',
}

/** The texts that replace others if the app has a name. */
const NAMED: Instead<Texts> = {
  scan: 'scanWith',
  onThisPhone: 'onThisPhoneWith',
  approveHere: 'approveHereWith',
  openApp: 'openNamedApp',
  stepOpen: 'stepOpenNamed',
}

/** The texts that replace others if users scan the code with the phone's camera. */
const CAMERA: Instead<Texts> = {
  onThisPhone: 'cameraHere',
  approveHere: 'cameraApprove',
  openApp: 'cameraOpen',
  scannedHere: 'cameraOpened',
  checkCodeHere: 'cameraCode',
  elsewhere: 'cameraElsewhere',
  expiredHere: 'cameraExpired',
  stepOpen: 'cameraStart',
  stepScan: 'cameraPoint',
  stepPoint: 'cameraLink',
}

/** The steps to the scanner or the camera. */
const STEPS = ['stepOpen', 'stepScan', 'stepPoint'] as const

/** Facts about the device and the page that the view needs. */
export interface Circumstances {
  /** Whether the device is a phone. */
  readonly phone: boolean
  /** Whether the page's server opened the login. */
  readonly given: () => boolean
  /** Whether the element can start again. */
  readonly renewable: () => boolean
}

/** Draws a login, and reports typed digits and requests for a new code. */
export class View {
  readonly #frame: Frame
  readonly #form: CodeForm
  readonly #link = element('a', 'link')
  readonly #steps = element('ol', 'steps')
  readonly #left = element('p', 'left')
  readonly #here: Circumstances
  #sight: Sight = { phase: 'idle', url: null, trouble: null, triesLeft: null, reason: '', next: null, endsAt: null }
  #wording: Wording<Texts> | null = null
  #app = ''
  #camera = false

  #stopTicking = () => {}

  constructor(root: ShadowRoot, here: Circumstances, renew: () => void, typed: (code: string) => void) {
    const { given, phone } = this.#here = here
    this.#form = new CodeForm('message', typed)
    // A code is for another phone, whose app must not return to this page.
    this.#frame = new Frame(root, phone, () => given() ? this.#draw() : renew(), renew, this.#form.root, this.#left)
    this.#steps.append(...STEPS.map(() => document.createElement('li')))
    this.#frame.stage.before(this.#steps)
    this.#left.setAttribute('role', 'timer')
    this.#link.rel = 'noopener noreferrer'
    // On other devices, there may be no app, so the page stays open.
    if (!phone) this.#link.target = '_blank'
    this.#frame.actions.append(this.#link, this.#frame.renew, this.#frame.toggle)
  }

  /** Whether the link is shown instead of the code, so that the app is on this phone. */
  get isHere(): boolean {
    return !this.#frame.showsCode
  }

  /** Sets the texts, the app's name that some of them contain, and whether users scan with the phone's camera. */
  word(wording: Wording<Texts> | null, app: string, camera: boolean): void {
    this.#wording = wording
    this.#app = app
    this.#camera = camera
    this.#draw()
  }

  show(sight: Sight): void {
    const before: Sight = { ...this.#sight, endsAt: sight.endsAt }
    const timed = (this.#sight.endsAt === null) === (sight.endsAt === null)
    this.#sight = sight
    // Each poll measures the time left, which changes nothing else.
    if (timed && isSame(sight, before)) this.#tick()
    else this.#draw()
  }

  #draw(): void {
    const { phone, renew, showsCode, toggle } = this.#frame
    const texts = this.#wording?.texts ?? ENGLISH.login
    const given = this.#here.given()
    const text = (name: keyof Texts) => {
      const meant = (showsCode ? null : HERE[name]) ?? (given ? APPROVAL[name] : null) ?? name
      return this.#camera ? texts[CAMERA[meant] ?? meant] : textOf(texts, this.#app, meant, NAMED)
    }
    const { endsAt, next, phase, reason, triesLeft, trouble, url } = this.#sight
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
      next,
      trouble,
    }, () => {
      this.#steps.hidden = !code
      for (const [index, step] of STEPS.entries()) say(this.#steps.children[index] as Element, text(step))
      this.#left.hidden = endsAt === null || trouble !== null
      this.#tick()
      const wrong = triesLeft === null ? '' : text(triesLeft > 1 ? 'checkCodeWrong' : 'checkCodeLast')
      this.#form.draw(types, text('checkCodeSend'), wrong)

      this.#link.hidden = !waits
      if (waits) this.#link.href = url
      else this.#link.removeAttribute('href')
      say(this.#link, text(phone ? 'openApp' : 'openHere'))
      this.#link.className = phone ? 'main' : 'plain'
      toggle.hidden = !waits || !phone
      renew.hidden = (!code && again === undefined) || !this.#here.renewable()
      say(renew, text(again ?? 'renew'))
      renew.className = again === undefined || types || phase === 'scanned' || next ? '' : 'main'
    })
    if (asks && this.#frame.mayFocus) this.#form.focus()
  }

  #tick(): void {
    this.#stopTicking()
    const { endsAt } = this.#sight
    if (endsAt === null) return
    const left = endsAt - pageClock.now()
    drawTime(this.#left, (this.#wording?.texts ?? ENGLISH.login).left, left)
    if (left > 0) this.#stopTicking = pageClock.after(left % 1_000 || 1_000, () => this.#tick())
  }
}
