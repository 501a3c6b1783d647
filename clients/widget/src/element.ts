import { CountersignElement } from './base.ts'
import { randomToken } from './bytes.ts'
import { pageClock } from './clock.ts'
import { isPhone } from './device.ts'
import type { CountersignEventMap, Fault } from './events.ts'
import { plainIdentity, sealedIdentity } from './identity.ts'
import { Keeper } from './keeper.ts'
import type { Wording } from './languages.ts'
import { Login, type Sight } from './login.ts'
import { readNext, type Next } from './next.ts'
import { isShown, watchPage } from './page.ts'
import { isReturn, returnUrl, unlist, waitingReturn } from './return.ts'
import { Service } from './service.ts'
import { address } from './service-url.ts'
import { givenLogin } from './session.ts'
import { OwnServer } from './start.ts'
import type { Texts } from './texts.ts'
import { View } from './view.ts'

/** Time for a page without an app key to set a session, in ms. */
const SESSION_DELAY = 5_000

/** The element's settings, compared as text. */
interface Settings {
  readonly appKey: string
  readonly service: string
  /** Whether to log in without encryption if the browser provides no cryptography. */
  readonly allowUnencrypted: boolean
  /** A route of the page's own server that opens the logins; `null` if the page opens them. */
  readonly start: string | null
  /** Number of sessions that the page has set, if one is to be shown. */
  readonly given: number
}

/**
 * `<countersign-login app-key="..." service="https://...">`: logs a user in with their phone.
 *
 * Attributes: `app-key`; `service`, by default the origin of this script; `start`, a route of the page's own server
 * that opens the logins; `app-name`, which the texts use; `scan-with="camera"`, for users without the app; `lang`, the
 * language of the texts; `allow-unencrypted`, for pages to which browsers provide no cryptography. A page whose server
 * opened a login, as for an approval, sets `session` instead of `app-key`.
 */
export class CountersignLogin extends CountersignElement<'login'> {
  static readonly observedAttributes = ['allow-unencrypted', 'app-key', 'app-name', 'lang', 'scan-with', 'service', 'session', 'start', 'start-options', 'texts']

  /** @internal */
  protected override readonly kind = 'login'
  #view: View | undefined
  #login: Login | undefined
  #link: string | null = null
  #session: unknown = null
  #sessions = 0
  /** Whether the time ran out before a phone opened the code. */
  #expired = false

  /** Whether to log in without encryption if the browser provides no cryptography. Only `true` enables it. */
  get allowUnencrypted(): boolean {
    return this.isOn('allow-unencrypted')
  }

  set allowUnencrypted(allow: boolean) {
    // A text, such as `false`, is interpreted like the attribute's value.
    const value: unknown = allow
    if (value === null || value === undefined || value === false) this.removeAttribute('allow-unencrypted')
    else this.setAttribute('allow-unencrypted', value === true ? '' : String(value))
  }

  /**
   * The login that the page's server opened, as JSON in the attribute; the server's library calls it `session`.
   */
  get session(): unknown {
    return this.#session
  }

  set session(session: unknown) {
    this.#session = session ?? null
    this.#sessions += 1
    this.settle()
  }

  /**
   * The link in the code or behind the button while a code can be scanned; otherwise `null`. It is visible to
   * everyone near the screen. A phone that opens it asks whether to confirm.
   */
  get link(): string | null {
    return this.#link
  }

  /**
   * Cancels the current login, tells the service, and dispatches `cancelled`. Has no effect without a login.
   */
  cancel(): void {
    this.#login?.input({ type: 'cancel' })
  }

  /**
   * Starts again with a new code, in any state. With `session`, it dispatches `renew` if the element has a listener for
   * it.
   */
  refresh(): void {
    if (!this.#login) return
    if (this.#session !== null) {
      if (!this.listens('renew')) return
      this.#login.input({ type: 'stop' })
      this.tell({ name: 'renew', detail: null })
      return
    }
    this.#start()
  }

  /** Shows that the page accepted the login, after the page prevented the default of `confirmed`. */
  accept(): void {
    this.#login?.input({ type: 'accept' })
  }

  /**
   * Shows that the page did not accept the login, and offers a new code. `text` tells the user why, in the
   * page's language, and `next` offers a link. Works after `confirmed`.
   */
  reject(text = '', next?: Next): void {
    this.#login?.input({ type: 'reject', reason: text.trim(), next: readNext(next) })
  }

  /** @internal */
  protected override word(wording: Wording<Texts> | null): void {
    this.#view ??= new View(
      this.attachShadow({ mode: 'open' }),
      {
        phone: isPhone(),
        given: () => this.#session !== null,
        renewable: () => this.#session === null || this.listens('renew'),
      },
      () => this.refresh(),
      (code) => this.#login?.input({ type: 'typed', code }),
    )
    this.#view.word(wording, this.read('app-name')?.trim() ?? '', this.#camera)
  }

