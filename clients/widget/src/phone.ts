import type { Clock } from './clock.ts'
import type { Client, Confirmation } from './confirmation.ts'
import type { Fault, PhoneTold } from './events.ts'
import type { Next } from './next.ts'
import { Pauses } from './pauses.ts'
import { numberFault, type Miss, type NumberFault, type Standing, type Status } from './phone-service.ts'
import { Poller } from './poller.ts'
import { Push, type Socket } from './push.ts'
import { type Refusal, troubleOf, type Trouble } from './refusal.ts'

/** Time for the service to decide after the time is up, in ms. */
const MAX_ENDING = 30_000

/** The visible phase. */
export type PhonePhase =
  /** The user is asked for the number to confirm. */
  | 'asking'
  /** There is no confirmation yet, but one is coming. */
  | 'starting'
  /** The text can be sent. */
  | 'open'
  /** The time is up by this page's clock, and the service has not decided yet. */
  | 'ending'
  /** The text arrived, and the page decides. */
  | 'checking'
  /** The page did not accept the number. */
  | 'rejected'
  | 'verified' | 'expired' | 'cancelled' | 'failed'

/** The visible state. */
export interface PhoneSight {
  readonly phase: PhonePhase
  /** The text to send, and its recipient; kept after the end. */
  readonly confirmation: Confirmation | null
  /** Time left, in ms. */
  readonly left: number
  readonly trouble: Trouble | null
  /** Why a text was not accepted, while another may be. */
  readonly miss: Miss | null
  /** Why the number was refused, while the user is asked for another. */
  readonly fault: NumberFault | null
  /** The page's reason for rejecting the number; otherwise empty. */
  readonly reason: string
  /** The page's next step. */
  readonly next: Next | null
}

export interface PhonePorts {
  readonly clock: Clock
  readonly random: () => number
  /** Requests a confirmation. Throws refusals. */
  readonly start: () => Promise<Confirmation>
  readonly standing: (client: Client, last: Standing | null) => Promise<Standing>
  readonly connect: (url: string) => Socket
  readonly online: () => boolean
  /** Called when the visible state changes. */
  readonly show: (sight: PhoneSight) => void
  /** Dispatches an event to the page. Returns whether the page prevented the default. */
  readonly tell: (event: PhoneTold) => boolean
  /** Reports an error that does not end the confirmation. */
  readonly report: (fault: Fault) => void
}

/** Runs one confirmation after another: each is shown and watched until its end. */
export class Phone {
  readonly #ports: PhonePorts
  readonly #pauses: Pauses
  #phase: PhonePhase = 'starting'
  #confirmation: Confirmation | null = null
  /** When the time is up, by the page's clock. */
  #endsAt = 0
  #trouble: Trouble | null = null
  #miss: Miss | null = null
  #fault: NumberFault | null = null
  #reason = ''
  #next: Next | null = null
  /** Changes with each start and end, so that late answers are recognized and dropped. */
  #run = {}
  #last: Standing | null = null
  #poller: Poller | null = null
  #push: Push | null = null
  #stopTicking = () => {}

  constructor(ports: PhonePorts) {
    this.#ports = ports
    this.#pauses = new Pauses(ports.clock, ports.random)
    this.#show()
  }

  /** Starts, or starts again. */
  begin(): void {
    this.stop()
    this.#confirmation = null
    this.#become('starting')
    void this.#start(this.#run)
  }

  /** Asks the user for the number to confirm. */
  ask(fault: NumberFault | null = null): void {
    this.stop()
    this.#confirmation = null
    this.#fault = fault
    this.#become('asking')
  }

  /** Waits for a confirmation from the page. */
  await(): void {
    this.stop()
    this.#confirmation = null
    this.#become('starting')
  }

  /** Stops all work. */
  stop(): void {
    this.#run = {}
    this.#trouble = this.#miss = this.#fault = null
    this.#reason = ''
    this.#next = null
    this.#stopTicking()
    this.#poller?.stop()
    this.#push?.stop()
    this.#poller = this.#push = null
  }

