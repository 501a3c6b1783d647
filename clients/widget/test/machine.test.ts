import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import {
  initial, isLive, MAX_REFRESHES, step, type Effect, type Input, type Model, type SessionState,
} from '../src/machine.ts'

/** Applies inputs in turn, and returns the last model and all effects. */
function run(model: Model, ...inputs: Input[]): { model: Model; effects: Effect[] } {
  const effects: Effect[] = []
  for (const input of inputs) {
    const [next, follow] = step(model, input)
    model = next
    effects.push(...follow)
  }
  return { model, effects }
}

const told = (effects: Effect[]) => effects.flatMap((effect) => (effect.type === 'tell' ? [effect.event.name] : []))
const kinds = (effects: Effect[]) => effects.map((effect) => effect.type)

const begin: Input = { type: 'begin' }
const status = (state: SessionState, session = 'a'): Input => ({ type: 'status', session, state })
const opened = (ticket: number, session: string): Input => ({ type: 'opened', ticket, session })
const detail = { sessionId: 'a', payload: 'p', salt: null, proof: null }
const error = { code: 'x', message: 'y' }

/** A login whose code is shown. */
const waiting = run(initial(true), begin, opened(1, 'a')).model
const scanned = run(waiting, status('scanned')).model
/** A login whose code `a` has just been replaced with `b`. */
const replaced = run(waiting, { type: 'due', session: 'a' }, opened(2, 'b')).model

