import { randomToken } from './bytes.ts'
import { pageClock } from './clock.ts'
import { isPhone } from './device.ts'
import type { CountersignEventMap, ErrorDetail, Fault, Told } from './events.ts'
import { plainIdentity, sealedIdentity } from './identity.ts'
import { Keeper } from './keeper.ts'
import { languageOf, wordingFor, type Wording } from './languages.ts'
import { Login, type Sight } from './login.ts'
import { remedyFor } from './remedies.ts'
import { Service } from './service.ts'
import type { Texts } from './texts.ts'
import { View } from './view.ts'

/** The element's settings, compared as a text. */
interface Settings {
  readonly appKey: string
  readonly service: string
  /** Whether to log in without encryption where the browser provides no cryptography. */
  readonly allowUnencrypted: boolean
}

/** Maximum time from a failed request to the report that a policy forbade it, in ms. */
const POLICY_DELAY = 250

// Makes it safe to import this without a page, as in server-side rendering.
const Base = (globalThis.HTMLElement ?? Object) as typeof HTMLElement

/**
 * `<countersign-login app-key="..." service="https://...">`: logs a user in with their phone.
 *
 * Attributes: `app-key`; `service`, by default the origin of this script; `app-name`, which the
 * texts use; `lang`, their language; `allow-unencrypted`, for pages to which browsers provide no
 * cryptography.
 */
export class CountersignLogin extends Base {
  static readonly observedAttributes = ['allow-unencrypted', 'app-key', 'app-name', 'lang', 'service']

  #view: View | undefined
  #login: Login | undefined
  /** The settings of the present login. */
  #settings = ''
  #settling = false
  /** The texts that the page has set. */
  #ownTexts: Readonly<Partial<Texts>> = {}
  #link: string | null = null
  #error: ErrorDetail | null = null
  #unreachable = false
  /** Whether a listener for `error` was added to the element. */
  #listened = false
  /**
   * The `error` event that occurred before that. An element usually starts before the script of its page
   * listens, so the first listeners still get the event.
   */
  #missed: CustomEvent<ErrorDetail> | null = null
  #stopListening = () => {}
  #stopWatchingPage = () => {}

  /** The element's texts. Set some or all of them; the others stay as they are. */
  get texts(): Readonly<Texts> {
    return this.#wording().texts
  }

  set texts(texts: Readonly<Partial<Texts>>) {
    this.#ownTexts = { ...texts }
    this.#reword()
  }

  /**
   * The link in the code or behind the button while a code waits to be scanned; otherwise `null`.
   * It is visible to everybody near the screen. Whoever opens it is asked whether to confirm.
   */
  get link(): string | null {
    return this.#link
  }

