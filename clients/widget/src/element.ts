import { pageClock } from './clock.ts'
import { newKeys } from './crypto.ts'
import { isPhone } from './device.ts'
import type { CountersignEventMap, ErrorDetail, Told } from './events.ts'
import { Login } from './login.ts'
import { Service } from './service.ts'
import { ENGLISH, type Texts } from './texts.ts'
import { View } from './view.ts'

/** What the element is set up with; compared as a text. */
interface Settings {
  readonly appKey: string
  readonly service: string
}

// Importing this where there is no page, as when one is rendered on a server, does no harm.
const Base = (globalThis.HTMLElement ?? Object) as typeof HTMLElement

/**
 * `<countersign-login app-key="..." service="https://...">`: logs a person in by their phone.
 *
 * Attributes: `app-key`; `service`, by default the origin that this script came from;
 * `require-encryption`, which refuses a payload that the service could read.
 */
export class CountersignLogin extends Base {
  static readonly observedAttributes = ['app-key', 'service']

  #view: View | undefined
  #login: Login | undefined
  /** What the login under way was begun with. */
  #settings = ''
  #settling = false
  #texts: Texts = ENGLISH
  #link: string | null = null
  #stopListening = () => {}

  /** Everything that the element says. Set some or all of them; the others stay English. */
  get texts(): Readonly<Texts> {
    return this.#texts
  }

  set texts(texts: Readonly<Partial<Texts>>) {
    this.#texts = { ...ENGLISH, ...texts }
    if (this.#view) this.#view.texts = this.#texts
  }

  /** What the code says, or where the button leads, while a code waits to be scanned; else `null`.
   * It is on the screen for all to see. Whoever opens it is asked whether to confirm. */
  get link(): string | null {
    return this.#link
  }

  /** Gives up what is under way, tells the service, and dispatches `cancelled`. Without effect
   * where nothing is under way. */
  cancel(): void {
    this.#login?.input({ type: 'cancel' })
  }

  /** Begins anew with a fresh code, whatever was before. */
  refresh(): void {
    if (!this.#login) return
    const fault = this.#fault()
    this.#login.input(fault ? { type: 'fail', error: fault } : { type: 'begin' })
  }

  connectedCallback(): void {
    // A page may have set the property before this script was there.
    if (Object.hasOwn(this, 'texts')) {
      const { texts } = this
      Reflect.deleteProperty(this, 'texts')
      this.texts = texts
    }
    this.#view ??= new View(
      this.attachShadow({ mode: 'open' }),
      this.#texts,
      isPhone(),
      () => this.refresh(),
    )
    this.#settle()
  }

  disconnectedCallback(): void {
    this.#settle()
  }

  attributeChangedCallback(): void {
    this.#settle()
  }

  /** Begins, ends or begins anew, once all changes of the moment are made: an element that is moved
   * within its page goes on, and two attributes make one beginning. */
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
    }
  }

  #fault(): ErrorDetail | null {
    const { appKey, service } = this.#read()
    if (!appKey) return { code: 'app_key_missing', message: 'The attribute app-key is missing.' }
    if (!/^https?:/.test(service)) {
      return { code: 'bad_service', message: 'The attribute service is missing or no address.' }
    }
    if (!globalThis.isSecureContext) {
      return { code: 'insecure_context', message: 'The page did not come over https.' }
    }
    return null
  }

  #begin(): void {
    const { appKey, service } = this.#read()
    const login = new Login({
      service: new Service(service, appKey, pageClock),
      clock: pageClock,
      random: Math.random,
      newKeys,
      connect: (url) => new WebSocket(url),
      origin: location.origin,
      online: () => navigator.onLine,
      mustBeEncrypted: () => this.hasAttribute('require-encryption'),
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

/** An absolute address without a final slash; what is none is left as it is. */
function address(text: string): string {
  try {
    return new URL(text, document.baseURI).href.replace(/\/+$/, '')
  } catch {
    return text
  }
}

function isVisible(): boolean {
  return document.visibilityState === 'visible'
}
