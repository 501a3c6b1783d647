import type { Reply, Route } from './service.ts'

/** What the page shows. */
export type Scene =
  /** The person can log in. */
  | 'open'
  /** The browser goes back to the site. */
  | 'leaving'
  /** The time is up. */
  | 'expired'
  /** The login has already been finished or cancelled. */
  | 'over'
  /** The service does not recognize this browser. */
  | 'unknown'
  /** The service does not answer, or refused for a reason that may pass. */
  | 'failed'

/** The scenes that a problem leads to, by its code. */
const PROBLEMS: Readonly<Record<string, Scene>> = {
  openid_request_invalid: 'unknown',
  openid_answered: 'over',
}

/** Pauses before a request is repeated, in ms. */
const PAUSES = [1_000, 2_000, 4_000] as const

/** Time after the end for a text or a confirmation that is on its way, in ms. */
const GRACE = 60_000

export interface Ports {
  readonly ask: (route: Route, body: object) => Promise<Reply>
  /** Calls a function after some time, in ms. Returns a function that prevents it. */
  readonly after: (delay: number, then: () => void) => () => void
  /** Current time, in ms since 1970. */
  readonly now: () => number
  readonly show: (scene: Scene) => void
  /** Goes to a page of the site. */
  readonly leave: (location: string) => void
  /** Loads the page again, with a new request. */
  readonly restart: () => void
  /** Tells the person that the service does not know the phone. */
  readonly reject: () => void
}

/** The request of a site that the page answers. */
export interface Request {
  /** The request as the service sealed it. */
  readonly sealed: string
  /** When its time is up, in ms since 1970. */
  readonly until: number
  /** Whether the tab kept the request from before a reload. */
  readonly kept: boolean
}

/** Leads a person from the request to the way back: finishes, cancels, and ends after five minutes. */
export class Flow {
  readonly #request: Request
  readonly #ports: Ports
  #scene: Scene = 'open'
  /** The last step, to repeat it. */
  #step = () => {}
  /** Changes with each step, so that late answers are recognized and dropped. */
  #run = {}
  /** What may still succeed after the time is up. */
  readonly #pending = new Set<'text' | 'code'>()
  #stopWaiting = () => {}

  constructor(request: Request, ports: Ports) {
    this.#request = request
    this.#ports = ports
    this.#wait()
  }

  get scene(): Scene {
    return this.#scene
  }

  /** A text can be sent, or a phone opened the code. */
  began(method: 'text' | 'code'): void {
    this.#pending.add(method)
  }

  /** The text or the code can no longer succeed. */
  ended(method: 'text' | 'code'): void {
    this.#pending.delete(method)
    this.look()
  }

  /** Ends the page if its time is up. */
  look(): void {
    const late = this.#ports.now() - this.#request.until
    if (this.#scene !== 'open' || late < 0) return
    if (this.#pending.size === 0 || late >= GRACE) this.expire()
    else this.#wait()
  }

  /** Ends the page. */
  expire(): void {
    if (this.#scene === 'open') this.#show('expired')
  }

  /** Handles the answer to a request that an element sent. */
  answered({ status, code }: Reply): void {
    const scene = status < 400 ? undefined : PROBLEMS[code]
    if (scene) this.#end(scene)
  }

  /** Finishes the login after a text, or after a confirmation in the app: `login` is the id of the element's login. */
  finish(login: string | null): void {
    if (this.#scene !== 'open' && this.#scene !== 'failed') return
    this.#pending.clear()
    void this.#take('/authorize/finish', login === null ? {} : { login }, () => this.finish(login), login !== null)
  }

  /** Goes back to the site without a login. */
  cancel(): void {
    if (this.#scene === 'leaving') return
    void this.#take('/authorize/cancel', {}, () => this.cancel(), false)
  }

  /** Repeats the last step. */
  retry(): void {
    this.#step()
  }

  async #take(route: Route, more: object, step: () => void, refusable: boolean): Promise<void> {
    const run = this.#run = {}
    this.#step = step
    for (const pause of [...PAUSES, null]) {
      const reply = await this.#ports.ask(route, { request: this.#request.sealed, ...more })
      if (this.#run !== run) return
      const { code, location, status } = reply
      if (status === 200 && location) {
        this.#show('leaving')
        this.#ports.leave(location)
        return
      }
      const scene = PROBLEMS[code]
      if (scene) return this.#end(scene)
      const passing = status === 0 || status === 429 || status >= 500 || code === 'openid_not_verified'
      if (!passing) {
        if (!refusable) break
        this.#show('open')
        return this.#ports.reject()
      }
      if (pause === null) break
      await new Promise<void>((resolve) => this.#ports.after(pause, resolve))
      if (this.#run !== run) return
    }
    this.#show('failed')
  }

  /** Ends the page. The service does not say whether a request is too old or belongs to another browser. */
  #end(scene: Scene): void {
    const { kept, until } = this.#request
    if (scene !== 'unknown') this.#show(scene)
    else if (this.#ports.now() >= until) this.#show('expired')
    // The page has a new request that may work.
    else if (kept) this.#ports.restart()
    else this.#show('unknown')
  }

  #show(scene: Scene): void {
    this.#scene = scene
    this.#ports.show(scene)
  }

  #wait(): void {
    this.#stopWaiting()
    const { now, after } = this.#ports
    const left = this.#request.until - now()
    this.#stopWaiting = after(left > 0 ? left : left + GRACE, () => this.look())
  }
}
