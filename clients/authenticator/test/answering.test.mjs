// Confirming and denying.

import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { test } from 'node:test'

import { CONTEXT, World, failure } from './support/world.mjs'

const claimsOf = (proof) => proof.split('.').slice(0, 2).map((part) => JSON.parse(Buffer.from(part, 'base64url')))

/** Verifies a proof with a public key in Base64. */
function isBy(proof, publicKey) {
  const [header, claims, signature] = proof.split('.')
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
  return verify('sha256', Buffer.from(`${header}.${claims}`), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
}

test('confirmation reaches the browser encrypted', async () => {
  const world = await World.of()
  assert.deepEqual(await (await world.open()).confirm("Zoë's token"), { proven: false })
  const { payload, salt } = await world.sealed()
  assert.equal(payload, "Zoë's token")
  assert.match(salt, /^[\w-]{22}$/)
  const [, { headers, body }] = world.calls
  assert.deepEqual([Object.keys(JSON.parse(body)).sort(), headers['x-app-key']], [['encrypted', 'payload'], undefined])
  assert.ok(!body.includes('token'))
})

test('confirmation is proven with the key of its user', async () => {
  for (const [user, signer] of [['zoe', 'zoe'], [undefined, 'ANON'], ['ANON', 'ANON']]) {
    const world = await World.of({ context: CONTEXT })
    const { keys } = world.phone()
    await keys.generate('other')
    const publicKey = await keys.generate(signer)
    const session = await world.open(user)
    world.time += 30_000
    assert.deepEqual(await session.confirm('a token'), { proven: true })
    const { proof } = JSON.parse(world.decision.body)
    const [{ kid }, { sub, iat, exp, jti }] = claimsOf(proof)
    assert.ok(isBy(proof, publicKey))
    assert.deepEqual([kid, sub, jti, exp - iat], [await keys.keyId(signer), signer === 'zoe' ? 'zoe' : undefined, world.id, 300])
    assert.equal(iat, Math.floor(session.now.getTime() / 1000))
  }
})

test('user without a key confirms without a proof', async () => {
  const world = await World.of()
  await world.phone().keys.generate()
  assert.deepEqual(await (await world.open('zoe')).confirm('a token'), { proven: false })
})

test('readable payload has its salt beside it only with a proof', async () => {
  for (const withKey of [false, true]) {
    const world = await World.of({ plain: true })
    world.options.allowUnencrypted = true
    if (withKey) await world.phone().keys.generate()
    await (await world.open()).confirm('a token')
    const { payload, salt, proof, encrypted } = JSON.parse(world.decision.body)
    assert.deepEqual([payload, salt !== undefined, proof !== undefined, encrypted], ['a token', withKey, withKey, undefined])
  }
})

test('repeated confirmation is the same byte for byte', async () => {
  const world = await World.of()
  await world.phone().keys.generate()
  const session = await world.open()
  world.fates = ['lost', 'unsent', 'lost']
  assert.deepEqual(await session.confirm('a token'), { proven: true })
  assert.deepEqual(await session.confirm('another token'), { proven: true })
  const sent = world.bodies('confirm')
  assert.deepEqual([sent.length, new Set(sent).size, (await world.sealed()).payload], [5, 1, 'a token'])
})

test('two concurrent confirmations send the same', async () => {
  const world = await World.of()
  const [one, other] = [await world.open(), await world.open()]
  await Promise.all([one.confirm('a'), other.confirm('b'), one.confirm('c')])
  assert.equal(new Set(world.bodies('confirm')).size, 1)
})

test('denial is readable, and repeated the same', async () => {
  const world = await World.of()
  const session = await world.open()
  world.fates = ['lost']
  await session.deny('not me')
  await session.deny('')
  assert.deepEqual(world.bodies('deny'), Array(3).fill('{"payload":"not me"}'))
})

test('denial is final', async () => {
  const world = await World.of()
  const session = await world.open()
  world.fates = ['hopeless']
  assert.equal((await failure(session.deny())).code, 'network')
  const { code, decision } = await failure(session.confirm('a token'))
  assert.deepEqual([code, decision, world.decision.route], ['already_answered', 'deny', 'deny'])
  await session.deny()
})

test('denial replaces a confirmation that did not arrive', async () => {
  const world = await World.of()
  const session = await world.open()
  world.fates = ['hopeless']
  await failure(session.confirm('a token'))
  await session.deny()
  assert.equal(world.decision.route, 'deny')
  assert.equal((await failure(session.confirm('a token'))).decision, 'deny')
})

test('confirmation that did arrive is final', async () => {
  const world = await World.of()
  const session = await world.open()
  world.fates = ['lost', 'hopeless']
  await failure(session.confirm('a token'))
  assert.equal((await failure(session.deny())).code, 'ended')
  assert.equal(world.decision.route, 'confirm')
})

test('denial stops a confirmation under way', async () => {
  const world = await World.of()
  let waiting
  const isWaiting = new Promise((resolve) => { waiting = resolve })
  let goOn
  const waits = new Promise((resolve) => { goOn = resolve })
  world.options.sleep = async (millis) => {
    if (millis >= 10_000) return new Promise(() => {})
    waiting()
    return waits
  }
  const session = await world.open()
  world.fates = ['unsent']
  const confirming = failure(session.confirm('a token'))
  await isWaiting
  await session.deny()
  goOn()
  assert.equal((await confirming).decision, 'deny')
  assert.deepEqual(world.routes(), ['initiate', 'confirm', 'deny', 'deny'])
})

test('concurrent answers report what happened', async () => {
  const ends = new Set()
  for (let round = 0; round < 6; round += 1) {
    const world = await World.of()
    const session = await world.open()
    world.fates = Array.from({ length: round }, (_, n) => (n % 2 === 0 ? 'lost' : 'unsent'))
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => (
      n % 3 === round % 3 ? session.confirm('a token').then(() => 'confirm', (error) => error) : session.deny().then(() => 'deny', (error) => error)
    )))
    const end = world.decision.route
    for (const answer of answers) {
      if (typeof answer === 'string') assert.equal(answer, end, String(round))
      else if (answer.code === 'already_answered') assert.equal(answer.decision, end, String(round))
      else assert.equal(answer.code, 'ended', `${round}: ${answer}`)
    }
    ends.add(end)
  }
  assert.ok(ends.size > 0)
})

