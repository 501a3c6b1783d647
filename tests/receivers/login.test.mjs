// Tests the sample that verifies a login's payload: what it accepts, and every attack that it must refuse.
// The simulated phone uses keys and signatures in Android's form.

import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { test } from 'node:test'

import {
  UsedSessions, associationKey, signedText, verifyLogin,
} from '../../docs/receivers/node/login.mjs'

const NOW = Date.parse('2026-01-02T03:04:05.678Z')
const MINUTE = 60_000
const ORIGIN = 'https://shop.example'
const SESSION = 'qrs_5d0c8e2f6a914b7d9c3e0f1a2b4c6d8e'
const OTHER_SESSION = 'qrs_00000000000000000000000000000001'

/** A phone with its own association key. */
function phone(curve = 'P-256') {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: curve })
  return {
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    sign: (text, form = 'der') => (
      sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: form }).toString('base64')
    ),
  }
}

const zoes = phone()
const mallorys = phone()
const KEYS = new Map([['zoe@example.com', zoes.publicKey], ['mallory', mallorys.publicKey]])

/** A phone's payload: a valid confirmation by Zoe, with the given changes. */
function confirmation({
  by = zoes, user = 'zoe@example.com', session = SESSION, origin = ORIGIN, at = NOW, ...changed
} = {}) {
  const timestamp = new Date(at).toISOString()
  const customSignedData = signedText(session, origin, timestamp)
  const signature = by.sign(changed.customSignedData ?? customSignedData)
  return { publicUserId: user, timestamp, customSignedData, signature, ...changed }
}

/** A server with a page, and a browser that opened `SESSION`. */
function server(changed = {}) {
  const asked = []
  const used = new UsedSessions()
  const context = {
    sessionId: SESSION,
    origin: ORIGIN,
    keyOf: async (user) => { asked.push(user); return KEYS.get(user) },
    used,
    now: NOW,
    ...changed,
  }
  const login = (payload, more = {}) => (
    verifyLogin(typeof payload === 'object' ? JSON.stringify(payload) : payload, { ...context, ...more })
  )
  return { asked, login, context }
}

/** Asserts a refusal for this reason, and that the session can still be used by the right payload. */
async function refuses(payload, refused, changed = {}) {
  const { login } = server()
  assert.deepEqual(await login(payload, changed), { refused })
  assert.deepEqual(await login(confirmation()), { user: 'zoe@example.com' })
}

test('confirmation by the registered key logs in its user', async () => {
  assert.deepEqual(await server().login(confirmation()), { user: 'zoe@example.com' })
})

test('signed text is the documented one', () => {
  const text = signedText(SESSION, ORIGIN, '2026-01-02T03:04:05.678Z')
  assert.equal(text, 'countersign-login\nqrs_5d0c8e2f6a914b7d9c3e0f1a2b4c6d8e\n'
    + 'https://shop.example\n2026-01-02T03:04:05.678Z')
})

test('Base64 in lines and a time in whole seconds are accepted', async () => {
  const inLines = (base64) => base64.replace(/.{1,76}/g, '$&\n')
  const timestamp = '2026-01-02T03:04:05Z'
  const customSignedData = signedText(SESSION, ORIGIN, timestamp)
  const payload = confirmation({ timestamp, customSignedData })
  payload.signature = inLines(payload.signature)
  const { login } = server({ keyOf: () => inLines(zoes.publicKey) })
  assert.deepEqual(await login(payload), { user: 'zoe@example.com' })
})

test('other members of the payload are ignored', async () => {
  const payload = confirmation({ device: 'a phone', deep: [[{}]] })
  assert.deepEqual(await server().login(payload), { user: 'zoe@example.com' })
})

test('payload sent twice logs in once', async () => {
  const { login } = server()
  const payload = confirmation()
  assert.deepEqual(await login(payload), { user: 'zoe@example.com' })
  assert.deepEqual(await login(payload), { refused: 'the session was used before' })
})

test('replayed signature is refused in another browser, in another payload, and much later', async () => {
  const { login, context } = server()
  const first = confirmation()
  assert.deepEqual(await login(first), { user: 'zoe@example.com' })

  const other = { sessionId: OTHER_SESSION }
  assert.deepEqual(await login(first, other), { refused: 'signed for another session' })
  const { timestamp } = first
  const relabelled = { ...first, customSignedData: signedText(OTHER_SESSION, ORIGIN, timestamp) }
  assert.deepEqual(await login(relabelled, other), { refused: 'the signature is false' })

  // By the time the session is forgotten, the signature is far too old.
  for (const minutes of [5, 6, 59, 60, 61, 1000]) {
    const refused = minutes > 5 ? 'not signed just now' : 'the session was used before'
    assert.deepEqual(await login(first, { now: NOW + minutes * MINUTE }), { refused })
  }
  assert.equal(context.used.take(SESSION, NOW + 60 * MINUTE - 1), false)
})

test('signature for another session is refused', async () => {
  await refuses(confirmation({ session: OTHER_SESSION }), 'signed for another session')
})

