import { randomToken } from './bytes.ts'
import { pageClock } from './clock.ts'
import { isPhone } from './device.ts'
import type { CountersignEventMap, ErrorDetail, Told } from './events.ts'
import { plainIdentity, sealedIdentity } from './identity.ts'
import { languageOf, wordingFor, type Wording } from './languages.ts'
import { Login } from './login.ts'
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

  #fault(): ErrorDetail | null {
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
    const login = new Login({
      service: new Service(service, appKey, pageClock),
      clock: pageClock,
      random: Math.random,
      // Decided by what the browser provides, never by a failure: a key that fails is an error.
      newIdentity: async () => (
        allowUnencrypted && !hasCryptography() ? plainIdentity() : sealedIdentity(appKey, location.origin)
      ),
      newReceipt: randomToken,
      connect: (url) => new WebSocket(url),
      origin: location.origin,
      online: () => navigator.onLine,
      show: (sight) => {
        this.#link = sight.url
        this.#view?.show(sight)
      },
      tell: (event) => this.#tell(event),
    }, isVisible())
    this.#login = login
    const seen = () => login.visibilityChanged(isVisible())
    const network = () => login.networkChanged()
    document.addEventListener('visibilitychange', seen)
    addEventListener('online', network)
    addEventListener('offline', network)
    this.#stopListening = () => {
      document.removeEventListener('visibilitychange', seen)
      removeEventListener('online', network)
      removeEventListener('offline', network)
    }
    this.refresh()
  }

  #tell({ name, detail }: Told): void {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail }))
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