describe('scanned is dispatched before the outcome', () => {
  const outcomes: [SessionState, string[]][] = [
    ['scanned', ['scanned']],
    ['denied', ['scanned', 'denied']],
    ['blocked', ['scanned', 'blocked']],
    ['consumed', ['scanned', 'error']],
  ]
  for (const [state, events] of outcomes) {
    test(`from created to ${state}`, () => {
      assert.deepEqual(told(run(waiting, status(state)).effects), events)
    })
    test(`from created over scanned to ${state}`, () => {
      assert.deepEqual(told(run(waiting, status('scanned'), status(state)).effects), events)
    })
  }

  test('from created to confirmed', () => {
    const { effects } = run(waiting, status('confirmed'), { type: 'redeemed', session: 'a', detail })
    assert.deepEqual(kinds(effects), ['tell', 'redeem', 'forget', 'tell'])
    assert.deepEqual(told(effects), ['scanned', 'confirmed'])
  })

  test('in any order of inputs, an outcome follows exactly one scan', () => {
    const states: SessionState[] = ['created', 'scanned', 'confirmed', 'consumed', 'denied', 'blocked', 'expired']
    const inputs: Input[] = [
      begin, opened(1, 'a'), opened(2, 'b'), { type: 'due', session: 'a' }, { type: 'over', session: 'a' },
      { type: 'visible', visible: false }, { type: 'visible', visible: true }, { type: 'cancel' },
      { type: 'redeemed', session: 'a', detail }, { type: 'redeemed', session: 'b', detail },
      { type: 'redeemFailed', session: 'a', error }, { type: 'ended', session: 'b', state: 'expired' },
      { type: 'ended', session: 'a', state: 'blocked' }, { type: 'codeNeeded', session: 'a' },
      { type: 'codeNeeded', session: 'b' }, { type: 'typed', code: '42' },
      { type: 'codeWrong', session: 'a', triesLeft: 2 },
      ...states.flatMap((state) => [status(state, 'a'), status(state, 'b')]),
    ]
    // A linear congruential generator, so that every run tries the same 20,000 sequences.
    let seed = 7
    const pick = (): Input => inputs[(seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % inputs.length]!
    for (let way = 0; way < 20_000; way += 1) {
      const taken: Input[] = [begin, ...Array.from({ length: 12 }, pick)]
      let model = initial(true)
      let scans = 0
      for (const input of taken) {
        const [next, effects] = step(model, input)
        if (input.type === 'begin') scans = 0
        for (const effect of effects) {
          if (effect.type !== 'tell') continue
          const { event } = effect
          const say = (): string => `${event.name} after ${scans} scans: ${JSON.stringify(taken)}`
          if (event.name === 'scanned') assert.equal(scans++, 0, say())
          else if (['confirmed', 'denied', 'blocked'].includes(event.name)) assert.equal(scans, 1, say())
          else if (event.name === 'expired') assert.equal(scans, event.detail.scanned ? 1 : 0, say())
          assert.ok(event.name === 'scanned' || !isLive(next), say())
        }
        model = next
      }
    }
  })
})

describe('replacing a code', () => {
  test('keeps watching the old code', () => {
    assert.equal(replaced.phase, 'waiting')
    assert.deepEqual([replaced.current, replaced.former], ['b', 'a'])
  })

  test('accepts a late scan of the old code and drops the new one', () => {
    const { model, effects } = run(replaced, status('scanned', 'a'))
    assert.deepEqual([model.phase, model.current, model.former], ['scanned', 'a', null])
    assert.deepEqual(effects[0], { type: 'drop', session: 'b' })
  })

  test('accepts a scan while the new code is being created and then drops that', () => {
    const { model, effects } = run(waiting, { type: 'due', session: 'a' }, status('scanned'), opened(2, 'b'))
    assert.deepEqual([model.phase, model.current], ['scanned', 'a'])
    assert.deepEqual(effects.at(-1), { type: 'drop', session: 'b' })
  })

  test('forgets the old code when it expires', () => {
    const { model, effects } = run(replaced, status('expired', 'a'))
    assert.deepEqual([model.phase, model.former], ['waiting', null])
    assert.deepEqual(kinds(effects), ['forget'])
  })

  test('hides an expired code and asks the service', () => {
    const { model, effects } = run(waiting, { type: 'over', session: 'a' })
    assert.equal(model.phase, 'opening')
    assert.deepEqual(kinds(effects), ['poke'])
    assert.deepEqual(kinds(run(model, status('expired')).effects), ['forget', 'open'])
    assert.deepEqual(kinds(run(model, status('created')).effects), ['open'])
    assert.deepEqual(told(run(model, status('confirmed')).effects), ['scanned'])
  })

  test('stops after the maximum number of refreshes and reports expiry once the last code expired', () => {
    let model = waiting
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    for (let count = 0; count < MAX_REFRESHES; count += 1) {
      model = run(model, { type: 'due', session: names[count]! }, opened(model.ticket + 1, names[count + 1]!)).model
    }
    const last = names[MAX_REFRESHES]!
    const idle = run(model, { type: 'due', session: last })
    assert.equal(idle.model.phase, 'waiting')
    assert.deepEqual(idle.effects, [])
    const { model: over, effects } = run(idle.model, { type: 'over', session: last }, status('expired', last))
    assert.equal(over.phase, 'expired')
    const event = effects.find((effect) => effect.type === 'tell')
    assert.deepEqual(event, { type: 'tell', event: { name: 'expired', detail: { scanned: false } } })
    assert.deepEqual(kinds(run(over, begin).effects), ['open'])
  })

  test('waits while the page is hidden and asks for the state when it is visible again', () => {
    const hidden = run(waiting, { type: 'visible', visible: false }, { type: 'due', session: 'a' })
    assert.deepEqual(hidden.effects, [])
    const back = run(hidden.model, { type: 'visible', visible: true })
    assert.deepEqual(kinds(back.effects), ['poke'])
    assert.deepEqual(kinds(run(back.model, status('created')).effects), ['open'])
    assert.deepEqual(kinds(run(back.model, status('expired')).effects), ['forget', 'open'])
    assert.deepEqual(told(run(back.model, status('scanned')).effects), ['scanned'])
  })

  test('requests no code before the page is visible', () => {
    const hidden = run(initial(false), begin)
    assert.deepEqual(hidden.effects, [])
    assert.deepEqual(kinds(run(hidden.model, { type: 'visible', visible: true }).effects), ['open'])
  })
})

describe('ends', () => {
  test('scanned login without a decision expires', () => {
    const { effects } = run(scanned, status('expired'))
    assert.deepEqual(effects.at(-1), { type: 'tell', event: { name: 'expired', detail: { scanned: true } } })
  })

  test('payload fetched too late counts as expired', () => {
    const { model } = run(scanned, status('confirmed'), { type: 'ended', session: 'a', state: 'expired' })
    assert.equal(model.phase, 'late')
  })

  test('phase says how far an expired or blocked login had come', () => {
    const [early, late] = [run(scanned), run(scanned, status('confirmed'), { type: 'codeNeeded', session: 'a' })]
    const after = (from: typeof early, state: 'expired' | 'blocked') => run(from.model, status(state)).model.phase
    assert.deepEqual([after(early, 'expired'), after(early, 'blocked')], ['late', 'blocked'])
    assert.deepEqual([after(late, 'expired'), after(late, 'blocked')], ['late', 'wrongCodes'])
  })

  test('states that arrive while the payload is fetched are ignored', () => {
    const redeeming = run(scanned, status('confirmed')).model
    assert.deepEqual(run(redeeming, status('consumed'), status('expired')).effects, [])
  })

  test('cancelling drops all sessions and dispatches one event', () => {
    const { model, effects } = run(replaced, { type: 'cancel' }, { type: 'cancel' })
    assert.equal(model.phase, 'cancelled')
    assert.deepEqual(kinds(effects), ['drop', 'drop', 'tell'])
    assert.deepEqual(told(effects), ['cancelled'])
  })

  test('cancelling while a session is being opened drops it once it is open', () => {
    const { effects } = run(initial(true), begin, { type: 'cancel' }, opened(1, 'a'))
    assert.deepEqual(effects.at(-1), { type: 'drop', session: 'a' })
  })

  test('removed element dispatches no event', () => {
    const { model, effects } = run(scanned, { type: 'stop' }, status('confirmed'))
    assert.equal(model.phase, 'idle')
    assert.deepEqual(effects, [{ type: 'drop', session: 'a' }])
  })

  test('inputs after the end are ignored', () => {
    const over = run(scanned, status('denied')).model
    const late = run(over, status('confirmed'), { type: 'due', session: 'a' }, { type: 'visible', visible: true })
    assert.deepEqual(late.effects, [])
    assert.equal(late.model.phase, 'denied')
  })

  test('failure to open is an error unless the request is outdated', () => {
    const { model, effects } = run(initial(true), begin, { type: 'openFailed', ticket: 1, error })
    assert.equal(model.phase, 'failed')
    assert.deepEqual(told(effects), ['error'])
    assert.deepEqual(run(waiting, { type: 'openFailed', ticket: 1, error }).effects, [])
  })
})
