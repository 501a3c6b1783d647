// The sample that verifies what a login's payload proves: what it takes, and every attack that it is
// there to refuse. The phone is played with keys and signatures as Android makes them.

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

/** A phone with an association key of its own. */
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

/** What a phone sends: a good confirmation by Zoe, but for what is named. */
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

/** It is refused for this reason, and the session is not used up: the right one still gets in. */
async function refuses(payload, refused, changed = {}) {
  const { login } = server()
  assert.deepEqual(await login(payload, changed), { refused })
  assert.deepEqual(await login(confirmation()), { user: 'zoe@example.com' })
}

test('a confirmation by the registered key is that user', async () => {
  assert.deepEqual(await server().login(confirmation()), { user: 'zoe@example.com' })
})

test('the signed text is the one that is documented', () => {
  const text = signedText(SESSION, ORIGIN, '2026-01-02T03:04:05.678Z')
  assert.equal(text, 'countersign-login\nqrs_5d0c8e2f6a914b7d9c3e0f1a2b4c6d8e\n'
    + 'https://shop.example\n2026-01-02T03:04:05.678Z')
})

test('Base64 in lines and a time in whole seconds are taken', async () => {
  const inLines = (base64) => base64.replace(/.{1,76}/g, '$&\n')
  const timestamp = '2026-01-02T03:04:05Z'
  const customSignedData = signedText(SESSION, ORIGIN, timestamp)
  const payload = confirmation({ timestamp, customSignedData })
  payload.signature = inLines(payload.signature)
  const { login } = server({ keyOf: () => inLines(zoes.publicKey) })
  assert.deepEqual(await login(payload), { user: 'zoe@example.com' })
})

test('what else the payload holds does not matter', async () => {
  const payload = confirmation({ device: 'a phone', deep: [[{}]] })
  assert.deepEqual(await server().login(payload), { user: 'zoe@example.com' })
})

test('a payload sent twice logs in once', async () => {
  const { login } = server()
  const payload = confirmation()
  assert.deepEqual(await login(payload), { user: 'zoe@example.com' })
  assert.deepEqual(await login(payload), { refused: 'the session was used before' })
})

test('a replayed signature: in another browser, in another payload, much later', async () => {
  const { login, context } = server()
  const first = confirmation()
  assert.deepEqual(await login(first), { user: 'zoe@example.com' })

  const other = { sessionId: OTHER_SESSION }
  assert.deepEqual(await login(first, other), { refused: 'signed for another session' })
  const { timestamp } = first
  const relabelled = { ...first, customSignedData: signedText(OTHER_SESSION, ORIGIN, timestamp) }
  assert.deepEqual(await login(relabelled, other), { refused: 'the signature is false' })

  // When the session is forgotten, the signature has long been too old.
  for (const minutes of [5, 6, 59, 60, 61, 1000]) {
    const refused = minutes > 5 ? 'not signed just now' : 'the session was used before'
    assert.deepEqual(await login(first, { now: NOW + minutes * MINUTE }), { refused })
  }
  assert.equal(context.used.take(SESSION, NOW + 60 * MINUTE - 1), false)
})

test('a token of another session', async () => {
  await refuses(confirmation({ session: OTHER_SESSION }), 'signed for another session')
})

test('another origin', async () => {
  for (const origin of ['https://shop.example.evil.example', 'http://shop.example', `${ORIGIN}/`,
    'https://SHOP.example', `${ORIGIN}:443`, '']) {
    await refuses(confirmation({ origin }), 'signed for another origin')
  }
})

test('a wrong key: of another user, of nobody', async () => {
  await refuses(confirmation({ by: mallorys }), 'the signature is false')
  await refuses(confirmation({ by: phone() }), 'the signature is false')
  await refuses(confirmation({ user: 'mallory' }), 'the signature is false')
})

