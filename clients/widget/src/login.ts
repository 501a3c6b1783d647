import { answerFault } from './answer.ts'
import type { Clock } from './clock.ts'
import type { Fault, Told } from './events.ts'
import type { Identity } from './identity.ts'
import { replacedAfter, watchLifetime } from './lifetime.ts'
import { initial, isLive, step, withoutPayload } from './machine.ts'
import type { Effect, Input, Model, Phase } from './machine.ts'
import type { Next } from './next.ts'
import { Pauses } from './pauses.ts'
import { Poller } from './poller.ts'
import { Push, type Socket } from './push.ts'
import { badAnswer, Refusal, troubleOf, type Trouble } from './refusal.ts'
import { readRedeemed, redeemFailure } from './redemption.ts'
import type { Returned } from './return.ts'
import type { Opened, Redeemed, Service } from './service.ts'

/** Time for which a confirmed payload stays available, in ms, and so the time to keep trying. */
const REDEEMABLE = 60_000

/**
 * The service's problem codes for an unknown session. The status alone is not enough, because proxies may
 * temporarily return the same one.
 */
const GONE = ['session_not_found', 'session_expired']

/** The phases that have a time limit. */
const TIMED: readonly Phase[] = ['waiting', 'scanned', 'typing']

/** The visible state of a login. */
export interface Sight {
  readonly phase: Phase
  /** The link in the code, if a code is shown. */
  readonly url: string | null
  readonly trouble: Trouble | null
  /** Number of check codes that may still be tried after a wrong one; `null` before the first. */
  readonly triesLeft: number | null
  /** The page's reason for rejecting the login; otherwise empty. */
  readonly reason: string
  /** The page's next step. */
  readonly next: Next | null
  /** When the time is up, by the page's clock; `null` if it does not run out. */
  readonly endsAt: number | null
}

export interface LoginPorts {
  readonly service: Pick<Service, 'open' | 'status' | 'cancel'> & {
    /** Returns `null` if the payload is not for this page. */
    readonly redeem: (...words: Parameters<Service['redeem']>) => Promise<Redeemed | null>
  }
  readonly clock: Clock
  readonly random: () => number
  readonly newIdentity: () => Promise<Identity>
  /**
   * Returns the identity of a login that was in progress before the page was reloaded, or of the login for which
   * the app returned, if this browser stores it: at present, or by opening this page.
   */
  readonly takeKept: (returned?: Returned) => Promise<Identity | null>
  /** Returns the page's address for the app to return to, if the app is on this phone. */
  readonly returnUrl: () => string | null
  /** Reports that the app does not list this address, so that `returnUrl` no longer returns it. */
  readonly returnRefused: (url: string, fault: Fault) => void
  /** Called with the identity of the current login when it changes; `null` without one. */
  readonly keep: (identity: Identity | null) => void
  /** Returns the random text that identifies one redemption. */
  readonly newReceipt: () => string
  readonly connect: (url: string) => Socket
  /** The page's origin, to which encryption is bound. */
  readonly origin: string
  readonly online: () => boolean
  /** Called when the visible state changes. */
  readonly show: (sight: Sight) => void
  /** Dispatches an event to the page. Returns whether the page prevented the default. */
  readonly tell: (event: Told) => boolean
}

/** The state of one session, dropped with it. */
interface Held {
  readonly identity: Identity
  readonly opened: Opened
  /** Whether the app may return. */
  readonly returnable: boolean
  /** When the time is up in the current state, by the page's clock. */
  endsAt: number
  poller?: Poller
  push?: Push
  stop: () => void
}

/** Runs logins one after another, and carries out the machine's effects. */
export class Login {
  readonly #ports: LoginPorts
  readonly #held = new Map<string, Held>()
  readonly #pauses: Pauses
  #model: Model
  /** The identity for the next session, if an app returned for it. */
  #next: Identity | null = null
  /** The session whose identity is stored. */
  #kept: string | null = null
  /** Obstacles to opening a session, and to the current session. */
  readonly #troubles: Record<'open' | 'ask', Trouble | null> = { open: null, ask: null }

  /** `given` if the page's server opened the session. */
  constructor(ports: LoginPorts, visible: boolean, given = false) {
    this.#ports = ports
    this.#pauses = new Pauses(ports.clock, ports.random)
    this.#model = initial(visible, given)
  }