test('refused confirmation can be made again', async () => {
  const world = await World.of()
  const session = await world.open()
  world.fates = [{ status: 403, body: { title: 'No', code: 'proof_required' } }]
  assert.equal((await failure(session.confirm('a token'))).code, 'proof_required')
  await world.phone().keys.generate()
  assert.deepEqual(await session.confirm('a token'), { proven: true })
  assert.equal(new Set(world.bodies('confirm')).size, 2)
})

test('end of the login is reported, and its answer forgotten', async () => {
  for (const [ended, code] of [
    ['session_cancelled', 'ended'], ['session_expired', 'expired'], ['session_blocked', 'blocked'], ['risk_denied', 'risk_denied'],
  ]) {
    const world = await World.of()
    const session = await world.open()
    world.ended = ended
    assert.equal((await failure(session.confirm('a token'))).code, code)
    assert.deepEqual(world.storage.names(), ['countersign.secret'])
  }
})

test('answers other than true are errors, after which the same is sent again', async () => {
  for (const [fate, code] of [
    [{ status: 200, body: 'false' }, 'malformed_answer'], [{ status: 200, body: {} }, 'malformed_answer'], [{ status: 204, body: '' }, 'network'],
    [{ status: 404, body: '"not found"' }, 'network'], ['stale', 'malformed_answer'],
  ]) {
    const world = await World.of()
    const session = await world.open()
    world.fates = [fate]
    assert.equal((await failure(session.confirm('a token'))).code, code)
    await session.confirm('a token')
    assert.equal(new Set(world.bodies('confirm')).size, 1)
  }
})

test('payloads that are too long, or no text, are not sent', async () => {
  const world = await World.of()
  const session = await world.open()
  const long = 'x'.repeat(9000)
  assert.equal((await failure(session.confirm(long))).code, 'payload_too_long')
  assert.equal((await failure(session.deny(long))).code, 'payload_too_long')
  for (const payload of [7, null, 'x\ud800']) {
    assert.ok(await failure(session.confirm(payload)) instanceof TypeError)
    assert.ok(await failure(session.deny(payload)) instanceof TypeError)
  }
  assert.deepEqual([world.routes(), world.storage.names()], [['initiate'], ['countersign.secret']])
})

test('answer that cannot be stored is not sent', async () => {
  const world = await World.of()
  const full = () => { throw new Error('the disk is full') }
  const secrets = world.storage
  world.storage = { get: () => undefined, names: () => [], remove: () => {}, add: full, set: full }
  const session = await world.open(undefined, { secrets })
  assert.equal((await failure(session.confirm('a token'))).code, 'storage_failed')
  const error = await failure(session.deny())
  assert.deepEqual([error.code, error.cause.message, world.routes()], ['storage_failed', 'the disk is full', ['initiate']])
})

test('key off the curve gets nothing', async () => {
  const { browser: { point } } = await World.of()
  point[64] ^= 1
  const world = await World.of({ point })
  const session = await world.open()
  assert.equal((await failure(session.confirm('a token'))).code, 'unusable_browser_key')
  assert.deepEqual([world.routes(), world.storage.names()], [['initiate'], ['countersign.secret']])
})

test('operation that the app cancels sends nothing more', async () => {
  const world = await World.of()
  assert.equal((await failure(world.phone().open(world.id, { signal: AbortSignal.abort() }))).code, 'cancelled')
  assert.deepEqual(world.calls, [])
  const session = await world.open(undefined, { sleep: () => new Promise(() => {}) })
  const controller = new AbortController()
  world.fates = ['silent']
  const confirming = failure(session.confirm('a token', { signal: controller.signal }))
  while (!world.silent) await new Promise((resolve) => { setImmediate(resolve) })
  controller.abort()
  assert.equal((await confirming).code, 'cancelled')
  // The answer is stored, and sent the next time.
  assert.equal((await failure(world.open())).decision, 'confirm')
})