test('an unregistered user', async () => {
  for (const user of ['nobody', 'ZOE@example.com', 'ANON', '__proto__', 'constructor']) {
    await refuses(confirmation({ user }), 'no key is registered')
  }
  for (const nothing of [undefined, null]) {
    await refuses(confirmation(), 'no key is registered', { keyOf: () => nothing })
  }
})

test('a stale timestamp, or one of the future', async () => {
  for (const off of [-5 * MINUTE - 1, 5 * MINUTE + 1, -1000 * MINUTE, 1000 * MINUTE]) {
    await refuses(confirmation({ at: NOW + off }), 'not signed just now')
  }
  for (const off of [-5 * MINUTE, 5 * MINUTE]) {
    const { login } = server()
    assert.deepEqual(await login(confirmation({ at: NOW + off })), { user: 'zoe@example.com' })
  }
})

test('a timestamp that was not signed', async () => {
  const old = confirmation({ at: NOW - 60 * MINUTE })
  const fresh = { ...old, timestamp: new Date(NOW).toISOString() }
  await refuses(fresh, 'signed for something else')
})

test('a timestamp in another form', async () => {
  for (const timestamp of ['now', '1767323045678', '2026-01-02', '2026-01-02T03:04:05',
    '2026-01-02T03:04:05+00:00', '2026-01-02 03:04:05Z', '2026-01-02T03:04:05.678Z\n',
    'Fri, 02 Jan 2026 03:04:05 GMT']) {
    const customSignedData = signedText(SESSION, ORIGIN, timestamp)
    const payload = confirmation({ timestamp, customSignedData })
    await refuses(payload, 'the payload has no usable timestamp')
  }
  // Of the right form, and no time at all.
  const timestamp = '2026-13-02T03:04:05Z'
  const customSignedData = signedText(SESSION, ORIGIN, timestamp)
  await refuses(confirmation({ timestamp, customSignedData }), 'not signed just now')
})

test('a text that says more, less or something else', async () => {
  const right = confirmation().customSignedData
  for (const customSignedData of [`${right}\n`, `${right}\nmore`, right.slice(0, -1),
    right.replace('countersign-login', 'payment'), right.replace('countersign-login', '')]) {
    await refuses(confirmation({ customSignedData }), 'signed for something else')
  }
  for (const customSignedData of ['x', ` ${right}`.replaceAll('\n', ' '), right.replaceAll('\n', '\r\n')]) {
    await refuses(confirmation({ customSignedData }), 'signed for another session')
  }
})

