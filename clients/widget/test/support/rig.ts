import { newKeys, type Keys } from '../../src/crypto.ts'
import type { Fault, Told } from '../../src/events.ts'
import type { Identity } from '../../src/identity.ts'
import { Login, type LoginPorts, type Sight } from '../../src/login.ts'
import type { SessionState } from '../../src/machine.ts'
import type { Socket } from '../../src/push.ts'
import { Refusal } from '../../src/refusal.ts'
import type { Returned } from '../../src/return.ts'
import { givenLogin } from '../../src/session.ts'
import type { Opened, Redeemed, Status } from '../../src/service.ts'
import { TestClock, settled } from './clock.ts'
import { seal } from './seal.ts'

/** The origin of the simulated page. */
export const ORIGIN = 'https://shop.example'

/** A socket whose other end a test controls. */
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

  /** Emits an event, as if from the service. */
  emit(type: 'open' | 'message' | 'close' | 'error'): void {
    for (const [name, listener] of this.#listeners) if (name === type) listener({})
  }
}

/** A salt in the format that phones generate. */
export const SALT = 'AAECAwQFBgcICQoLDA0ODw'

/** One key for all rigs: their tests do not depend on keys, and generating them is slow. */
let key: Promise<Keys> | undefined

/** A login whose service, clock and network a test controls. */
export class Rig {
  readonly clock = new TestClock()
  readonly told: Told[] = []
  readonly sockets: TestSocket[] = []
  readonly states = new Map<string, SessionState>()
  readonly cancelled: string[] = []
  readonly polled: string[] = []
  /** The ids of sessions that were requested. */
  readonly asked: string[] = []
  opened: Opened[] = []
  sight: Sight = { phase: 'idle', url: null, trouble: null, triesLeft: null, reason: '', next: null, endsAt: null }
  online = true
  /** Whether the page prevents the default of events. */
  prevents = false
  /** Whether identities have keys. */
  sealed = true
  /** The identities created so far. The first has the id `qrs_0`, the second `qrs_1`. */
  readonly identities: Identity[] = []
  /** The identity that an earlier load of the page stored. */
  kept: Identity | null = null
  /** The ids of the sessions that this load stored, with `null` for none. */
  readonly keeps: (string | null)[] = []
  /** Whether sessions require a check code. */
  needsCode = false
  /** The check codes of redemptions. */
  readonly codes: (string | null)[] = []
  /** The page's address if the app is on the same phone. */
  returnUrl: string | null = null
  /** The addresses that the service refused, and the reports about them. */
  readonly unlisted: (string | Fault)[] = []
  /** The return addresses of new sessions. */
  readonly returnUrls: (string | null)[] = []
  /** The tokens of redemptions after a return. */
  readonly returnTokens: (string | null)[] = []
  /** The receipts of redemptions. */
  readonly receipts: string[] = []
  /** Time left in the service's answers, in ms. */
  left: number | null = null
  /** Check codes that were passed on for a session from the page's server. */
  readonly checked: string[] = []
  /** Errors for the next requests of each kind, instead of answers. */
  readonly refusals: { open: Refusal[]; status: Refusal[]; redeem: Refusal[] } = { open: [], status: [], redeem: [] }
  /** The payload that redemption returns. By default, `hello`, encrypted for the session. */
  redeemed: Redeemed | null = null
  /** Changes the service's answers to new sessions. */
  cheat = (opened: Opened): Opened => opened
  readonly login: Login
  keys!: Keys
  #heard = () => {}

