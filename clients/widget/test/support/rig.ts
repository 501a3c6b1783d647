import { newKeys, type Keys } from '../../src/crypto.ts'
import type { Told } from '../../src/events.ts'
import { Login, type Sight } from '../../src/login.ts'
import type { SessionState } from '../../src/machine.ts'
import type { Socket } from '../../src/push.ts'
import { Refusal } from '../../src/refusal.ts'
import type { Opened, Redeemed, Status } from '../../src/service.ts'
import { TestClock, settled } from './clock.ts'

/** The page that the rig plays. */
export const ORIGIN = 'https://shop.example'

/** A socket that a test holds the other end of. */
export class TestSocket implements Socket {
  readonly sent: string[] = []
  readonly url: string
  closed = false
  readonly #listeners: [string, (event: object) => void][] = []

  constructor(url: string) {
    this.url = url
  }

  addEventListener(type: string, listener: (event: object) => void): void {
    this.#listeners.push([type, listener])
  }

  send(text: string): void {
    this.sent.push(text)
  }

  close(): void {
    this.closed = true
  }

  /** Something comes from the service's side. */
  emit(type: 'open' | 'message' | 'close' | 'error'): void {
    for (const [name, listener] of this.#listeners) if (name === type) listener({})
  }
}

/** Makes one key and gives it again and again: what is tried with the rig is not about keys. */
let key: Promise<Keys> | undefined

/** A login with a service, a clock and a network that a test holds in its hands. */
export class Rig {
  readonly clock = new TestClock()
  readonly told: Told[] = []
  readonly sockets: TestSocket[] = []
  readonly states = new Map<string, SessionState>()
  readonly cancelled: string[] = []
  readonly polled: string[] = []
  opened: Opened[] = []
  sight: Sight = { phase: 'idle', url: null, trouble: null }
  online = true
  mustBeEncrypted = false
  /** What the next requests of a kind meet with, instead of an answer. */
  readonly refusals: { open: Refusal[]; status: Refusal[]; redeem: Refusal[] } = { open: [], status: [], redeem: [] }
  payload: Redeemed = { payload: 'hello', encrypted: false }
  link = (id: string, hash: string) => `https://login.shop.example?sessionId=${id}#k=${hash}`
  readonly login: Login
  keys!: Keys
  #heard = () => {}

  constructor(visible = true) {
    this.login = new Login({
      service: {
        open: async () => {
          const refusal = this.refusals.open.shift()
          if (refusal) throw refusal
          const id = `qrs_${this.opened.length}`
          const opened: Opened = {
            id,
            url: this.link(id, this.keys.hash),
            token: `token ${id}`,
            socketUrl: 'wss://push.example/',
            lifetime: 60_000,
            askedAt: this.clock.now(),
          }
          this.opened.push(opened)
          this.states.set(id, 'created')
          return opened
        },
        status: async ({ id }): Promise<Status> => {
          this.polled.push(id)
          const refusal = this.refusals.status.shift()
          if (refusal) throw refusal
          return { state: this.states.get(id) ?? 'expired', tag: null }
        },
        redeem: async () => {
          const refusal = this.refusals.redeem.shift()
          if (refusal) throw refusal
          return this.payload
        },
        cancel: async ({ id }) => {
          this.cancelled.push(id)
        },
      },
      clock: this.clock,
      random: () => 1,
      newKeys: async () => this.keys,
      connect: (url) => {
        const socket = new TestSocket(url)
        this.sockets.push(socket)
        return socket
      },
      origin: ORIGIN,
      online: () => this.online,
      mustBeEncrypted: () => this.mustBeEncrypted,
      show: (sight) => {
        this.sight = sight
      },
      tell: (event) => {
        this.told.push(event)
        this.#heard()
      },
    }, visible)
  }

  /** A login that has begun. */
  static async begun(visible = true): Promise<Rig> {
    const rig = new Rig(visible)
    rig.keys = await (key ??= newKeys())
    rig.login.input({ type: 'begin' })
    await settled()
    return rig
  }

  /** Waits until so many events were told: WebCrypto works beside the clock of the tests. */
  async tells(count: number): Promise<void> {
    while (this.told.length < count) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve
      })
    }
  }

  /** The names of the events so far. */
  get names(): string[] {
    return this.told.map(({ name }) => name)
  }

  /** The session that the shown code is of. */
  get shown(): string | null {
    return this.sight.url === null ? null : new URL(this.sight.url).searchParams.get('sessionId')
  }

  /** A session's state changes, and the next time somebody asks they hear it. */
  async becomes(id: string, state: SessionState): Promise<void> {
    this.states.set(id, state)
    await this.clock.pass(2_000)
  }
}

/** No answer. */
export const lost = () => new Refusal('unreachable', 'no answer')

/** An answer with a status. */
export const refused = (status: number, code = `http_${status}`, wait: number | null = null) => (
  new Refusal(code, 'refused', { status, wait })
)