test('signature for another origin is refused', async () => {
  for (const origin of ['https://shop.example.evil.example', 'http://shop.example', `${ORIGIN}/`,
    'https://SHOP.example', `${ORIGIN}:443`, '']) {
    await refuses(confirmation({ origin }), 'signed for another origin')
  }
})

test('unregistered keys and keys of other users are refused', async () => {
  await refuses(confirmation({ by: mallorys }), 'the signature is false')
  await refuses(confirmation({ by: phone() }), 'the signature is false')
  await refuses(confirmation({ user: 'mallory' }), 'the signature is false')
})

test('unregistered user is refused', async () => {
  for (const user of ['nobody', 'ZOE@example.com', 'ANON', '__proto__', 'constructor']) {
    await refuses(confirmation({ user }), 'no key is registered')
  }
  for (const nothing of [undefined, null]) {
    await refuses(confirmation(), 'no key is registered', { keyOf: () => nothing })
  }
})

test('stale and future timestamps are refused', async () => {
  for (const off of [-5 * MINUTE - 1, 5 * MINUTE + 1, -1000 * MINUTE, 1000 * MINUTE]) {
    await refuses(confirmation({ at: NOW + off }), 'not signed just now')
  }
  for (const off of [-5 * MINUTE, 5 * MINUTE]) {
    const { login } = server()
    assert.deepEqual(await login(confirmation({ at: NOW + off })), { user: 'zoe@example.com' })
  }
})

test('unsigned timestamp is refused', async () => {
  const old = confirmation({ at: NOW - 60 * MINUTE })
  const fresh = { ...old, timestamp: new Date(NOW).toISOString() }
  await refuses(fresh, 'signed for something else')
})

test('malformed timestamp is refused', async () => {
  for (const timestamp of ['now', '1767323045678', '2026-01-02', '2026-01-02T03:04:05',
    '2026-01-02T03:04:05+00:00', '2026-01-02 03:04:05Z', '2026-01-02T03:04:05.678Z\n',
    'Fri, 02 Jan 2026 03:04:05 GMT']) {
    const customSignedData = signedText(SESSION, ORIGIN, timestamp)
    const payload = confirmation({ timestamp, customSignedData })
    await refuses(payload, 'the payload has no usable timestamp')
  }
  // Well-formed, but not a time.
  const timestamp = '2026-13-02T03:04:05Z'
  const customSignedData = signedText(SESSION, ORIGIN, timestamp)
  await refuses(confirmation({ timestamp, customSignedData }), 'not signed just now')
})

test('longer, shorter and different texts are refused', async () => {
  const right = confirmation().customSignedData
  for (const customSignedData of [`${right}\n`, `${right}\nmore`, right.slice(0, -1),
    right.replace('countersign-login', 'payment'), right.replace('countersign-login', '')]) {
    await refuses(confirmation({ customSignedData }), 'signed for something else')
  }
  for (const customSignedData of ['x', ` ${right}`.replaceAll('\n', ' '), right.replaceAll('\n', '\r\n')]) {
    await refuses(confirmation({ customSignedData }), 'signed for another session')
  }
})

test('malformed and missing signatures are refused', async () => {
  const { customSignedData } = confirmation()
  const good = Buffer.from(zoes.sign(customSignedData), 'base64')
  const flipped = Buffer.from(good)
  flipped[flipped.length - 1] ^= 1
  for (const signature of [zoes.sign(customSignedData, 'ieee-p1363'), flipped.toString('base64'),
    good.subarray(0, -1).toString('base64'), 'MAYCAQACAQA=', 'MAYCAQECAQE=', 'MAA=', '*', 'AAAA']) {
    await refuses(confirmation({ signature }), 'the signature is false')
  }
  for (let count = 0; count < 200; count += 1) {
    const signature = randomBytes(1 + (count % 80)).toString('base64')
    assert.deepEqual(
      await server().login(confirmation({ signature })), { refused: 'the signature is false' }, signature,
    )
  }
})

test('payload that is not JSON is refused', async () => {
  const whole = JSON.stringify(confirmation())
  for (const payload of ['', ' ', 'a token', '{', whole.slice(0, -1), `${whole}${whole}`, `\u0000${whole}`,
    '['.repeat(8192), 'undefined', 'NaN', "{'a':1}"]) {
    await refuses(payload, 'the payload is not JSON')
  }
})

test('payload that is not an object is refused', async () => {
  const missing = 'the payload has no usable publicUserId'
  const whole = confirmation()
  for (const value of [null, true, 0, 1e308, 'text', [], [whole], Object.values(whole), {}]) {
    await refuses(JSON.stringify(value), missing)
  }
  // Inherited members do not count.
  await refuses(`{"__proto__":${JSON.stringify(whole)}}`, missing)
})

test('members of wrong types are refused', async () => {
  for (const name of ['publicUserId', 'timestamp', 'customSignedData', 'signature']) {
    const right = confirmation()[name]
    for (const value of [null, undefined, true, 0, NOW, '', [], [right], {}, { toString: right },
      'x'.repeat(1025)]) {
      const payload = { ...confirmation(), [name]: value }
      await refuses(payload, `the payload has no usable ${name}`)
    }
  }
})