test('a signature in another form, or none', async () => {
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

test('malformed payloads: not JSON', async () => {
  const whole = JSON.stringify(confirmation())
  for (const payload of ['', ' ', 'a token', '{', whole.slice(0, -1), `${whole}${whole}`, `\u0000${whole}`,
    '['.repeat(8192), 'undefined', 'NaN', "{'a':1}"]) {
    await refuses(payload, 'the payload is not JSON')
  }
})

test('malformed payloads: no object', async () => {
  const missing = 'the payload has no usable publicUserId'
  const whole = confirmation()
  for (const value of [null, true, 0, 1e308, 'text', [], [whole], Object.values(whole), {}]) {
    await refuses(JSON.stringify(value), missing)
  }
  // What is inherited does not count.
  await refuses(`{"__proto__":${JSON.stringify(whole)}}`, missing)
})

test('malformed payloads: wrong types', async () => {
  for (const name of ['publicUserId', 'timestamp', 'customSignedData', 'signature']) {
    const right = confirmation()[name]
    for (const value of [null, undefined, true, 0, NOW, '', [], [right], {}, { toString: right },
      'x'.repeat(1025)]) {
      const payload = { ...confirmation(), [name]: value }
      await refuses(payload, `the payload has no usable ${name}`)
    }
  }
})

test('malformed payloads: no text', async () => {
  for (const payload of [undefined, null, 7, true, {}, [], Buffer.from(JSON.stringify(confirmation()))]) {
    const { context } = server()
    assert.deepEqual(await verifyLogin(payload, context), { refused: 'the payload is not text' })
  }
})

test('malformed payloads: huge', async () => {
  const whole = JSON.stringify(confirmation())
  await refuses(whole + ' '.repeat(8193 - whole.length), 'the payload is too large')
  await refuses('['.repeat(10_000_000), 'the payload is too large')
  const largest = whole + ' '.repeat(8192 - whole.length)
  assert.deepEqual(await server().login(largest), { user: 'zoe@example.com' })
})

test('a browser that opened no session', async () => {
  for (const sessionId of [undefined, null, '', 'undefined', SESSION.toUpperCase(), `${SESSION}\n`, [SESSION]]) {
    const payload = confirmation({ session: sessionId })
    await refuses(payload, 'the browser has no session', { sessionId })
  }
})

test('nobody is looked up for a payload that is not for this login', async () => {
  const { login, asked } = server()
  for (const payload of ['{}', confirmation({ session: OTHER_SESSION }), confirmation({ origin: 'x' }),
    confirmation({ at: 0 })]) {
    assert.equal(typeof (await login(payload)).refused, 'string')
  }
  assert.deepEqual(asked, [])
})

test('two at once with one set of used sessions: one gets in', async () => {
  const { login } = server()
  const again = () => confirmation({ at: NOW + 1 })
  const ended = await Promise.all([login(confirmation()), login(again()), login(confirmation())])
  const inside = ended.filter(({ user }) => user === 'zoe@example.com')
  const refused = ended.filter((end) => end.refused === 'the session was used before')
  assert.deepEqual([inside.length, refused.length], [1, 2])
})

test('two at once with one table: both are verified before either takes it', async () => {
  // A table answers later. Both insertions are under way before one is answered.
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

test('two sessions do not stand in each other’s way', async () => {
  const { login } = server()
  assert.deepEqual(await login(confirmation()), { user: 'zoe@example.com' })
  const other = confirmation({ session: OTHER_SESSION })
  assert.deepEqual(await login(other, { sessionId: OTHER_SESSION }), { user: 'zoe@example.com' })
})

test('used sessions are forgotten after an hour, and no sooner', () => {
  const used = new UsedSessions()
  assert.equal(used.take('a', NOW), true)
  assert.equal(used.take('b', NOW + MINUTE), true)
  assert.equal(used.take('a', NOW + 60 * MINUTE - 1), false)
  assert.equal(used.take('a', NOW + 60 * MINUTE), true)
  assert.equal(used.take('b', NOW + 60 * MINUTE), false)
})

test('a table that fails logs nobody in', async () => {
  const fails = () => Promise.reject(new Error('no table'))
  await assert.rejects(server({ keyOf: fails }).login(confirmation()), /no table/)
  await assert.rejects(server({ used: { take: fails } }).login(confirmation()), /no table/)
})

test('a table that answers something else than true logs nobody in', async () => {
  for (const answer of [undefined, null, false, 0, 1, { rowCount: 0 }]) {
    const { login } = server({ used: { take: () => answer } })
    assert.deepEqual(await login(confirmation()), { refused: 'the session was used before' })
  }
})

test('only a P-256 key is an association key', async () => {
  const { publicKey: ed25519 } = generateKeyPairSync('ed25519')
  const wrong = [phone('P-384').publicKey, phone('secp256k1').publicKey, '', 'AAAA',
    ed25519.export({ format: 'der', type: 'spki' }).toString('base64'), zoes.publicKey.slice(0, 40)]
  for (const key of wrong) {
    assert.throws(() => associationKey(key), Error, key)
    await assert.rejects(server({ keyOf: () => key }).login(confirmation()), Error, key)
  }
  assert.equal(associationKey(zoes.publicKey).asymmetricKeyDetails.namedCurve, 'prime256v1')
})

test('no reason holds anything of the payload', async () => {
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
