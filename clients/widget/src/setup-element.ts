import { CountersignElement } from './base.ts'
import { pageClock } from './clock.ts'
import { isPhone } from './device.ts'
import type { SetupEventMap } from './events.ts'
import type { Wording } from './languages.ts'
import { isVisible, watchPage } from './page.ts'
import { Refusal } from './refusal.ts'
import { readRegistration, RegistrationService } from './registration.ts'
import { NO_SETUP, Setup, type SetupSight } from './setup.ts'
import { SetupView } from './setup-view.ts'
import { address } from './service-url.ts'
import type { SetupTexts } from './texts.ts'

/**
 * `<countersign-setup registration='{"registrationId":"phr_…","url":"…","pageToken":"…",…}'>`: sets a phone up as the web
 * authenticator of the user who is logged in.
 *
 * Attributes: `registration`, the answer of `POST /phone-registrations` to the page's server, as JSON; `service`, by default
 * the origin of this script; `lang`, the language of the texts.
 */
export class CountersignSetup extends CountersignElement<'setup'> {
  static readonly observedAttributes = ['lang', 'registration', 'service', 'texts']

  /** @internal */
  protected override readonly kind = 'setup'
  #view: SetupView | undefined
  #setup: Setup | undefined
  #registration: unknown = null
  /** Number of registrations that the page has set. */
  #registrations = 0

  /** The registration that the page's server started: the unchanged answer of `POST /phone-registrations`. */
  get registration(): unknown {
    return this.#registration
  }

  set registration(registration: unknown) {
    this.#registration = registration ?? null
    this.#registrations += 1
    this.settle()
  }

  /** Dispatches `renew`, for a page that then sets another registration. */
  refresh(): void {
    if (!this.listens('renew')) return
    this.#setup?.stop()
    this.#show(NO_SETUP)
    this.tell({ name: 'renew', detail: null })
  }

  /** Ends the registration, also at the service. */
  cancel(): void {
    void this.#setup?.cancel()
  }

  /** @internal */
  protected override word(wording: Wording<SetupTexts> | null): void {
    this.#view ??= new SetupView(this.attachShadow({ mode: 'open' }), isPhone(), () => this.listens('renew'), {
      cancel: () => this.cancel(),
      renew: () => this.refresh(),
      typed: (digits) => void this.#setup?.type(digits),
    })
    this.#view.word(wording)
  }

  /** @internal */
  protected override settings(): string {
    return JSON.stringify([this.#service, this.#registrations])
  }

  /** @internal */
  protected override asked(): string {
    return `${this.#service}/phone-registrations`
  }

  get #service(): string {
    const service = this.read('service')
    return service ? address(service) : new URL(import.meta.url).origin
  }

  /** @internal */
  protected override begin(): () => void {
    if (this.#registration === null) {
      this.#show(NO_SETUP)
      return () => {}
    }
    try {
      return this.#follow()
    } catch (error) {
      const { code, message } = error as Refusal
      this.#show({ ...NO_SETUP, phase: 'failed' })
      this.tell({ name: 'error', detail: { code, message } })
      return () => {}
    }
  }

  #follow(): () => void {
    const fault = this.pageFault()
    if (fault) throw new Refusal(fault.code, fault.message)
    if (!/^https?:/.test(this.#service)) throw new Refusal('bad_service', 'The attribute service is missing or not a URL.')
    const registration = readRegistration(this.#registration)
    const setup = new Setup(registration, {
      clock: pageClock,
      random: Math.random,
      service: new RegistrationService(this.#service, registration, pageClock),
      online: () => navigator.onLine,
      show: (sight) => this.#show(sight),
      tell: (event) => this.tell(event),
    })
    this.#setup = setup
    const stopWatching = watchPage(this.panel, {
      seen: () => { if (isVisible()) setup.returned() },
      opened: () => {},
      network: () => setup.networkChanged(),
      blocked: (url) => {
        if (!url.startsWith(this.asked()) || this.error?.code === 'blocked_by_policy') return
        this.report({ code: 'blocked_by_policy', message: 'The page\'s content security policy forbids requests to the service.' })
      },
    })
    return () => {
      stopWatching()
      setup.stop()
      this.#setup = undefined
    }
  }

  #show(sight: SetupSight): void {
    this.follow(sight.trouble === 'unreachable' || sight.trouble === 'stuck', sight.phase !== 'failed')
    this.#view?.show(sight)
  }
}

export interface CountersignSetup {
  /** The attribute `service`. */
  service: string | null
  addEventListener<Name extends keyof SetupEventMap>(
    type: Name,
    listener: (this: CountersignSetup, event: SetupEventMap[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void
}