test('payload that is not text is refused', async () => {
  for (const payload of [undefined, null, 7, true, {}, [], Buffer.from(JSON.stringify(confirmation()))]) {
    const { context } = server()
    assert.deepEqual(await verifyLogin(payload, context), { refused: 'the payload is not text' })
  }
})

test('huge payload is refused', async () => {
  const whole = JSON.stringify(confirmation())
  await refuses(whole + ' '.repeat(8193 - whole.length), 'the payload is too large')
  await refuses('['.repeat(10_000_000), 'the payload is too large')
  const largest = whole + ' '.repeat(8192 - whole.length)
  assert.deepEqual(await server().login(largest), { user: 'zoe@example.com' })
})

test('browser without a session is refused', async () => {
  for (const sessionId of [undefined, null, '', 'undefined', SESSION.toUpperCase(), `${SESSION}\n`, [SESSION]]) {
    const payload = confirmation({ session: sessionId })
    await refuses(payload, 'the browser has no session', { sessionId })
  }
})

test('payload for another login causes no user lookup', async () => {
  const { login, asked } = server()
  for (const payload of ['{}', confirmation({ session: OTHER_SESSION }), confirmation({ origin: 'x' }),
    confirmation({ at: 0 })]) {
    assert.equal(typeof (await login(payload)).refused, 'string')
  }
  assert.deepEqual(asked, [])
})

test('exactly one of the concurrent logins with one set of used sessions succeeds', async () => {
  const { login } = server()
  const again = () => confirmation({ at: NOW + 1 })
  const ended = await Promise.all([login(confirmation()), login(again()), login(confirmation())])
  const inside = ended.filter(({ user }) => user === 'zoe@example.com')
  const refused = ended.filter((end) => end.refused === 'the session was used before')
  assert.deepEqual([inside.length, refused.length], [1, 2])
})

test('concurrent logins with one table are both verified before either claims the session', async () => {
  // A table answers later. Both insertions start before either is answered.
  const taken = new Set()
  const waiting = []
  const used = {
    take: (id) => new Promise((resolve) => {
      waiting.push(() => { resolve(!taken.has(id)); taken.add(id) })
      if (waiting.length === 2) for (const answer of waiting) answer()
    }),
  }
  const { login } = server({ used })
  const ended = await Promise.all([login(confirmation()), login(confirmation())])
  assert.deepEqual(ended, [{ user: 'zoe@example.com' }, { refused: 'the session was used before' }])
})

test('two sessions do not affect each other', async () => {
  const { login } = server()
  assert.deepEqual(await login(confirmation()), { user: 'zoe@example.com' })
  const other = confirmation({ session: OTHER_SESSION })
  assert.deepEqual(await login(other, { sessionId: OTHER_SESSION }), { user: 'zoe@example.com' })
})

test('used sessions are forgotten after an hour and no sooner', () => {
  const used = new UsedSessions()
  assert.equal(used.take('a', NOW), true)
  assert.equal(used.take('b', NOW + MINUTE), true)
  assert.equal(used.take('a', NOW + 60 * MINUTE - 1), false)
  assert.equal(used.take('a', NOW + 60 * MINUTE), true)
  assert.equal(used.take('b', NOW + 60 * MINUTE), false)
})

test('failing table logs nobody in', async () => {
  const fails = () => Promise.reject(new Error('no table'))
  await assert.rejects(server({ keyOf: fails }).login(confirmation()), /no table/)
  await assert.rejects(server({ used: { take: fails } }).login(confirmation()), /no table/)
})

test('table that answers anything but true logs nobody in', async () => {
  for (const answer of [undefined, null, false, 0, 1, { rowCount: 0 }]) {
    const { login } = server({ used: { take: () => answer } })
    assert.deepEqual(await login(confirmation()), { refused: 'the session was used before' })
  }
})

test('association key must be a P-256 key', async () => {
  const { publicKey: ed25519 } = generateKeyPairSync('ed25519')
  const wrong = [phone('P-384').publicKey, phone('secp256k1').publicKey, '', 'AAAA',
    ed25519.export({ format: 'der', type: 'spki' }).toString('base64'), zoes.publicKey.slice(0, 40)]
  for (const key of wrong) {
    assert.throws(() => associationKey(key), Error, key)
    await assert.rejects(server({ keyOf: () => key }).login(confirmation()), Error, key)
  }
  assert.equal(associationKey(zoes.publicKey).asymmetricKeyDetails.namedCurve, 'prime256v1')
})

test('no reason quotes the payload', async () => {
  const marked = 'MARKED'
  const { login } = server()
  for (const payload of [marked, `{"${marked}":1}`, { ...confirmation(), signature: [marked] },
    confirmation({ user: marked }), confirmation({ origin: marked }), confirmation({ session: marked }),
    confirmation({ customSignedData: `\n${SESSION}\n${ORIGIN}\n${marked}` }),
    { ...confirmation(), timestamp: marked }, { ...confirmation(), signature: marked }]) {
    const { refused } = await login(payload)
    assert.ok(refused && !refused.includes(marked), refused)
  }
})
