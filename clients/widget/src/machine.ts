// A login as a pure function: a model and an input give the next model and its effects. No clock, no network
// and no page.

import type { ConfirmedDetail, Fault, Told } from './events.ts'
import type { Next } from './next.ts'

/** A session's state, in the service's words. */
export type SessionState =
  | 'created' | 'scanned' | 'confirmed' | 'consumed'
  | 'denied' | 'blocked' | 'expired' | 'cancelled'

/** The visible phase. */
export type Phase =
  /** Not started. */
  | 'idle'
  /** There is no code yet, but one is coming. */
  | 'opening'
  /** A code waits to be scanned. */
  | 'waiting'
  | 'scanned'
  /** The user confirmed, and types the check code that the phone shows. */
  | 'typing'
  /** The user confirmed, and the payload is being fetched. */
  | 'redeeming'
  /** The page has the payload and decides. */
  | 'checking'
  /** The user confirmed, and the app returned to another tab. */
  | 'elsewhere'
  /** The page did not accept the login. */
  | 'rejected'
  /** Too many wrong check codes blocked the login. */
  | 'wrongCodes'
  /** A phone opened the code, but the login was not finished in time. */
  | 'late'
  | 'confirmed' | 'denied' | 'blocked' | 'expired' | 'cancelled' | 'failed'

/** Number of codes that automatically replace the first one, which takes about five minutes. */
export const MAX_REFRESHES = 5

export interface Model {
  /** Whether the page's server opened the session: nothing replaces it, and its payload is not for this page. */
  readonly given: boolean
  readonly phase: Phase
  /** The session whose code is shown or was scanned. */
  readonly current: string | null
  /** The previous session until it ends: it may have been scanned at the last moment. */
  readonly former: string | null
  /** Identifies the latest request for a session. */
  readonly ticket: number
  /** Whether that request is in progress. */
  readonly opening: boolean
  /** Whether a new code is due as soon as the page is visible. */
  readonly due: boolean
  readonly visible: boolean
  /** Number of codes that may still follow automatically. */
  readonly refreshesLeft: number
  /** Number of wrong check codes that the service still allows; `null` before the first. */
  readonly triesLeft: number | null
  /** The page's reason for rejecting a login. */
  readonly reason: string
  /** The page's next step. */
  readonly next: Next | null
}

export type Input =
  /** Start, or start again. */
  | { readonly type: 'begin' }
  | { readonly type: 'opened'; readonly ticket: number; readonly session: string }
  | { readonly type: 'openFailed'; readonly ticket: number; readonly error: Fault }
  | { readonly type: 'status'; readonly session: string; readonly state: SessionState }
  /** A code is about to expire. */
  | { readonly type: 'due'; readonly session: string }
  /** A code has expired by the page's clock. The service decides. */
  | { readonly type: 'over'; readonly session: string }
  | { readonly type: 'redeemed'; readonly session: string; readonly detail: ConfirmedDetail }
  /** The confirmed session ended before the payload was fetched. */
  | { readonly type: 'ended'; readonly session: string; readonly state: 'expired' | 'blocked' | 'cancelled' }
  /** The payload needs a check code. */
  | { readonly type: 'codeNeeded'; readonly session: string }
  /** The app returns to another tab, which gets the payload. */
  | { readonly type: 'elsewhere'; readonly session: string }
  /** The app returned to this tab. */
  | { readonly type: 'returned'; readonly session: string }
  /** The user typed two digits. */
  | { readonly type: 'typed'; readonly code: string }
  | { readonly type: 'codeWrong'; readonly session: string; readonly triesLeft: number }
  | { readonly type: 'redeemFailed'; readonly session: string; readonly error: Fault }
  /** The page accepted the payload. */
  | { readonly type: 'accept' }
  /** The page did not accept the payload; the reason may be empty. */
  | { readonly type: 'reject'; readonly reason: string; readonly next?: Next | null }
  | { readonly type: 'visible'; readonly visible: boolean }
  /** It can never work. */
  | { readonly type: 'fail'; readonly error: Fault }
  | { readonly type: 'cancel' }
  /** The element was removed: like `cancel`, without an event. */
  | { readonly type: 'stop' }

export type Effect =
  | { readonly type: 'open'; readonly ticket: number }
  | { readonly type: 'watch'; readonly session: string }
  /** Requests the state immediately. */
  | { readonly type: 'poke'; readonly session: string }
  /** The session ended: stops watching, and drops its key. */
  | { readonly type: 'forget'; readonly session: string }
  /** The session has not ended, but is no longer wanted: like `forget`, and also tells the service. */
  | { readonly type: 'drop'; readonly session: string }
  | { readonly type: 'redeem'; readonly session: string; readonly code: string | null }
  | { readonly type: 'tell'; readonly event: Told }

/** The next model and its effects. */
export type Step = readonly [Model, readonly Effect[]]

