import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'

import { APP_KEY, connect } from './support/stub.mjs'
import { ORIGIN, SALT, ZOE, encode, finder, phone } from './support/phone.mjs'

const TEN_MINUTES = 600_000

const forged = { name: 'LoginVerificationError' }
const zoe = await phone(7)
const mallory = await phone(8, { user: 'mallory' })
const findKey = finder([[zoe, ZOE], [mallory, 'mallory']])
const expected = { origin: ORIGIN, findKey }

/** Returns a function that verifies a detail. */
async function verifier(t, options, clock) {
  const { countersign } = await connect(t, options, clock)
  return (detail, others = {}) => countersign.logins.verify(detail, { ...expected, ...others })
}

test('valid proofs of every form are verified', async (t) => {
  const verify = await verifier(t)
  assert.deepEqual(await verify(zoe.detail(zoe.proof())), { userId: ZOE, keyId: zoe.keyId })
  for (const facts of [
    { user: null },
    { payload: '' },
    { payload: '✓ \0 🔒 \r\n\t"\\\u2028' },
    { payload: 'Länge ✓ '.repeat(800) },
    // Clocks differ, and users are slow.
    { after: -330 },
    { after: 45 },
  ]) {
    const variant = await phone(7, facts)
    assert.equal((await verify(variant.detail(variant.proof()))).userId, ZOE)
  }
  assert.equal((await verify(mallory.detail(mallory.proof()))).userId, 'mallory')
})

test('key may be PEM, and may be found asynchronously', async (t) => {
  const verify = await verifier(t)
  const asPem = async () => ({ publicKey: zoe.pem, userId: ZOE })
  assert.equal((await verify(zoe.detail(zoe.proof()), { findKey: asPem })).userId, ZOE)
})

test('context must be the one of the login', async (t) => {
  const verify = await verifier(t)
  const paying = await phone(7, { context: 'Pay 20 EUR to Zoë' })
  const detail = paying.detail(paying.proof())
  assert.equal((await verify(detail, { context: 'Pay 20 EUR to Zoë' })).userId, ZOE)
  await assert.rejects(verify(detail), forged)
  await assert.rejects(verify(detail, { context: null }), forged)
  await assert.rejects(verify(detail, { context: 'Pay 2000 EUR to Zoë' }), forged)
  await assert.rejects(verify(zoe.detail(zoe.proof()), { context: 'Pay 20 EUR to Zoë' }), forged)
  await assert.rejects(verify(zoe.detail(zoe.proof()), { context: '' }), forged)
})

/** Asserts which proofs are valid at which age, for a phone whose clock is right or some seconds ahead. */
async function judges(verify, ahead = 0) {
  for (const [after, valid] of [[0, true], [-350, true], [50, true], [-370, false], [70, false]]) {
    const variant = await phone(7, { after: ahead + after })
    const verified = verify(variant.detail(variant.proof()))
    await (valid ? verified : assert.rejects(verified, forged))
  }
}

for (const clockError of [-TEN_MINUTES, TEN_MINUTES]) {
  test(`proofs are judged by the service's clock, with a machine's clock off by ${clockError} ms`, async (t) => {
    await judges(await verifier(t, {}, { clockError }))
  })

  test(`proofs follow a service whose clock is off by ${clockError} ms`, async (t) => {
    const { stub, countersign } = await connect(t)
    stub.keysHeaders = { date: new Date(Date.now() + clockError).toUTCString() }
    await judges((detail) => countersign.logins.verify(detail, expected), clockError / 1000)
  })
}

test('proof of more than 2,048 bytes is refused', async (t) => {
  const verify = await verifier(t)
  for (const [length, valid] of [[1000, true], [1500, false]]) {
    const user = 'z'.repeat(length)
    const long = await phone(7, { user })
    const verified = verify(long.detail(long.proof()), { findKey: finder([[zoe, user]]) })
    await (valid ? verified : assert.rejects(verified, { reason: 'the proof is too long' }))
  }
})

test('machine’s clock counts if the service cannot be asked', async (t) => {
  const { stub, countersign } = await connect(t)
  await stub.stop()
  assert.equal((await countersign.logins.verify(zoe.detail(zoe.proof()), expected)).userId, ZOE)
})

test('app key is needed', async (t) => {
  const verify = await verifier(t, { appKey: undefined })
  await assert.rejects(verify(zoe.detail(zoe.proof())), { name: 'CountersignError', message: /set appKey/ })
})

test('faults of findKey are not taken for forgeries', async (t) => {
  const verify = await verifier(t)
  const other = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'pem', type: 'spki' })
  for (const publicKey of ['', 'AAAA', other, mallory.publicKey]) {
    const findOdd = () => ({ publicKey, userId: ZOE })
    await assert.rejects(verify(zoe.detail(zoe.proof()), { findKey: findOdd }), { name: 'CountersignError' })
  }
  const down = new Error('the database is down')
  await assert.rejects(verify(zoe.detail(zoe.proof()), { findKey: () => { throw down } }), down)
})

/** Declares a test that each detail is refused. */
function refuses(name, details) {
  test(name, async (t) => {
    const verify = await verifier(t)
    let count = 0
    for (const [what, detail] of await details()) {
      await assert.rejects(verify(detail), forged, what)
      count += 1
    }
    assert.ok(count > 5)
    await verify(zoe.detail(zoe.proof()))
  })
}

