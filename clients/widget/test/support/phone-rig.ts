import { readConfirmation } from '../../src/confirmation.ts'
import type { Fault, PhoneTold } from '../../src/events.ts'
import { Phone, type PhoneSight } from '../../src/phone.ts'
import type { Miss, Status } from '../../src/phone-service.ts'
import type { Refusal } from '../../src/refusal.ts'
import { settled, TestClock } from './clock.ts'
import { answer } from './confirmation.ts'
import { TestSocket } from './rig.ts'

/** A confirmation whose servers, clock and network a test controls. */
export class PhoneRig {
  readonly clock = new TestClock()
  readonly told: PhoneTold[] = []
  readonly reported: Fault[] = []
  readonly sockets: TestSocket[] = []
  readonly sights: PhoneSight[] = []
  /** The entity tags in the requests for the status. */
  readonly asked: (string | null)[] = []
  starts = 0
  status: Status = 'open'
  miss: Miss | null = null
  /** Time left by the service's clock, in ms. */
  left = 300_000
  online = true
  prevents = false
  /** Errors for the next requests of each kind, instead of answers. */
  readonly refusals: { start: Refusal[]; standing: Refusal[] } = { start: [], standing: [] }
  readonly phone: Phone

  constructor(other: object = {}) {
    this.phone = new Phone({
      clock: this.clock,
      random: () => 1,
      start: async () => {
        this.starts += 1
        const refusal = this.refusals.start.shift()
        if (refusal) throw refusal
        return readConfirmation(answer(other))
      },
      standing: async (_, last) => {
        this.asked.push(last?.tag ?? null)
        const refusal = this.refusals.standing.shift()
        if (refusal) throw refusal
        const tag = `${this.status} ${this.miss}`
        return last?.tag === tag ? last : { status: this.status, miss: this.miss, left: this.left, tag }
      },
      connect: (url) => {
        const socket = new TestSocket(url)
        this.sockets.push(socket)
        return socket
      },
      online: () => this.online,
      show: (sight) => this.sights.push(sight),
      tell: (event) => {
        this.told.push(event)
        return this.prevents
      },
      report: (fault) => this.reported.push(fault),
    })
  }

  /** Returns a rig that has started. */
  static async begun(other: object = {}): Promise<PhoneRig> {
    const rig = new PhoneRig(other)
    await rig.begins()
    return rig
  }

  async begins(): Promise<void> {
    this.phone.begin()
    await settled()
  }

  get sight(): PhoneSight {
    return this.sights.at(-1)!
  }

  /** Names of the events so far. */
  get names(): string[] {
    return this.told.map(({ name }) => name)
  }

  /** Changes the status, and advances the time to the next poll. */
  async becomes(status: Status): Promise<void> {
    this.status = status
    await this.clock.pass(2_000)
  }
}