export function initial(visible: boolean, given = false): Model {
  return {
    given,
    phase: 'idle',
    current: null,
    former: null,
    ticket: 0,
    opening: false,
    due: false,
    visible,
    refreshesLeft: refreshes(given),
    triesLeft: null,
    reason: '',
    next: null,
  }
}

const refreshes = (given: boolean) => (given ? 0 : MAX_REFRESHES)

/** Computes one step. */
export function step(model: Model, input: Input): Step {
  switch (input.type) {
    case 'begin':
      return begin(model)
    case 'opened':
      return opened(model, input.ticket, input.session)
    case 'openFailed':
      return awaited(model, input.ticket) ? fail(model, input.error) : [model, []]
    case 'status':
      return status(model, input.session, input.state)
    case 'due':
      return isShown(model, input.session) ? renew(model) : [model, []]
    case 'over':
      return over(model, input.session)
    case 'redeemed':
      return ifRedeeming(model, input.session, () => (
        end(model, 'checking', { name: 'confirmed', detail: input.detail })
      ))
    case 'ended':
      return ifRedeeming(model, input.session, () => outcome(model, input.state))
    case 'codeNeeded':
      return ifRedeeming(model, input.session, () => [{ ...model, phase: 'typing', triesLeft: null }, []])
    case 'elsewhere':
      return ifRedeeming(model, input.session, () => [{ ...model, phase: 'elsewhere' }, []])
    case 'returned':
      // This arrives after the confirmation.
      return model.phase === 'elsewhere' && input.session === model.current
        ? redeem(model, null)
        : [model, [{ type: 'poke', session: input.session }]]
    case 'codeWrong':
      return ifRedeeming(model, input.session, () => (
        [{ ...model, phase: 'typing', triesLeft: input.triesLeft }, []]
      ))
    case 'typed':
      return model.phase === 'typing' ? redeem(model, input.code) : [model, []]
    case 'redeemFailed':
      return ifRedeeming(model, input.session, () => failed(model, input.error))
    case 'accept':
      return [model.phase === 'checking' ? { ...model, phase: 'confirmed' } : model, []]
    case 'reject':
      return [
        model.phase === 'checking' || model.phase === 'confirmed'
          ? { ...model, phase: 'rejected', reason: input.reason, next: input.next ?? null }
          : model,
        [],
      ]
    case 'visible':
      return seen(model, input.visible)
    case 'fail':
      return fail(model, input.error)
    case 'cancel':
      return isLive(model) ? giveUp(model, 'cancelled', CANCELLED) : [model, []]
    case 'stop':
      return giveUp(model, 'idle')
  }
}

/** Returns whether the login may still have an outcome. */
export function isLive({ phase }: Model): boolean {
  return ['opening', 'waiting', 'scanned', 'typing', 'redeeming'].includes(phase)
}

/** Returns whether a code is shown or being created, and none has been scanned. */
function isOpen({ phase }: Model): boolean {
  return phase === 'opening' || phase === 'waiting'
}

const isShown = ({ current, phase }: Model, session: string) => (
  phase === 'waiting' && session === current
)

const awaited = (model: Model, ticket: number) => model.opening && model.ticket === ticket

const each = (type: 'drop' | 'forget', ...sessions: (string | null)[]): Effect[] => (
  sessions.flatMap((session) => (session === null ? [] : [{ type, session }]))
)

/** Gives up the sessions, except one that another tab continues. */
const leave = ({ current, former, phase }: Model) => (
  [...each(phase === 'elsewhere' ? 'forget' : 'drop', current), ...each('drop', former)]
)

const CANCELLED: Told = { name: 'cancelled', detail: null }

const NONE = { current: null, former: null, opening: false, due: false } as const

function begin(model: Model): Step {
  const left = leave(model)
  const fresh: Model = { ...model, ...NONE, phase: 'opening', refreshesLeft: refreshes(model.given) }
  const [next, effects] = ask(fresh)
  return [next, [...left, ...effects]]
}

/**
 * Requests a session now, or as soon as the page is visible. A session from the page's server has already begun.
 */
function ask(model: Model): Step {
  if (!model.visible && !model.given) return [{ ...model, due: true }, []]
  const ticket = model.ticket + 1
  return [{ ...model, ticket, opening: true, due: false }, [{ type: 'open', ticket }]]
}

function opened(model: Model, ticket: number, session: string): Step {
  if (!awaited(model, ticket)) return [model, each('drop', session)]
  const effects: Effect[] = [...each('drop', model.former), { type: 'watch', session }]
  const next = { ...model, phase: 'waiting', current: session, former: model.current } as const
  return [{ ...next, opening: false }, effects]
}

