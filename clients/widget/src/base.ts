import type { ErrorDetail, Fault } from './events.ts'
import { languageFor, languageOf, load, wordingIn, ENGLISH, type Wording } from './languages.ts'
import { takeEarly } from './members.ts'
import { remedyFor } from './remedies.ts'
import type { Start, Starter, StartOptions } from './start.ts'
import type { Words } from './texts.ts'
import { isText, readObject, readSwitch } from './values.ts'

/** Maximum time from a failed request to the report that a policy forbade it, in ms. */
const POLICY_DELAY = 250

/** Time for a listener to act on an outcome, in ms. */
const HEED_DELAY = 1_000

/** The events after which the page has to act. */
const OUTCOMES = ['confirmed', 'verified']

/** The properties that an attribute may contain, as JSON. */
const OBJECTS: Readonly<Record<string, string>> = { 'texts': 'texts', 'session': 'session', 'registration': 'registration', 'start-options': 'startOptions' }

// Makes it safe to import this without a page, as in server-side rendering.
const Base = (globalThis.HTMLElement ?? Object) as typeof HTMLElement

/** The common base of both elements: texts, errors, and a single start after any number of changes. */
export abstract class CountersignElement<Kind extends keyof Words> extends Base {
  /** The element's current settings. */
  #settings = ''
  #settling = false
  /** The texts that the page has set. */
  #ownTexts = {} as Readonly<Partial<Words[Kind]>>
  #starter: Starter | null = null
  /** Number of times that `start` was set. */
  #starters = 0
  #startOptions: StartOptions | null = null
  #error: ErrorDetail | null = null
  #unreachable = false
  /** Names of the events that listeners of the element itself wait for. */
  readonly #listened = new Set<string>()
  /** Messages that the developer has already seen. */
  readonly #warned = new Set<string>()
  /** Whether properties that the page set before this script was loaded have been adopted. */
  #upgraded = false
  /**
   * The `error` event that occurred before the page listened. An element usually starts before the page's
   * script listens, so the first listeners still receive the event.
   */
  #missed: CustomEvent<ErrorDetail> | null = null
  #end = () => {}
  #stopWatchingPage = () => {}

  /** @internal Whose texts the element has. */
  protected abstract readonly kind: Kind

  /** @internal Draws in a language; without words as long as there is none. */
  protected abstract word(wording: Wording<Words[Kind]> | null): void

  /** @internal Returns what restarts the element if it changes. */
  protected abstract settings(): string

  /** @internal Starts. Returns a function that ends it. */
  protected abstract begin(): () => void

  /** @internal Returns the URL that the element's requests go to. */
  protected abstract asked(): string

  /**
   * The element's texts. Set some or all of them; the others do not change. Texts in languages other than
   * English are loaded when needed, and are English until then.
   */
  get texts(): Readonly<Words[Kind]> {
    return this.#wording()?.texts ?? { ...ENGLISH[this.kind], ...this.#ownTexts }
  }

  set texts(texts: Readonly<Partial<Words[Kind]>>) {
    this.#ownTexts = { ...texts }
    this.#reword()
  }

  /** The route of the page's own server that starts, as in the attribute, or a function that starts. */
  get start(): string | Starter | null {
    return this.#starter ?? this.read('start')
  }

