import { CountersignElement } from './base.ts'
import { pageClock } from './clock.ts'
import { isPhone } from './device.ts'
import type { PhoneEventMap } from './events.ts'
import { keepNumber, keptNumber } from './kept-number.ts'
import { languageOf, type Wording } from './languages.ts'
import { isShown, isVisible, watchPage } from './page.ts'
import { readNext, type Next } from './next.ts'
import { Phone, type PhonePhase, type PhoneSight } from './phone.ts'
import { read, standing, start, type TypedNumber } from './phone-service.ts'
import { PhoneView } from './phone-view.ts'
import { Refusal } from './refusal.ts'
import { OwnServer } from './start.ts'
import type { PhoneTexts } from './texts.ts'

/**
 * `<countersign-phone start="/sign-up/phone">`: verifies a phone number with a text that the user sends.
 *
 * Attributes: `start`, a route of the page's own server that starts a confirmation; `mode="confirm"`, which asks the
 * user for the number to confirm; `country`, the probable country of that number; `app-name`, which the texts use;
 * `lang`, their language. A page that already has a confirmation sets the property `session` instead.
 */
export class CountersignPhone extends CountersignElement<'phone'> {
  static readonly observedAttributes = ['app-name', 'country', 'lang', 'mode', 'session', 'start', 'start-options', 'texts']

  /** @internal */
  protected override readonly kind = 'phone'
  #view: PhoneView | undefined
  #phone: Phone | undefined
  #session: unknown = null
  /** Number of sessions that the page has set. */
  #sessions = 0
  /** Whether to show the page's session instead of starting another. */
  #given = false
  /** Whether to start as soon as the element is visible. */
  #due = false
  /** The number to confirm. */
  #number: TypedNumber | null = null
  #phase: PhonePhase = 'starting'
  #statusUrl = ''
  /** The last URL that the page's policy blocked. */
  #blockedUrl = ''

  /** The confirmation that the page's script has: the unchanged answer of `POST /acquire-phone-number`. */
  get session(): unknown {
    return this.#session
  }

  set session(session: unknown) {
    this.#session = session ?? null
    this.#given = this.#session !== null
    this.#sessions += 1
    this.settle()
  }

  /** Starts again with a new confirmation, in any state. Without `start`, it dispatches `renew` if the page listens. */
  refresh(): void {
    if (!this.#phone) return
    if (this.start === null) {
      if (!this.listens('renew')) return
      this.#phone.await()
      this.tell({ name: 'renew', detail: null })
      return
    }
    this.#given = this.#due = false
    if (this.#confirms) this.#phone.ask()
    else this.#phone.begin()
  }

  /** Shows that the page accepted the number, after the page prevented the default of `verified`. */
  accept(): void {
    this.#phone?.accept()
  }

  /**
   * Shows that the page did not accept the number. `text` tells the user why, and `next` what to do, in the page's
   * language: a link, such as to a login if the number already has an account.
   */
  reject(text = '', next?: Next): void {
    this.#phone?.reject(text.trim(), readNext(next))
  }

  /** @internal */
  protected override word(wording: Wording<PhoneTexts> | null): void {
    this.#view ??= new PhoneView(this.attachShadow({ mode: 'open' }), {
      phone: isPhone(),
      // Apple's form of the link differs from the standard's.
      link: /iPhone|iPad|iPod|Macintosh/.test(navigator.userAgent) ? 'ios' : 'sms',
      renewable: () => this.start !== null || this.listens('renew'),
      language: () => languageOf(this),
      confirms: () => this.#confirms,
      country: () => this.#country,
    }, {
      renew: () => this.refresh(),
      confirm: (number) => {
        this.#number = number
        this.#phone?.begin()
      },
    })
    this.#view.word(wording, this.read('app-name')?.trim() ?? '')
  }