  /** @internal */
  protected override settings(): string {
    return JSON.stringify(this.#read())
  }

  /** @internal */
  protected override asked(): string {
    return `${this.#read().service}/qr-sessions`
  }

  /** Whether users scan the code with the phone's camera instead of the app. */
  get #camera(): boolean {
    const means = this.read('scan-with')
    if (means && means !== 'app' && means !== 'camera') this.unreadable('scan-with', means)
    return means === 'camera'
  }

  #read(): Settings {
    const origin = new URL(import.meta.url).origin
    const service = this.read('service')
    return {
      appKey: this.read('app-key')?.trim() ?? '',
      service: service ? address(service) : origin,
      allowUnencrypted: this.isOn('allow-unencrypted'),
      start: this.startKey,
      given: this.#session === null ? 0 : this.#sessions,
    }
  }

  #fault(): Fault | null {
    const { allowUnencrypted, appKey, given, service } = this.#read()
    if (!appKey && !given) return { code: 'app_key_missing', message: 'The attribute app-key is missing, and the page has set no session.' }
    if (!/^https?:/.test(service)) {
      return { code: 'bad_service', message: 'The attribute service is missing or not a URL.' }
    }
    if (given) return null
    const fault = this.pageFault()
    if (fault) return fault
    if (!hasCryptography() && !allowUnencrypted) {
      const message = 'The browser provides no cryptography, as the page was not loaded over https.'
      return { code: 'insecure_context', message }
    }
    return null
  }

  /** @internal */
  protected override begin(): () => void {
    const { allowUnencrypted, appKey, given, service: base, start } = this.#read()
    const keeper = new Keeper(`${base} ${appKey}`)
    const returned = waitingReturn()
    const service = new Service(base, appKey, pageClock, start === null ? null : new OwnServer(pageClock, () => this.starting()))
    const login = new Login({
      service,
      clock: pageClock,
      random: Math.random,
      // Decided by the features of the browser, never by a failure: a key that fails is an error.
      newIdentity: async () => (
        allowUnencrypted && !hasCryptography() ? plainIdentity() : sealedIdentity(appKey, location.origin)
      ),
      takeKept: (now) => keeper.take(now ?? returned),
      // Without storage, the returning page would find nothing, and a frame's storage is not that of a tab.
      returnUrl: () => (keeper.works && this.#view?.isHere && self === top ? returnUrl(location) : null),
      returnRefused: (url, fault) => {
        unlist(url)
        this.report(fault)
      },
      keep: (identity) => keeper.keep(identity),
      newReceipt: randomToken,
      connect: (url) => new WebSocket(url),
      origin: location.origin,
      online: () => navigator.onLine,
      show: (sight) => this.#show(sight),
      tell: (event) => this.tell(event),
      ...(given ? givenLogin(service, this.#session, pageClock.now) : {}),
    }, isShown(this.panel), given > 0)
    this.#login = login
    const stopWatching = watchPage(this.panel, {
      seen: () => login.visibilityChanged(isShown(this.panel)),
      opened: () => {
        if (this.#expired) this.refresh()
      },
      network: () => login.networkChanged(),
      moved: () => {
        const back = waitingReturn()
        if (back && !given) void login.appReturned(back)
      },
      blocked: (url) => {
        if (!url.startsWith(this.asked())) return
        const message = 'The page\'s content security policy forbids requests to the service.'
        login.input({ type: 'fail', error: { code: 'blocked_by_policy', message } })
      },
      // A stored login continues after a reload. It is also kept if the page becomes the target of its own
      // link.
      left: (to) => {
        const away = to && !isReturn(to) && to !== (this.#link && new URL(this.#link).href)
        if (!keeper.kept || away) login.input({ type: 'stop' })
      },
    })
    this.#start()
    return () => {
      stopWatching()
      keeper.release()
      login.input({ type: 'stop' })
      this.#login = undefined
    }
  }

  #start(): void {
    const login = this.#login
    const start = () => {
      const fault = this.#fault()
      login?.input(fault ? { type: 'fail', error: fault } : { type: 'begin' })
    }
    if (this.#session !== null || this.hasAttribute('app-key')) return start()
    // A page that sets sessions may set one later.
    setTimeout(() => {
      if (this.#login === login && this.#sessions === 0 && !this.listens('renew')) start()
    }, SESSION_DELAY)
  }

  #show(sight: Sight): void {
    this.#link = sight.url
    this.#expired = sight.phase === 'expired'
    this.follow(sight.trouble === 'unreachable' || sight.trouble === 'stuck', sight.phase !== 'failed')
    this.#view?.show(sight)
  }
}

export interface CountersignLogin {
  /** The attribute `app-key`. */
  appKey: string | null
  /** The attribute `app-name`. */
  appName: string | null
  /** The attribute `scan-with`. */
  scanWith: 'app' | 'camera' | null
  /** The attribute `service`. */
  service: string | null
  addEventListener<Name extends keyof CountersignEventMap>(
    type: Name,
    listener: (this: CountersignLogin, event: CountersignEventMap[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void
}

/** Whether the browser provides WebCrypto, which it does only to pages loaded over https. */
function hasCryptography(): boolean {
  return Boolean((globalThis.crypto as Partial<Crypto> | undefined)?.subtle)
}