  set start(start: string | Starter | null) {
    this.#starter = typeof start === 'function' ? start : null
    this.#starters += 1
    if (typeof start === 'string') this.setAttribute('start', start)
    else if (!this.#starter) this.removeAttribute('start')
    this.settle()
  }

  /** Additions to the request to the route: headers, credentials and members of the body. */
  get startOptions(): StartOptions | null {
    return this.#startOptions
  }

  set startOptions(options: StartOptions | null) {
    this.#startOptions = options
  }

  /** @internal Changes with `start`. */
  protected get startKey(): string | null {
    return this.#starter ? `${this.#starters}` : this.read('start')
  }

  /** @internal */
  protected starting(): Start {
    const { start, startOptions } = this
    return typeof start === 'function' ? start : { ...startOptions, route: start ?? '' }
  }

  /** @internal What the element draws. */
  protected get panel(): Element {
    return this.shadowRoot?.firstElementChild ?? this
  }

  /** @internal Returns whether a listener of the element itself waits for an event. */
  protected listens(name: string): boolean {
    return this.#listened.has(name)
  }

  /** The error that currently keeps the element from working; otherwise `null`. */
  get error(): ErrorDetail | null {
    return this.#error
  }

  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void {
    super.addEventListener(type, listener, options)
    this.#listened.add(type)
    if (type !== 'error') return
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

  connectedCallback(): void {
    this.#upgrade()
    const page = new MutationObserver(() => this.#reword())
    page.observe(document.documentElement, { attributeFilter: ['lang'] })
    this.#stopWatchingPage = () => page.disconnect()
    this.#reword()
    this.settle()
  }

  disconnectedCallback(): void {
    this.#stopWatchingPage()
    this.settle()
  }

  attributeChangedCallback(name: string, _: string | null, value: string | null): void {
    this.#upgrade()
    const property = OBJECTS[name]
    if (property) {
      const object = value === null ? null : readObject(value)
      if (value === null || object) Reflect.set(this, property, object)
      else this.unreadable(name, value)
      return
    }
    this.#reword()
    this.settle()
  }

  /**
   * @internal Starts, ends or restarts after all synchronous changes: moving an element within its page does
   * not restart it, and setting two attributes starts it once.
   */
  protected settle(): void {
    if (this.#settling) return
    this.#settling = true
    queueMicrotask(() => {
      this.#settling = false
      const settings = this.isConnected ? this.settings() : ''
      if (settings === this.#settings) return
      this.#settings = settings
      this.#end()
      this.#end = this.isConnected ? this.begin() : () => {}
    })
  }

  /** @internal Returns an attribute's value; `null` if it is missing or no text. */
  protected read(name: string): string | null {
    const value = this.getAttribute(name)
    if (value === null || isText(value)) return value
    this.unreadable(name, value)
    return null
  }

  /** @internal Returns whether an attribute is on. Whatever cannot be read is off. */
  protected isOn(name: string): boolean {
    const value = this.getAttribute(name)
    const on = readSwitch(name, value)
    if (on === null) this.unreadable(name, value ?? '')
    return on ?? false
  }

  /** @internal Returns what keeps each element from working on this page; `null` if nothing does. */
  protected pageFault(): Fault | null {
    return self.origin === 'null' ? { code: 'no_origin', message: 'The page has no origin, as in a sandboxed frame.' } : null
  }

  /** @internal */
  ignored(name: string): void {
    this.#warn(`${name} cannot be set. It stays as it is.`)
  }

  /** @internal Follows what is shown: an error stays until it `works` again. */
  protected follow(unreachable: boolean, works: boolean): void {
    this.#unreachable = unreachable
    if (unreachable) {
      // A request that a policy forbids fails like any other; the browser names the policy only afterwards.
      setTimeout(() => {
        if (!this.#unreachable || this.#error !== null) return
        this.report({ code: 'unreachable', message: 'The service does not answer.' })
      }, POLICY_DELAY)
    } else if (works) {
      this.#error = null
    }
  }

  /** @internal Dispatches an event. Returns whether the page prevented its default. */
  protected tell({ name, detail }: { readonly name: string; readonly detail: unknown }): boolean {
    const init = { bubbles: true, composed: true, cancelable: name === 'confirmed' || name === 'verified' }
    if (OUTCOMES.includes(name)) return this.#tellOutcome(name, new CustomEvent(name, { ...init, detail }))
    if (name !== 'error') return !this.dispatchEvent(new CustomEvent(name, { ...init, detail }))
    const event = new CustomEvent(name, { ...init, detail: this.report(detail as Fault) })
    if (!this.#listened.has(name)) this.#missed = event
    // At the window, scripts that watch for errors would take it for a script error.
    const stop = () => event.stopPropagation()
    const { ownerDocument } = this
    ownerDocument.addEventListener(name, stop, { once: true })
    const prevented = !this.dispatchEvent(event)
    ownerDocument.removeEventListener(name, stop)
    return prevented
  }

  /**
   * Dispatches an outcome, and warns if nothing handles it: frameworks may drop listeners silently. Listeners on other
   * elements and on the document are recognized by the properties that they read.
   */
  #tellOutcome(name: string, event: CustomEvent<unknown>): boolean {
    const { detail } = event
    let heeded = this.#listened.has(name)
    Object.defineProperty(event, 'detail', {
      get: () => {
        heeded = true
        return detail
      },
    })
    const prevented = !this.dispatchEvent(event)
    setTimeout(() => {
      if (!heeded && !prevented) {
        this.#warn(`Nothing listens for the event ${name}. Add a listener to the element with addEventListener.`)
      }
    }, HEED_DELAY)
    return prevented
  }

  /**
   * Adopts the properties that a page set before this script was loaded, before attributes of the same name.
   */
  #upgrade(): void {
    if (this.#upgraded) return
    this.#upgraded = true
    takeEarly(this)
  }

  /** @internal Warns that an attribute has no effect. */
  protected unreadable(name: string, value: string): void {
    // A confirmation or a registration in an attribute contains a secret.
    const shown = isText(value) && (name === 'session' || name === 'registration') ? '…' : value
    this.#warn(`The attribute ${name}="${shown}" cannot be read. It has no effect: set the property or a text.`)
  }

  /** Writes a warning to the console, once. */
  #warn(text: string): void {
    if (this.#warned.has(text)) return
    this.#warned.add(text)
    console.warn(`<${this.localName}> ${text}`)
  }

  /** @internal Keeps an error and writes it to the console, with its remedy. */
  protected report(fault: Fault): ErrorDetail {
    const { origin, pathname } = location
    const start = this.read('start') ?? ''
    const remedy = remedyFor(fault.code, { origin, address: origin + pathname, asked: this.asked(), start })
    console.error(`<${this.localName}> ${fault.code}: ${fault.message} ${remedy}`)
    this.#error = { ...fault, remedy }
    return this.#error
  }

  #wording(): Wording<Words[Kind]> | null {
    return wordingIn(languageFor(languageOf(this)), this.kind, this.#ownTexts)
  }

  #reword(): void {
    const wording = this.#wording()
    if (!wording) void load(languageFor(languageOf(this))).then(() => this.#reword())
    if (this.isConnected) this.word(wording)
  }
}