  /** @internal */
  protected override settings(): string {
    return JSON.stringify([this.startKey, this.#sessions, this.#confirms])
  }

  /** @internal */
  protected override asked(): string {
    return this.#statusUrl || (this.read('start') ?? location.href)
  }

  /** @internal */
  protected override begin(): () => void {
    const server = new OwnServer(pageClock, () => this.starting())
    const phone = new Phone({
      clock: pageClock,
      random: Math.random,
      start: async () => {
        if (this.#given) return read(this.#session)
        const fault = this.pageFault()
        if (fault) throw new Refusal(fault.code, fault.message, { status: 200 })
        return start(server, this.#confirms ? this.#number : null)
      },
      standing: (client, last) => standing(pageClock, client, last),
      connect: (url) => new WebSocket(url),
      online: () => navigator.onLine,
      show: (sight) => this.#show(sight),
      tell: (event) => this.tell(event),
      report: (fault) => this.report(fault),
    })
    this.#phone = phone
    const stopWatching = watchPage(this.panel, {
      seen: () => {
        if (this.#due && isShown(this.panel)) {
          this.#due = false
          phone.begin()
        } else if (isVisible()) {
          phone.returned()
        }
      },
      opened: () => {
        if (this.#phase === 'expired' && isVisible()) this.refresh()
      },
      network: () => phone.networkChanged(),
      blocked: (url) => {
        const asked = this.#statusUrl
        // Each poll is blocked.
        if (!asked || !url.startsWith(asked) || asked === this.#blockedUrl) return
        this.#blockedUrl = asked
        const message = 'The page\'s content security policy forbids requests to the service.'
        this.report({ code: 'blocked_by_policy', message })
      },
    })
    // A page may set the session later. A confirmation that has been started can already be watched.
    // Everything else waits until the element is visible.
    this.#due = false
    this.#number = this.#given ? null : keptNumber(this.#keptName)
    if (this.#given) {
      phone.begin()
    } else if (this.start !== null) {
      if (this.#confirms && !this.#number) phone.ask()
      else if (isShown(this.panel)) phone.begin()
      else this.#due = true
    }
    return () => {
      stopWatching()
      phone.stop()
      this.#phone = undefined
    }
  }

  #show(sight: PhoneSight): void {
    const { confirmation, phase, trouble } = sight
    this.#statusUrl = confirmation?.client?.statusUrl ?? ''
    const blocked = this.#statusUrl !== '' && this.#statusUrl === this.#blockedUrl
    this.follow(trouble === 'unreachable' || trouble === 'stuck', phase !== 'failed' && confirmation?.client !== null && !blocked)
    if (this.#phase !== phase) {
      this.#phase = phase
      if (phase === 'open') keepNumber(this.#keptName, this.#number, sight.left)
      // A page that is deciding may still be reloaded. The other phases are final.
      else if (!['starting', 'ending', 'checking'].includes(phase)) keepNumber(this.#keptName, null)
    }
    this.#view?.show(sight)
  }

  /** Whether the user types the number to confirm. */
  get #confirms(): boolean {
    const mode = this.read('mode')
    if (mode && mode !== 'confirm') this.unreadable('mode', mode)
    return mode === 'confirm'
  }

  /** The initial country of the number. */
  get #country(): string {
    const country = this.read('country')?.trim() ?? ''
    if (/^[a-z]{2}$/i.test(country)) return country.toUpperCase()
    if (country) this.unreadable('country', country)
    return ''
  }

  /** The name of the number in the tab's storage. */
  get #keptName(): string {
    return `countersign-number ${this.startKey ?? ''}`
  }
}

export interface CountersignPhone {
  /** The attribute `app-name`. */
  appName: string | null
  /** The attribute `country`. */
  country: string | null
  /** The attribute `mode`. */
  mode: 'confirm' | null
  addEventListener<Name extends keyof PhoneEventMap>(
    type: Name,
    listener: (this: CountersignPhone, event: PhoneEventMap[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void
}