  /** Shows that the number is verified. */
  accept(): void {
    if (this.#confirmation) this.#end('verified')
  }

  /** Shows that the page did not accept the number. */
  reject(reason: string, next: Next | null = null): void {
    if (!this.#confirmation) return
    this.#end('rejected', reason, next)
  }

  /** The page is visible again, perhaps after the text was sent. */
  returned(): void {
    // The clock may have stopped in the meantime. Only a full answer says how much time is left.
    this.#last = null
    this.#pauses.wake()
    this.#push?.wake()
    this.#poller?.poke()
  }

  /** The network was lost or came back. */
  networkChanged(): void {
    if (this.#ports.online()) this.returned()
    this.#show()
  }

  async #start(run: object): Promise<void> {
    for (let failures = 1; this.#run === run; failures += 1) {
      try {
        const confirmation = await this.#ports.start()
        if (this.#run === run) this.#open(confirmation, run)
        return
      } catch (error) {
        if (this.#run !== run) return
        const refusal = error as Refusal
        const fault = numberFault(refusal)
        if (fault) return this.ask(fault)
        if (!refusal.passing) return this.#fail(refusal)
        this.#troubled(troubleOf(refusal, failures))
        await this.#pauses.pause(failures, refusal)
      }
    }
  }

  #open(confirmation: Confirmation, run: object): void {
    const { clock, report, tell } = this.#ports
    const { client, id, lifetime } = confirmation
    this.#confirmation = confirmation
    this.#endsAt = clock.now() + lifetime
    this.#last = null
    this.#trouble = null
    if (client) this.#watch(client, run)
    this.#become('open')
    this.#tick()
    if (!client) report({ code: 'no_client', message: 'The confirmation has no client.' })
    tell({ name: 'started', detail: { confirmationId: id } })
  }

  #watch(client: Client, run: object): void {
    const { clock, connect, random, standing, tell } = this.#ports
    const poller = new Poller({
      clock,
      random,
      ask: async () => {
        const last = await standing(client, this.#last)
        if (this.#run !== run) return
        // Each answer took some time, so the shortest remaining time is the most accurate.
        if (last !== this.#last) this.#endsAt = Math.min(this.#endsAt, clock.now() + last.left)
        this.#last = last
        this.#troubled(null)
        if (last.status !== 'open') return this.#ended(last.status)
        const { miss } = last
        if (!miss || this.#miss === miss) return
        this.#miss = miss
        this.#show()
        tell({ name: 'missed', detail: { reason: miss } })
      },
      failed: (refusal, failures) => {
        if (refusal.code === 'confirmation_not_found') {
          // The service erases a confirmation some time after its end.
          if (this.#left() > 0) this.#fail(refusal)
          else this.#ended('expired')
        }
        // An occasional lost request does not matter.
        else if (failures > 1 || refusal.wait !== null) this.#troubled(troubleOf(refusal, failures))
      },
    })
    this.#poller = poller
    this.#push = new Push({
      clock,
      random,
      connect: () => connect(client.socketUrl),
      hello: JSON.stringify({ confirmationId: this.#confirmation?.id, token: client.token }),
      changed: () => poller.poke(),
      pushed: (pushed) => {
        poller.pushed = pushed
      },
    })
    // A confirmation from the page may be older than it says.
    poller.poke()
  }

  /** Counts down. */
  #tick(): void {
    const left = this.#left()
    if (left > 0) {
      this.#show()
      this.#stopTicking = this.#ports.clock.after(left % 1_000 || 1_000, () => this.#tick())
    } else if (this.#poller) {
      // A text may have arrived in time. The service decides.
      this.#become('ending')
      // Expiry is not pushed.
      this.#push?.stop()
      this.#poller.pushed = false
      this.#poller.poke()
      // It may not answer at all.
      this.#stopTicking = this.#ports.clock.after(MAX_ENDING, () => this.#ended('expired'))
    } else {
      this.#ended('expired')
    }
  }

  #ended(status: Exclude<Status, 'open'>): void {
    const confirmationId = this.#confirmation?.id ?? ''
    if (status !== 'verified') {
      this.#end(status)
      this.#ports.tell({ name: status, detail: null })
      return
    }
    this.#end('checking')
    const run = this.#run
    const prevented = this.#ports.tell({ name: 'verified', detail: { confirmationId } })
    // The page may already have decided or started again.
    if (!prevented && this.#run === run) this.#become('verified')
  }

  #fail({ code, message }: Fault): void {
    this.#end('failed')
    this.#ports.tell({ name: 'error', detail: { code, message } })
  }

  #end(phase: PhonePhase, reason = '', next: Next | null = null): void {
    this.stop()
    this.#reason = reason
    this.#next = next
    this.#become(phase)
  }

  #left(): number {
    return Math.max(0, this.#endsAt - this.#ports.clock.now())
  }

  #become(phase: PhonePhase): void {
    this.#phase = phase
    this.#show()
  }

  #troubled(trouble: Trouble | null): void {
    if (this.#trouble === trouble) return
    this.#trouble = trouble
    this.#show()
  }

  #show(): void {
    const phase = this.#phase
    const works = phase === 'starting' || phase === 'open' || phase === 'ending'
    this.#ports.show({
      phase,
      confirmation: this.#confirmation,
      left: this.#left(),
      trouble: works ? (this.#ports.online() ? this.#trouble : 'offline') : null,
      miss: phase === 'open' ? this.#miss : null,
      fault: this.#fault,
      reason: this.#reason,
      next: this.#next,
    })
  }
}
