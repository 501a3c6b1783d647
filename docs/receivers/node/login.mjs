// A server that logs browsers in by Countersign's proofs, in Node.js 20 or later, with jose.
//
//   npm ci
//   APP_KEY=cs_app_... ORIGIN=https://shop.example KEYS=keys.json node login.mjs
//
// ../README.md lists the rules that it follows, and ../../logins.md explains them.

import { createHash, createPublicKey, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

import { calculateJwkThumbprint, decodeProtectedHeader, exportJWK, jwtVerify } from 'jose'

const MAX_BODY = 64 * 1024
const MAX_PROOF = 2048
const LIFETIME_SECONDS = 300
const CLOCK_TOLERANCE_SECONDS = 60
const CLAIMS = ['act', 'app', 'aud', 'exp', 'iat', 'jti', 'pay']

/** A response that ends the handling of a request. Only the log gets the reason. */
class Refusal extends Error {
  constructor(status, text, reason) {
    super(reason ?? text)
    this.status = status
    this.text = text
  }
}

function holds(condition, reason) {
  if (!condition) throw new Refusal(403, 'not logged in', reason)
}

/** Reads the users' public keys, by key id. In a real service this is a table; see the README. */
async function readKeys(file) {
  const keys = new Map()
  for (const { publicUserId, publicKey } of JSON.parse(readFileSync(file, 'utf8'))) {
    const der = Buffer.from(publicKey, 'base64')
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('not a P-256 key')
    keys.set(await calculateJwkThumbprint(await exportJWK(key)), { key, owner: publicUserId })
  }
  return keys
}

/** Returns the header of a proof by this key. Headers of proofs differ only in `kid`. */
const headerOf = (kid) => Buffer
  .from(`{"alg":"ES256","kid":"${kid}","typ":"countersign-login+jwt"}`)
  .toString('base64url')

/** Computes the claim `pay` of a payload and its salt. */
function payOf(payload, salt) {
  const raw = Buffer.from(salt, 'base64url')
  holds(raw.length === 16 && raw.toString('base64url') === salt, 'the salt is malformed')
  return createHash('sha256').update('countersign/pay/1\0').update(raw).update(payload).digest('base64url')
}

/** Returns the user who confirmed the login. Throws a Refusal if the proof breaks a rule. */
export async function verifyLogin({ sessionId, payload, salt, proof }, { appKey, origin, keys }) {
  holds(proof.length <= MAX_PROOF, 'the proof is too long')
  let kid
  try {
    kid = decodeProtectedHeader(proof).kid
  } catch {
    holds(false, 'the proof is malformed')
  }
  const known = keys.get(kid)
  holds(known, 'the key is unknown')
  // Comparing the whole header refuses other spellings and other members, such as `crit`.
  holds(proof.split('.')[0] === headerOf(kid), 'the header is not that of a proof')
  let claims
  try {
    const options = { algorithms: ['ES256'], audience: origin, clockTolerance: CLOCK_TOLERANCE_SECONDS }
    claims = (await jwtVerify(proof, known.key, options)).payload
  } catch (cause) {
    holds(false, `the proof is not valid: ${cause.code}`)
  }
  const { app, aud, jti, act, iat, exp, pay, sub } = claims
  // There is no `ctx`, since this page's logins have no context.
  const names = sub === undefined ? CLAIMS : [...CLAIMS, 'sub']
  holds(Object.keys(claims).sort().join() === names.join(), 'the claims are not those of a proof')
  holds(app === appKey, 'for another app')
  holds(aud === origin, 'for another origin')
  holds(jti === sessionId, 'for another session')
  holds(act === 'confirm', 'for another action')
  holds(Number.isInteger(iat) && exp - iat === LIFETIME_SECONDS, 'the lifetime is not that of a proof')
  holds(iat <= Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS, 'from the future')
  holds(sub === undefined || sub === known.owner, 'the key belongs to another user')
  holds(typeof pay === 'string', 'the claims are not those of a proof')
  const [found, wanted] = [pay, payOf(payload, salt)].map((text) => Buffer.from(text))
  holds(found.length === wanted.length && timingSafeEqual(found, wanted), 'for another payload')
  return known.owner
}

/**
 * The sessions that have logged a user in. In a real service this is a table, so that it survives a
 * restart and all processes share it: `take` is `INSERT ... ON CONFLICT DO NOTHING`, and `true` if
 * it wrote a row. Delete rows after ten minutes, when every proof of the session has expired.
 */
class UsedSessions {
  #ids = new Set()

  take(sessionId) {
    if (this.#ids.has(sessionId)) return false
    this.#ids.add(sessionId)
    return true
  }
}

/** Replace this with what your service does to log a user in. */
function onLogin(user) {
  console.log(`logged in ${user}`)
}

async function readBody(request) {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size <= MAX_BODY) chunks.push(chunk)
  }
  if (size > MAX_BODY) throw new Refusal(413, 'body too large')
  return Buffer.concat(chunks)
}

async function login(request, context) {
  // Otherwise another site could log its visitors in here.
  holds(request.headers.origin === context.origin, 'the request comes from another page')
  let detail
  try {
    detail = JSON.parse((await readBody(request)).toString('utf8'))
  } catch (error) {
    if (error instanceof Refusal) throw error
  }
  const { sessionId, payload, salt, proof } = detail ?? {}
  if (![sessionId, payload, salt, proof].every((member) => typeof member === 'string')) {
    throw new Refusal(400, 'not a login')
  }
  const user = await verifyLogin({ sessionId, payload, salt, proof }, context)
  // Last, so that a refused proof does not use up the session.
  holds(context.used.take(sessionId), 'the session was used before')
  onLogin(user)
  return { status: 200, text: 'logged in' }
}

async function answer(request, context) {
  try {
    if (request.url.split('?')[0] !== '/login') throw new Refusal(404, 'not found')
    if (request.method !== 'POST') throw new Refusal(405, 'POST only')
    return await login(request, context)
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, 'internal error')
    console.error(refusal === error ? `refused: ${error.message}` : error)
    return { status: refusal.status, text: refusal.text }
  }
}

const { PORT = '4001', APP_KEY: appKey, ORIGIN: origin, KEYS = 'keys.json' } = process.env
if (!appKey || !origin) throw new Error('set APP_KEY and ORIGIN')
const context = { appKey, origin, keys: await readKeys(KEYS), used: new UsedSessions() }
const server = createServer(async (request, response) => {
  const { status, text } = await answer(request, context)
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text)
})
server.requestTimeout = 10_000
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