  /** Handles an input. */
  input(input: Input): void {
    const [model, effects] = step(this.#model, input)
    this.#model = model
    for (const effect of effects) if (effect.type !== 'tell') this.#run(effect)
    this.#keep()
    this.#show()
    // Listeners may do anything, such as restart. At this point, the state is consistent.
    for (const effect of effects) {
      if (effect.type !== 'tell') continue
      const prevented = this.#ports.tell(effect.event)
      if (effect.event.name === 'confirmed' && !prevented) this.input({ type: 'accept' })
    }
  }

  /**
   * Handles the return of the app to this very tab. The login may belong to another tab; a stranger's login is ignored.
   */
  async appReturned(returned: Returned): Promise<void> {
    const held = this.#held.get(returned.id)
    if (held) {
      held.identity.returnToken = returned.token
      return this.input({ type: 'returned', session: returned.id })
    }
    this.#next = await this.#ports.takeKept(returned)
    if (this.#next) this.input({ type: 'begin' })
  }

  /** Handles a change of the network. */
  networkChanged(): void {
    if (this.#ports.online()) this.#wake()
    this.#show()
  }

  /** Handles a change of the page's visibility. */
  visibilityChanged(visible: boolean): void {
    this.input({ type: 'visible', visible })
    if (visible) this.#wake()
  }

  #wake(): void {
    this.#pauses.wake()
    for (const { poller, push } of this.#held.values()) {
      push?.wake()
      poller?.poke()
    }
  }

  #keep(): void {
    const { current } = this.#model
    if (current === this.#kept) return
    this.#kept = current
    this.#ports.keep((current !== null && this.#held.get(current)?.identity) || null)
  }

  #show(): void {
    const { phase, current, next, reason, refreshesLeft, triesLeft } = this.#model
    const held = current === null ? undefined : this.#held.get(current)
    const { ask, open } = this.#troubles
    const trouble = this.#ports.online() ? (this.#model.opening ? open : null) ?? ask : 'offline'
    this.#ports.show({
      phase,
      url: phase === 'waiting' && held ? held.opened.url : null,
      trouble: isLive(this.#model) ? trouble : null,
      triesLeft: phase === 'typing' ? triesLeft : null,
      reason: phase === 'rejected' ? reason : '',
      next: phase === 'rejected' ? next : null,
      endsAt: held && TIMED.includes(phase) ? held.endsAt + (phase === 'waiting' ? refreshesLeft * replacedAfter(held.opened) : 0) : null,
    })
  }

  #troubled(where: 'open' | 'ask', trouble: Trouble | null): void {
    if (this.#troubles[where] === trouble) return
    this.#troubles[where] = trouble
    this.#show()
  }

