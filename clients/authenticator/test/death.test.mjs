// Processes that die at any call of a port, and others that continue.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ORIGIN, World, failure } from './support/world.mjs'

const NEVER = new Promise(() => {})

/** Makes a process of the phone that dies at a call of its storage, keys or HTTP: before it takes effect, or after. */
function mortal(world, { at, after }) {
  let calls = 0
  let die
  const death = new Promise((resolve) => { die = resolve })
  const guard = async (run) => {
    calls += 1
    if (calls > at) return NEVER
    if (calls < at) return run()
    // It does not live to see an error.
    if (after) await Promise.resolve().then(run).catch(() => {})
    die('died')
    return NEVER
  }
  const wrap = (port, names) => Object.fromEntries(names.map((name) => [name, (...words) => guard(() => port[name](...words))]))
  const phone = world.phone({
    storage: wrap(world.storage, ['get', 'add', 'set', 'remove', 'names']),
    keys: wrap(world.keys, ['generate', 'publicKey', 'list', 'sign']),
    http: (request) => guard(() => world.serve(request)),
  })
  return { phone, death }
}

/** Handles a link as an app does. Returns whether the user was asked. */
async function flow(phone, id, decision) {
  let session
  try {
    session = await phone.open(id)
  } catch (error) {
    if (error.code !== 'already_answered') throw error
    assert.equal(error.decision, decision)
    return false
  }
  await (decision === 'confirm' ? session.confirm('a token') : session.deny())
  return true
}

/** Lets processes die, then runs one to its end. Returns whether the last mortal one died. */
async function lives(decision, fates, ...deaths) {
  const world = await World.of()
  await world.phone().keys.generate()
  world.fates = [...fates]
  let end
  for (const death of deaths) {
    const { phone, death: dead } = mortal(world, death)
    end = await Promise.race([dead, flow(phone, world.id, decision)])
  }
  await flow(world.phone(), world.id, decision)
  const what = `${decision} ${fates} ${JSON.stringify(deaths)}`
  assert.equal(new Set(world.calls.map(({ headers }) => headers.authorization)).size, 1, what)
  const sent = world.calls.filter(({ route }) => route !== 'initiate')
  assert.deepEqual([...new Set(sent.map(({ route }) => route))], [decision], what)
  assert.equal(new Set(sent.map(({ body }) => body)).size, 1, `${what}: the same bytes`)
  assert.equal(world.decision.route, decision, what)
  if (decision === 'confirm') assert.equal((await world.sealed()).payload, 'a token', what)
  return end === 'died'
}

test('process that dies at any call leaves one decision', async () => {
  for (const decision of ['confirm', 'deny']) {
    for (const fates of [[], ['lost'], [undefined, 'lost']]) {
      for (const after of [false, true]) {
        let at = 1
        while (await lives(decision, fates, { at, after })) at += 1
        assert.ok(at >= 9, `${at} calls before the flow was over`)
      }
    }
  }
})

test('two deaths in a row leave one decision', async () => {
  for (let first = 1; first < 14; first += 1) {
    for (let second = 1; second < 14; second += 2) {
      await lives('confirm', [undefined, 'lost'], { at: first, after: true }, { at: second, after: false })
    }
  }
})

/** Opens a login, and stores a confirmation without sending it. */
async function storedOnly(change = () => {}) {
  const world = await World.of()
  change(world)
  const session = await world.open()
  world.fates = ['hopeless']
  await failure(session.confirm('a token'))
  assert.equal(world.decision, undefined)
  return world
}

test('person is asked again unless an answer was stored', async () => {
  const world = await World.of()
  await world.open()
  assert.equal(await flow(world.phone(), world.id, 'deny'), true)
  const other = await storedOnly()
  assert.equal(await flow(other.phone(), other.id, 'confirm'), false)
  assert.equal((await other.sealed()).payload, 'a token')
})

test('confirmation of a dead process still leads back to the page', async () => {
  const returnUrl = `${ORIGIN}/#countersign=x.y`
  const world = await storedOnly((one) => {
    one.answer.returnUrl = returnUrl
    one.options.returnsToPages = true
  })
  const known = await failure(world.open())
  assert.deepEqual([known.code, known.decision, known.returnUrl], ['already_answered', 'confirm', returnUrl])
})

test('refused answer of a dead process is asked for again', async () => {
  const world = await storedOnly()
  world.fates = [{ status: 403, body: { title: 'No', code: 'proof_invalid' } }]
  assert.equal(await flow(world.phone(), world.id, 'deny'), true)
  assert.equal(world.decision.route, 'deny')
})

test('answer of a dead process to a login that is over is forgotten', async () => {
  const world = await storedOnly()
  world.ended = 'session_expired'
  assert.equal((await failure(world.open())).code, 'expired')
  assert.deepEqual(world.storage.names(), ['countersign.secret'])
})

test('answers are kept until their logins have ended, and damaged ones are not', async () => {
  for (const [after, kept] of [[4 * 60_000 - 1000, 1], [4 * 60_000 + 1000, 0]]) {
    const world = await World.of()
    await (await world.open()).confirm('a token')
    const [answer] = world.storage.names().filter((name) => name.includes('answer'))
    world.storage.set('countersign.answer.damaged', '{}')
    world.storage.set('another', '{}')
    const next = await World.of()
    Object.assign(next, { storage: world.storage, time: after })
    await next.open()
    assert.deepEqual(world.storage.names().sort(), ['another', ...kept ? [answer] : [], 'countersign.secret'])
  }
})

test('damaged answer stops its login', async () => {
  const world = await storedOnly()
  const [name] = world.storage.names().filter((one) => one.includes('answer'))
  world.storage.set(name, `${world.storage.get(name)} `)
  assert.equal((await failure(world.open())).code, 'storage_failed')
  assert.equal(world.decision, undefined)
})
