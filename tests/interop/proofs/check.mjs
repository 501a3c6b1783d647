// Checks the vectors of ids, proofs and registrations with jose and WebCrypto, and generates proofs of the
// same facts with its own keys.
//
//   node check.mjs VECTORS JOSE      (two folders: the vectors, and one from which jose is found)

import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [, , vectors, from] = process.argv
const found = createRequire(join(from, 'from.js')).resolve('jose')
const jose = await import(pathToFileURL(found))
const read = (name) => JSON.parse(readFileSync(join(vectors, name), 'utf8'))

const spki = (base64) => createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' })
const digest = (label, ...parts) => {
  const hash = createHash('sha256').update(`${label}\0`)
  for (const part of parts) hash.update(part)
  return hash.digest('base64url')
}
const pair = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const text = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  return { publicKey, privateKey, text }
}
const wrong = []
const same = (what, left, right) => {
  if (JSON.stringify(left) !== JSON.stringify(right)) wrong.push(`${what}: ${left} is not ${right}`)
}

function claimsOf(it) {
  const iat = Math.floor(it.at / 1000)
  const claims = {
    app: it.appKey, aud: it.origin, jti: it.sessionId, act: 'confirm', iat, exp: iat + 300,
    pay: digest('countersign/pay/1', Buffer.from(it.salt, 'base64url'), it.payload),
  }
  if (it.publicUserId !== null) claims.sub = it.publicUserId
  if (it.context !== null) claims.ctx = digest('countersign/ctx/1', it.context)
  return claims
}

for (const it of read('ids.json')) {
  const bytes = (text) => Buffer.from(text, 'base64url')
  const hash = createHash('sha256')
  if (it.browserToken !== undefined) {
    hash.update('countersign/login-id/plain/1').update(bytes(it.browserToken))
  } else {
    const parts = ['countersign/login-id/1', it.appKey, it.origin, it.context].map((part) => Buffer.from(part))
    for (const part of [...parts, bytes(it.browserPublicKey)]) {
      hash.update(Buffer.from([part.length >> 8, part.length & 255])).update(part)
    }
  }
  const kind = it.browserToken === undefined ? 'qrs_' : 'qrp_'
  same('id', kind + hash.digest('hex').slice(0, 32), it.sessionId)
}

const sorted = (object) => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))

const proofs = []
for (const it of read('proofs.json')) {
  const key = spki(it.publicKey)
  same('thumbprint', await jose.calculateJwkThumbprint(await jose.exportJWK(key)), it.keyId)
  const { payload, protectedHeader } = await jose.jwtVerify(it.proof, key, {
    algorithms: ['ES256'], typ: 'countersign-login+jwt', audience: it.origin, currentDate: new Date(it.at),
  })
  same('header', sorted(protectedHeader), sorted({ alg: 'ES256', kid: it.keyId, typ: 'countersign-login+jwt' }))
  same('claims', sorted(payload), sorted(claimsOf(it)))
  const { publicKey, privateKey, text } = pair()
  const kid = await jose.calculateJwkThumbprint(await jose.exportJWK(publicKey))
  const proof = await new jose.SignJWT(claimsOf(it))
    .setProtectedHeader({ typ: 'countersign-login+jwt', kid, alg: 'ES256' })
    .sign(privateKey)
  proofs.push({ publicKey: text, proof })
}

const registrations = []
for (const it of read('registrations.json')) {
  same('text', `countersign-association-key/1\n${it.appKey}\n${it.publicUserId}`, it.text)
  const valid = verify('sha256', Buffer.from(it.text), spki(it.publicKey), Buffer.from(it.signature, 'base64'))
  same('registration', valid, true)
  const { privateKey, text } = pair()
  const signature = sign('sha256', Buffer.from(it.text), privateKey).toString('base64')
  registrations.push({ publicKey: text, signature })
}

console.log(JSON.stringify({ proofs, registrations, wrong }))