  /** The error that keeps the login from working at present; otherwise `null`. */
  get error(): ErrorDetail | null {
    return this.#error
  }

  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void {
    super.addEventListener(type, listener, options)
    if (type !== 'error') return
    this.#listened = true
    const missed = this.#missed
    if (!missed) return
    queueMicrotask(() => {
      this.#missed = null
      if (this.#error !== missed.detail) return
      if (typeof options === 'object' && options.once) this.removeEventListener(type, listener, options)
      if (typeof listener === 'function') listener.call(this, missed)
      else listener.handleEvent(missed)
    })
  }

  /**
   * Gives up the present login, tells the service, and dispatches `cancelled`. Has no effect
   * without a login.
   */
  cancel(): void {
    this.#login?.input({ type: 'cancel' })
  }

  /** Starts again with a fresh code, in any state. */
  refresh(): void {
    if (!this.#login) return
    const fault = this.#fault()
    this.#login.input(fault ? { type: 'fail', error: fault } : { type: 'begin' })
  }

  /** Shows that the page accepted the login, after it prevented the default of `confirmed`. */
  accept(): void {
    this.#login?.input({ type: 'accept' })
  }

  /**
   * Shows that the page did not accept the login, and offers a new code. `text` tells the user why, in the
   * page's language. Works after `confirmed`.
   */
  reject(text = ''): void {
    this.#login?.input({ type: 'reject', reason: text.trim() })
  }

  connectedCallback(): void {
    // A page may have set the property before this script was loaded.
    if (Object.hasOwn(this, 'texts')) {
      const { texts } = this
      Reflect.deleteProperty(this, 'texts')
      this.texts = texts
    }
    this.#view ??= new View(
      this.attachShadow({ mode: 'open' }),
      this.#wording(),
      isPhone(),
      () => this.refresh(),
      (code) => this.#login?.input({ type: 'typed', code }),
    )
    const page = new MutationObserver(() => this.#reword())
    page.observe(document.documentElement, { attributeFilter: ['lang'] })
    this.#stopWatchingPage = () => page.disconnect()
    this.#reword()
    this.#settle()
  }

  disconnectedCallback(): void {
    this.#stopWatchingPage()
    this.#settle()
  }

  attributeChangedCallback(): void {
    this.#reword()
    this.#settle()
  }

  #wording(): Wording {
    const app = this.getAttribute('app-name')?.trim() ?? ''
    return wordingFor(languageOf(this), app, this.#ownTexts)
  }

  #reword(): void {
    if (this.#view) this.#view.wording = this.#wording()
  }

  /**
   * Starts, ends or restarts after all synchronous changes: moving an element within its page does
   * not restart it, and setting two attributes starts it once.
   */
  #settle(): void {
    if (this.#settling) return
    this.#settling = true
    queueMicrotask(() => {
      this.#settling = false
      const settings = this.isConnected ? JSON.stringify(this.#read()) : ''
      if (settings === this.#settings) return
      this.#settings = settings
      this.#stopListening()
      this.#login?.input({ type: 'stop' })
      this.#login = undefined
      if (this.isConnected) this.#begin()
    })
  }

  #read(): Settings {
    const origin = new URL(import.meta.url).origin
    const service = this.getAttribute('service')
    return {
      appKey: this.getAttribute('app-key')?.trim() ?? '',
      service: service ? address(service) : origin,
      allowUnencrypted: this.hasAttribute('allow-unencrypted'),
    }
  }

  #fault(): Fault | null {
    const { allowUnencrypted, appKey, service } = this.#read()
    if (!appKey) return { code: 'app_key_missing', message: 'The attribute app-key is missing.' }
    if (!/^https?:/.test(service)) {
      return { code: 'bad_service', message: 'The attribute service is missing or not a URL.' }
    }
    if (!hasCryptography() && !allowUnencrypted) {
      const message = 'The browser provides no cryptography, as the page was not loaded over https.'
      return { code: 'insecure_context', message }
    }
    return null
  }

  #begin(): void {
    const { allowUnencrypted, appKey, service } = this.#read()
    const keeper = new Keeper(`${service} ${appKey}`)
    const login = new Login({
      service: new Service(service, appKey, pageClock),
      clock: pageClock,
      random: Math.random,
      // Decided by what the browser provides, never by a failure: a key that fails is an error.
      newIdentity: async () => (
        allowUnencrypted && !hasCryptography() ? plainIdentity() : sealedIdentity(appKey, location.origin)
      ),
      takeKept: () => keeper.take(),
      keep: (identity) => keeper.keep(identity),
      newReceipt: randomToken,
      connect: (url) => new WebSocket(url),
      origin: location.origin,
      online: () => navigator.onLine,
      show: (sight) => this.#show(sight),
      tell: (event) => this.#tell(event),
    }, isVisible())
    this.#login = login
    const seen = () => login.visibilityChanged(isVisible())
    const network = () => login.networkChanged()
    document.addEventListener('visibilitychange', seen)
    const policy = ({ blockedURI, disposition }: SecurityPolicyViolationEvent) => {
      if (disposition === 'report' || !blockedURI.startsWith(`${service}/qr-sessions`)) return
      const message = 'The page\'s content security policy forbids requests to the service.'
      login.input({ type: 'fail', error: { code: 'blocked_by_policy', message } })
    }
    // A page cannot tell a reload from another way to leave. A kept login goes on or expires.
    const left = ({ persisted }: PageTransitionEvent) => {
      if (!persisted && !keeper.kept) login.input({ type: 'stop' })
    }
    addEventListener('pagehide', left)
    document.addEventListener('securitypolicyviolation', policy)
    addEventListener('online', network)
    addEventListener('offline', network)
    this.#stopListening = () => {
      document.removeEventListener('visibilitychange', seen)
      document.removeEventListener('securitypolicyviolation', policy)
      removeEventListener('pagehide', left)
      removeEventListener('online', network)
      removeEventListener('offline', network)
    }
    this.refresh()
  }

  #show(sight: Sight): void {
    this.#link = sight.url
    this.#unreachable = sight.trouble === 'unreachable'
    if (this.#unreachable) {
      // A request that a policy forbids fails like any other; only then does the browser name the policy.
      setTimeout(() => {
        if (!this.#unreachable || this.#error !== null) return
        this.#report({ code: 'unreachable', message: 'The service does not answer.' })
      }, POLICY_DELAY)
    } else if (sight.phase !== 'failed') {
      this.#error = null
    }
    this.#view?.show(sight)
  }

  #tell({ name, detail }: Told): boolean {
    const init = { bubbles: true, composed: true, cancelable: name === 'confirmed' }
    if (name !== 'error') return !this.dispatchEvent(new CustomEvent(name, { ...init, detail }))
    const event = new CustomEvent(name, { ...init, detail: this.#report(detail) })
    if (!this.#listened) this.#missed = event
    return !this.dispatchEvent(event)
  }

  /** Keeps an error and writes it to the console, with its remedy. */
  #report(fault: Fault): ErrorDetail {
    const remedy = remedyFor(fault.code, { origin: location.origin, service: this.#read().service })
    console.error(`<countersign-login> ${fault.code}: ${fault.message} ${remedy}`)
    this.#error = { ...fault, remedy }
    return this.#error
  }
}

export interface CountersignLogin {
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

/** Returns an absolute URL without a trailing slash; leaves anything else unchanged. */
function address(text: string): string {
  try {
    return new URL(text, document.baseURI).href.replace(/\/+$/, '')
  } catch {
    return text
  }
}

/** Whether the browser provides WebCrypto, which it does only to pages loaded over https. */
function hasCryptography(): boolean {
  return Boolean((globalThis.crypto as Partial<Crypto> | undefined)?.subtle)
}

function isVisible(): boolean {
  return document.visibilityState === 'visible'
}