  /** `session` is the session that the page's server opened, if any. */
  constructor(visible = true, returned: Returned | null = null, session?: object) {
    const ports: LoginPorts = {
      service: {
        open: async (identity, returnUrl) => {
          this.asked.push(identity.id)
          this.returnUrls.push(returnUrl)
          const refusal = this.refusals.open.shift()
          if (refusal) throw refusal
          const opened = this.cheat({
            sessionId: identity.id,
            url: `https://login.shop.example?sessionId=${identity.id}`,
            socketUrl: 'wss://push.example/',
            needsCode: this.needsCode,
            lifetime: 60_000,
            askedAt: this.clock.now(),
          })
          this.opened.push(opened)
          this.states.set(identity.id, 'created')
          return opened
        },
        status: async ({ id }): Promise<Status> => {
          this.polled.push(id)
          const refusal = this.refusals.status.shift()
          if (refusal) throw refusal
          return { state: this.states.get(id) ?? 'expired', left: this.left, tag: null }
        },
        redeem: async ({ id }, receipt, { checkCode = null, returnToken = null }) => {
          this.receipts.push(receipt)
          this.codes.push(checkCode)
          this.returnTokens.push(returnToken)
          const refusal = this.refusals.redeem.shift()
          if (refusal) throw refusal
          return this.redeemed ?? this.sealedFor(id, JSON.stringify({ payload: 'hello', salt: SALT }))
        },
        cancel: async ({ id }) => {
          this.cancelled.push(id)
        },
      },
      clock: this.clock,
      random: () => 1,
      newIdentity: async () => {
        const id = `${this.sealed ? 'qrs' : 'qrp'}_${this.identities.length}`
        const identity = { id, token: `token ${id}`, keys: this.sealed ? this.keys : null }
        this.identities.push(identity)
        return identity
      },
      takeKept: async (now) => this.kept && { ...this.kept, returnToken: (now ?? returned)?.token },
      returnUrl: () => this.returnUrl,
      returnRefused: (url, fault) => {
        this.unlisted.push(url, fault)
        this.returnUrl = null
      },
      keep: (identity) => {
        this.keeps.push(identity?.id ?? null)
      },
      newReceipt: () => `receipt ${new Set(this.receipts).size}`,
      connect: (url) => {
        const socket = new TestSocket(url)
        this.sockets.push(socket)
        return socket
      },
      origin: ORIGIN,
      online: () => this.online,
      show: (sight) => {
        this.sight = sight
      },
      tell: (event) => {
        this.told.push(event)
        this.#heard()
        return this.prevents
      },
    }
    const { status } = ports.service
    const check = async (_: unknown, code: string) => {
      this.checked.push(code)
      const refusal = this.refusals.redeem.shift()
      if (refusal) throw refusal
    }
    const given = session && givenLogin({ status, check }, session, () => this.clock.now())
    this.login = new Login({ ...ports, ...given }, visible, session !== undefined)
  }

  /** Returns a rig whose login has started. */
  static async begun({
    kept = '',
    needsCode = false,
    returned = null as Returned | null,
    returnUrl = null as string | null,
    sealed = true,
    visible = true,
  } = {}): Promise<Rig> {
    const rig = new Rig(visible, returned)
    rig.returnUrl = returnUrl
    rig.keys = await (key ??= newKeys())
    if (kept) rig.kept = { id: kept, token: `token ${kept}`, keys: rig.keys }
    rig.sealed = sealed
    rig.needsCode = needsCode
    rig.login.input({ type: 'begin' })
    await settled()
    return rig
  }

  /** Returns a redeemed payload that is encrypted for a session of this rig. */
  async sealedFor(id: string, plaintext: string, proof: string | null = null): Promise<Redeemed> {
    const payload = await seal(this.keys.publicKey, id, ORIGIN, plaintext)
    return { payload, encrypted: true, salt: null, proof }
  }

  /** Waits for this many events. WebCrypto does not depend on the test's clock. */
  async tells(count: number): Promise<void> {
    while (this.told.length < count) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve
      })
    }
  }

  /** Names of the events so far. */
  get names(): string[] {
    return this.told.map(({ name }) => name)
  }

  /** Id of the session whose code is shown. */
  get shown(): string | null {
    return this.sight.url === null ? null : new URL(this.sight.url).searchParams.get('sessionId')
  }

  /** Changes a session's state, and advances the time to the next poll. */
  async becomes(id: string, state: SessionState): Promise<void> {
    this.states.set(id, state)
    await this.clock.pass(2_000)
  }
}

/** Returns the error for an unanswered request. */
export const lost = () => new Refusal('unreachable', 'no answer')

/** Returns the error for an answer with this status. */
export const refused = (status: number, code = `http_${status}`, wait: number | null = null) => (
  new Refusal(code, 'refused', { status, wait })
)

/** Returns the error for a wrong check code. */
export const wrongCode = (triesLeft: number) => (
  new Refusal('check_code_wrong', 'refused', { status: 403, triesLeft })
)