refuses('right proof with other things beside it is refused', () => {
  const detail = zoe.detail(zoe.proof())
  return Object.entries({
    payload: ['another token', '', null],
    salt: [encode(Buffer.alloc(16)), '', '*', `${SALT}=`, encode(Buffer.alloc(15, 0x5a)), null, 7],
    sessionId: ['qrs_cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'QRS_ABABABABABABABABABABABABABABABAB', '', [detail.sessionId]],
    proof: [null, {}, [detail.proof]],
  }).flatMap(([name, values]) => values.map((value) => [`${name} ${value}`, { ...detail, [name]: value }]))
})

refuses('proofs of other facts are refused', async () => {
  const others = {
    'another app': await phone(7, { app: APP_KEY.replace('F', 'G') }),
    'another origin': await phone(7, { origin: 'https://evil.example' }),
    'another session': await phone(7, { session: 'qrs_cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd' }),
    'a context': await phone(7, { context: 'Pay 20 EUR' }),
    'another user': await phone(7, { user: 'mallory' }),
    "Mallory's key": await phone(8),
    'an unknown key': await phone(9),
    stale: await phone(7, { after: -365 }),
    'from the future': await phone(7, { after: 120 }),
  }
  return Object.entries(others).map(([what, other]) => [what, zoe.detail(other.proof())])
})

refuses('other claims are refused', () => {
  const of = (claims) => zoe.detail(zoe.compact(JSON.stringify(zoe.header), JSON.stringify(claims)))
  const { claims } = zoe
  const without = Object.keys(claims).filter((name) => name !== 'sub').map((name) => {
    const { [name]: _, ...others } = claims
    return [`no ${name}`, of(others)]
  })
  const odd = Object.keys(claims).flatMap((name) => (
    [null, [claims[name]], {}, true, ''].map((value) => [`${name} ${value}`, of({ ...claims, [name]: value })])
  ))
  const more = [
    ['act', 'deny'], ['sub', 'ZOE@example.com'], ['aud', [ORIGIN, 'https://evil.example']],
    ['exp', claims.iat + 301], ['exp', claims.iat + 299], ['exp', 1e300],
    ['iat', 0], ['iat', -1], ['iat', claims.iat + 0.5],
    ['nbf', 0], ['admin', true], ['ctx', 'x'],
  ].map(([name, value]) => [`${name} ${value}`, of({ ...claims, [name]: value })])
  const half = claims.iat + 0.5
  const halves = [['half a second', of({ ...claims, iat: half, exp: half + 300 })]]
  const shapes = [null, [], [claims], 'text', 7].map((value) => [`claims ${value}`, of(value)])
  return [...without, ...odd, ...more, ...halves, ...shapes]
})

refuses('other headers are refused', () => {
  const text = JSON.stringify(zoe.claims)
  const of = (change) => zoe.detail(zoe.compact(JSON.stringify({ ...zoe.header, ...change }), text))
  const changes = [
    { alg: 'none' }, { alg: 'HS256' }, { alg: 'ES384' }, { alg: 'es256' }, { alg: null },
    { typ: 'JWT' }, { typ: 'Countersign-Login+JWT' }, { typ: 'application/countersign-login+jwt' }, { typ: null },
    { kid: null }, { kid: '__proto__' }, { kid: [zoe.keyId] }, { kid: `${zoe.keyId}=` }, { kid: { $ne: '' } },
    { crit: ['exp'] }, { crit: [] }, { b64: true }, { jku: 'https://evil.example' }, { jwk: { kty: 'EC' } },
  ].map((change) => [JSON.stringify(change), of(change)])
  const unsigned = ['none', 'ES256'].map((alg) => (
    [`${alg} without a signature`, zoe.detail(`${encode(JSON.stringify({ ...zoe.header, alg }))}.${encode(text)}.`)]
  ))
  // The public key as an HMAC secret.
  const input = `${encode(JSON.stringify({ ...zoe.header, alg: 'HS256' }))}.${encode(text)}`
  const macs = [zoe.publicKey, Buffer.from(zoe.publicKey, 'base64')].map((key) => (
    ['HMAC', zoe.detail(`${input}.${zoe.hmac(key, input)}`)]
  ))
  return [...changes, ...unsigned, ...macs]
})

refuses('other spellings of the header are refused', () => {
  const text = JSON.stringify(zoe.claims)
  const json = JSON.stringify(zoe.header)
  const spellings = [
    ` ${json}`,
    `\ufeff${json}`,
    `${json}\n`,
    json.replaceAll(':', ': '),
    json.replace('login', '\\u006cogin'),
    json.replace('{', '{/**/'),
    json.replace('"typ"', 'typ'),
    json.replace('{', '{"alg":"none",'),
    json.replaceAll('"', "'"),
    Buffer.from(json, 'utf16le'),
  ].map((spelling) => [`header ${spelling}`, zoe.detail(zoe.compact(spelling, text))])
  // Characters that Base64 parsers skip, signed unchanged.
  const base64 = encode(json)
  const skipped = [`${base64}=`, `${base64}\n`, ` ${base64}`, base64.replace('J', '%J')].map((head) => {
    const input = `${head}.${encode(text)}`
    return [`header ${head}`, zoe.detail(`${input}.${encode(zoe.sign(input))}`)]
  })
  return [...spellings, ...skipped]
})

refuses('texts that are no proofs are refused', () => {
  const proof = zoe.proof()
  const input = proof.slice(0, proof.lastIndexOf('.'))
  const flipped = Buffer.from(zoe.sign(input))
  flipped[63] ^= 1
  return [
    '', '.', '..', 'a.b.c', '{}', input,
    `${proof}.AAAA`,
    `${proof}${'A'.repeat(2048)}`,
    `${input}.${encode(flipped)}`,
    `${input}.${encode(Buffer.alloc(64))}`,
    `${input}.${encode(Buffer.alloc(64, 0xff))}`,
    `${input}.${encode(Buffer.alloc(63, 1))}`,
    `${input}x.${encode(zoe.sign(input))}`,
    'ü'.repeat(700),
  ].map((text) => [text, zoe.detail(text)])
})