/** Replaces the code, unless it has been replaced automatically often enough. */
function renew(model: Model): Step {
  if (model.opening) return [model, []]
  if (!model.visible && !model.given) return [{ ...model, due: true }, []]
  if (model.refreshesLeft > 0) return ask({ ...model, refreshesLeft: model.refreshesLeft - 1 })
  // The last code can be scanned as long as it is valid.
  if (model.phase === 'waiting') return [{ ...model, due: false }, []]
  return giveUp(model, 'expired', { name: 'expired', detail: { scanned: false } })
}

function over(model: Model, session: string): Step {
  if (!isOpen(model) || (session !== model.current && session !== model.former)) return [model, []]
  const phase = session === model.current && !model.given ? 'opening' : model.phase
  return [{ ...model, phase }, [{ type: 'poke', session }]]
}

function status(model: Model, session: string, state: SessionState): Step {
  if (session !== model.current && session !== model.former) return [model, []]
  if (isOpen(model)) {
    if (state === 'created') return stillGood(model, session)
    if (state === 'expired') return unscanned(model, session)
    if (state !== 'cancelled') return scanned(model, session, state)
    if (session === model.former) return [{ ...model, former: null }, each('forget', session)]
  } else if (model.phase === 'typing') {
    // The session is known to be confirmed.
    return state === 'confirmed' ? [model, []] : outcome(model, state)
  } else if (model.phase !== 'scanned') {
    return [model, []]
  }
  return outcome(model, state)
}

function stillGood(model: Model, session: string): Step {
  const wanted = session === model.current && (model.due || model.phase === 'opening')
  return wanted ? renew(model) : [model, []]
}

function unscanned(model: Model, session: string): Step {
  const forgotten = each('forget', session)
  if (session === model.former) return [{ ...model, former: null }, forgotten]
  const [next, effects] = renew({ ...model, phase: 'opening', current: null })
  return [next, [...forgotten, ...effects]]
}

/** Handles a scan. `state` may already be an outcome. */
function scanned(model: Model, session: string, state: SessionState): Step {
  const other = session === model.current ? model.former : model.current
  const next: Model = { ...model, ...NONE, phase: 'scanned', current: session }
  const [last, effects] = outcome(next, state)
  return [last, [...each('drop', other), tell({ name: 'scanned', detail: { sessionId: session } }), ...effects]]
}

function outcome(model: Model, state: SessionState): Step {
  switch (state) {
    case 'created':
    case 'scanned':
      return [model, []]
    case 'confirmed':
      return redeem(model, null)
    case 'consumed':
      // The digits were right, perhaps before the page was reloaded.
      if (model.given) return end(model, 'checking', { name: 'confirmed', detail: withoutPayload(model.current ?? '') })
      return failed(model, {
        code: 'already_redeemed',
        message: 'The payload was already delivered, but not to this page.',
      })
    case 'expired':
      return end(model, 'late', { name: 'expired', detail: { scanned: true } })
    case 'blocked':
      // After the confirmation, nothing else blocks a login.
      return end(model, model.phase === 'scanned' ? state : 'wrongCodes', { name: state, detail: null })
    case 'denied':
    case 'cancelled':
      return end(model, state, { name: state, detail: null })
  }
}

function redeem(model: Model, code: string | null): Step {
  const { current } = model
  return [
    { ...model, phase: 'redeeming' },
    current === null ? [] : [{ type: 'redeem', session: current, code }],
  ]
}

function ifRedeeming(model: Model, session: string, then: () => Step): Step {
  return model.phase === 'redeeming' && session === model.current ? then() : [model, []]
}

function seen(model: Model, visible: boolean): Step {
  const next: Model = { ...model, visible }
  if (!visible || !isLive(model)) return [next, []]
  // The page is visible again. What happened to the code in the meantime has to be handled before a new one.
  const attended: Model = { ...next, refreshesLeft: refreshes(model.given) }
  const pokes = [model.current, model.former].flatMap((session): Effect[] => (
    session === null ? [] : [{ type: 'poke', session }]
  ))
  return model.current === null && model.due ? ask(attended) : [attended, pokes]
}

/**
 * Returns the part of a confirmation that a page receives if its server opened the login. The server has the rest.
 */
export const withoutPayload = (sessionId: string): ConfirmedDetail => ({ sessionId, payload: null, salt: null, proof: null })

const tell = (event: Told): Effect => ({ type: 'tell', event })

/** Ends the login after its session has ended. */
function end(model: Model, phase: Phase, event: Told): Step {
  const effects = [...each('forget', model.current), ...each('drop', model.former), tell(event)]
  return [{ ...model, ...NONE, phase }, effects]
}

function failed(model: Model, error: Fault): Step {
  return end(model, 'failed', { name: 'error', detail: error })
}

function fail(model: Model, error: Fault): Step {
  return giveUp(model, 'failed', { name: 'error', detail: error })
}

/** Ends the login from this side, which drops its sessions. */
function giveUp(model: Model, phase: Phase, event?: Told): Step {
  const effects = leave(model)
  return [{ ...model, ...NONE, phase }, event ? [...effects, tell(event)] : effects]
}
