import type { Clock } from './clock.ts'
import type { SetupTold } from './events.ts'
import { Poller } from './poller.ts'
import type { Device, Registration, RegistrationService, SetupStatus } from './registration.ts'
import { troubleOf, type Refusal, type Trouble } from './refusal.ts'

export type SetupPhase =
  /** There is no registration yet. */
  | 'idle'
  /** The link can be opened. */
  | 'waiting'
  | 'opened'
  /** The user types the digits. */
  | 'typing'
  | 'checking'
  | 'completed'
  | 'wrongDigits'
  | 'cancelled'
  | 'expired'
  | 'failed'

/** What to draw. */
export interface SetupSight {
  readonly phase: SetupPhase
  /** The link, while it can be opened. */
  readonly url: string | null
  readonly device: Device | null
  readonly trouble: Trouble | null
  /** Number of wrong pairs of digits that are still allowed, after one. */
  readonly triesLeft: number | null
  /** When the time is up, by the page's clock; `null` if it does not matter. */
  readonly endsAt: number | null
}

export const NO_SETUP: SetupSight = { phase: 'idle', url: null, device: null, trouble: null, triesLeft: null, endsAt: null }

export interface SetupPorts {
  readonly clock: Clock
  readonly random: () => number
  readonly service: Pick<RegistrationService, 'status' | 'check' | 'cancel'>
  readonly online: () => boolean
  readonly show: (sight: SetupSight) => void
  readonly tell: (event: SetupTold) => void
}

const OVER: readonly SetupPhase[] = ['completed', 'wrongDigits', 'cancelled', 'expired', 'failed']

/** Follows one registration until its end. */
export class Setup {
  readonly #registration: Registration
  readonly #ports: SetupPorts
  #sight: SetupSight
  #poller: Poller | null

  constructor(registration: Registration, ports: SetupPorts) {
    this.#registration = registration
    this.#ports = ports
    this.#sight = { ...NO_SETUP, phase: 'waiting', url: registration.url, endsAt: ports.clock.now() + registration.lifetime }
    ports.show(this.#sight)
    this.#poller = new Poller({
      clock: ports.clock,
      random: ports.random,
      ask: async () => {
        const status = await ports.service.status()
        if (this.#poller) this.#learn(status)
      },
      failed: (refusal, failures) => this.#failed(refusal, failures),
    })
    this.#poller.poke()
  }

  #isIn(phase: SetupPhase): boolean {
    return this.#sight.phase === phase
  }

  /** Sends the digits that the user typed. */
  async type(digits: string): Promise<void> {
    if (!this.#isIn('typing')) return
    this.#show({ phase: 'checking', trouble: null })
    try {
      await this.#ports.service.check(digits)
    } catch (error) {
      const { code, passing, triesLeft } = error as Refusal
      const before = this.#sight.triesLeft
      if (!this.#poller || !this.#isIn('checking')) return
      // The service would go on saying that the phone shows its digits.
      if (code === 'web_phone_off') return this.#failed(error as Refusal, 1)
      // Whether the digits arrived is not known. Sending them again gets the same answer.
      if (passing || code === 'check_code_wrong') {
        this.#show({ phase: 'typing', triesLeft: passing ? before : triesLeft, trouble: passing ? troubleOf(error as Refusal, 1) : null })
      }
    }
    this.#poller?.poke()
  }

  /** Ends the registration: the phone is not the user's. */
  async cancel(): Promise<void> {
    if (OVER.includes(this.#sight.phase)) return
    try {
      await this.#ports.service.cancel()
    } catch {
      // The next poll says how it stands.
    }
    this.#poller?.poke()
  }

  networkChanged(): void {
    if (!this.#ports.online()) this.#show({ trouble: 'offline' })
    this.#poller?.poke()
  }

  /** Asks at once, because the page is visible again. */
  returned(): void {
    this.#poller?.poke()
  }

  stop(): void {
    this.#poller?.stop()
    this.#poller = null
  }

  #learn({ device, failure, left, state }: SetupStatus): void {
    const { phase } = this.#sight
    const { clock, tell } = this.#ports
    const detail = { registrationId: this.#registration.id }
    const known = { device, trouble: null, endsAt: clock.now() + left }
    const wasWaiting = phase === 'waiting'
    const opened = { ...detail, browser: device?.browser ?? '', location: device?.location || null }
    switch (state) {
      case 'created':
        return this.#show(known)
      case 'opened':
      case 'signed':
        if (wasWaiting) tell({ name: 'opened', detail: opened })
        // The digits may be on their way.
        return this.#show({ ...known, url: null, phase: phase === 'checking' ? phase : state === 'opened' ? 'opened' : 'typing' })
      case 'completed':
        if (wasWaiting) tell({ name: 'opened', detail: opened })
        this.#end('completed')
        return tell({ name: 'completed', detail })
      case 'failed':
      case 'expired': {
        const ends = { wrong_digits: 'wrongDigits', cancelled: 'cancelled', expired: 'expired' } as const
        const reason = state === 'expired' ? state : failure || 'unknown'
        this.#end(Object.hasOwn(ends, reason) ? ends[reason as keyof typeof ends] : 'failed')
        return tell({ name: 'failed', detail: { ...detail, reason } })
      }
    }
  }

  #failed(refusal: Refusal, failures: number): void {
    const { code, message, passing } = refusal
    if (passing) return this.#show({ trouble: this.#ports.online() ? troubleOf(refusal, failures) : 'offline' })
    this.#end('failed')
    this.#ports.tell({ name: 'error', detail: { code, message } })
  }

  #end(phase: SetupPhase): void {
    this.stop()
    this.#show({ phase, url: null, trouble: null, endsAt: null })
  }

  #show(changes: Partial<SetupSight>): void {
    this.#sight = { ...this.#sight, ...changes }
    this.#ports.show(this.#sight)
  }
}