  #run(effect: Exclude<Effect, { type: 'tell' }>): void {
    if (effect.type === 'open') {
      void this.#open(effect.ticket)
      return
    }
    const { session } = effect
    const held = this.#held.get(session)
    if (!held) return
    switch (effect.type) {
      case 'watch':
        this.#watch(session, held)
        break
      case 'poke':
        held.poller?.poke()
        break
      case 'redeem':
        this.#askOrRedeem(session, held, effect.code)
        break
      case 'drop':
        void this.#ports.service.cancel(held.identity)
        this.#forget(session, held)
        break
      case 'forget':
        this.#forget(session, held)
        break
    }
  }

  #forget(session: string, held: Held): void {
    held.stop()
    this.#held.delete(session)
  }

  async #open(ticket: number): Promise<void> {
    const { newIdentity, returnRefused, returnUrl, service, takeKept } = this.#ports
    const wanted = () => this.#model.opening && this.#model.ticket === ticket
    // Opening a session again returns the same session, unless it has ended.
    let identity = this.#next ?? (ticket === 1 ? await takeKept() : null)
    this.#next = null
    const kept = identity
    let uncertain = kept !== null
    for (let failures = 1; wanted(); failures += 1) {
      let back: string | null = null
      try {
        identity ??= await newIdentity()
        back = returnUrl()
        const opened = await service.open(identity, back, uncertain)
        this.#opened(ticket, identity, opened, back !== null)
        // A phone may have opened it before.
        if (identity === kept) this.#held.get(identity.id)?.poller?.poke()
        return
      } catch (error) {
        const refusal = error instanceof Refusal ? error : null
        if (back !== null && refusal?.code === 'return_url_not_allowed') {
          // The login works without it.
          returnRefused(back, detailOf(refusal))
        } else if (refusal?.status === 410 && uncertain) {
          // An earlier request did open the session, which has since ended.
          identity = null
          uncertain = false
        } else if (refusal?.passing) {
          uncertain ||= refusal.uncertain
          if (wanted()) this.#troubled('open', troubleOf(refusal, failures))
          await this.#pauses.pause(failures, refusal)
        } else {
          this.input({ type: 'openFailed', ticket, error: detailOf(error) })
          return
        }
      }
    }
  }

  #opened(ticket: number, identity: Identity, opened: Opened, returnable: boolean): void {
    this.#troubled('open', null)
    this.#troubled('ask', null)
    const fault = answerFault(identity, opened)
    if (fault) {
      void this.#ports.service.cancel(identity)
      this.input({ type: 'openFailed', ticket, error: fault })
    } else {
      this.#held.set(identity.id, { identity, opened, returnable, endsAt: opened.askedAt + opened.lifetime, stop: () => {} })
      this.input({ type: 'opened', ticket, session: identity.id })
    }
  }

  #watch(session: string, held: Held): void {
    const { clock, connect, random, service } = this.#ports
    const { identity, opened } = held
    let last: Awaited<ReturnType<typeof service.status>> | null = null
    const stopTimers = watchLifetime(
      clock,
      opened,
      () => this.input({ type: 'due', session }),
      () => this.input({ type: 'over', session }),
    )
    const poller = new Poller({
      clock,
      random,
      ask: async () => {
        const before = last
        last = await service.status(identity, last).catch((error: unknown) => {
          // The session no longer exists, or was never ours.
          const gone = error instanceof Refusal && GONE.includes(error.code)
          if (gone) return { state: 'expired', left: null, tag: null } as const
          throw error
        })
        if (this.#held.get(session) !== held) return
        this.#troubled('ask', null)
        const { left } = last
        // Each answer took some time, so the shortest remaining time is the most accurate, until the next
        // state has its own.
        if (left !== null && last !== before) {
          const known = last.state === (before?.state ?? 'created') ? held.endsAt : Infinity
          held.endsAt = Math.min(known, clock.now() + left)
        }
        // The other tab may have redeemed it while the browser suspended this one. Trying to redeem it shows
        // whether that is so.
        const state = last.state === 'consumed' && held.returnable ? 'confirmed' : last.state
        this.input({ type: 'status', session, state })
      },
      failed: (refusal, failures) => {
        // An occasional lost request does not matter.
        if (failures > 1 || refusal.wait !== null) this.#troubled('ask', troubleOf(refusal, failures))
      },
    })
    const push = new Push({
      clock,
      random,
      connect: () => connect(opened.socketUrl),
      hello: JSON.stringify({ sessionId: identity.id, token: identity.token }),
      changed: () => poller.poke(),
      pushed: (pushed) => {
        poller.pushed = pushed
      },
    })
    Object.assign(held, {
      poller,
      push,
      stop: () => {
        stopTimers()
        poller.stop()
        push.stop()
      },
    })
  }

  #askOrRedeem(session: string, held: Held, code: string | null): void {
    if (held.opened.needsCode) {
      // Watching continues, because the user may need all the remaining time. Only the service knows whether
      // the app returns instead.
      if (code === null && !held.returnable && !held.identity.returnToken) return this.input({ type: 'codeNeeded', session })
    } else {
      held.stop()
    }
    void this.#redeem(session, held, code)
  }

  async #redeem(session: string, held: Held, code: string | null): Promise<void> {
    const { clock, newReceipt, origin, service } = this.#ports
    const receipt = newReceipt()
    const until = clock.now() + REDEEMABLE
    let uncertain = false
    for (let failures = 1; this.#held.get(session) === held; failures += 1) {
      const { returnToken } = held.identity
      try {
        const tie = { checkCode: code ?? undefined, returnToken }
        const redeemed = await service.redeem(held.identity, receipt, tie)
        this.#troubled('ask', null)
        this.input(redeemed ? await readRedeemed(held.identity, redeemed, origin) : { type: 'redeemed', session, detail: withoutPayload(session) })
        return
      } catch (error) {
        const refusal = error instanceof Refusal ? error : badAnswer()
        // The app has returned in the meantime.
        if (returnToken !== held.identity.returnToken) continue
        if (refusal.passing && clock.now() < until) {
          uncertain ||= refusal.uncertain
          this.#troubled('ask', troubleOf(refusal, failures))
          await this.#pauses.pause(failures, refusal)
          continue
        }
        this.#troubled('ask', null)
        const failure = redeemFailure(held.identity, refusal, uncertain, held.returnable)
        if (failure.type === 'elsewhere') held.stop()
        this.input(failure)
        return
      }
    }
  }
}

function detailOf(error: unknown): Fault {
  if (error instanceof Refusal) return { code: error.code, message: error.message }
  return { code: 'no_key', message: 'This browser could not generate a key.' }
}
