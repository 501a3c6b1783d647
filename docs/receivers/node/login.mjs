// A server that logs browsers in by Countersign's proofs, in Node.js 20 or later.
//
//   ../../../scripts/pack.sh node
//   npm ci
//   COUNTERSIGN_API_KEY=cs_live_... APP_KEY=cs_app_... ORIGIN=https://shop.example KEYS=keys.json node login.mjs
//
// ../README.md lists what it answers, and ../../logins.md explains why.

import { createHash, createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

import { Countersign } from '@countersign/server'
import { login } from '@countersign/server/express'

const { COUNTERSIGN_URL = 'http://127.0.0.1:8787', KEYS = 'keys.json', PORT = '4001' } = process.env
const { COUNTERSIGN_API_KEY: apiKey, APP_KEY: appKey, ORIGIN: origin } = process.env

// It asks the service for nothing but the time, and remembers in memory which logins were used. A real service gives a
// `store` that survives a restart and that all processes share.
const countersign = new Countersign({ url: COUNTERSIGN_URL, apiKey, appKey })

/** Returns a key's id: its thumbprint (RFC 7638). */
function keyIdOf(publicKey) {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
  const { crv, kty, x, y } = key.export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}

// The users' public keys, by key id. In a real service this is a table; see the README.
const keys = new Map(JSON.parse(readFileSync(KEYS, 'utf8')).map(({ publicUserId, publicKey }) => (
  [keyIdOf(publicKey), { publicKey, userId: publicUserId }]
)))

/** Replace this with what your service does to log a user in. */
function onLogin({ userId }) {
  console.log(`logged in ${userId}`)
}

// The handler for Express takes the requests of `node:http`, too.
const handle = login(countersign, { origin, findKey: (keyId) => keys.get(keyId), onLogin })
const server = createServer((request, response) => {
  if (request.url.split('?')[0] !== '/login') return response.writeHead(404).end('not found')
  return handle(request, response)
})
server.requestTimeout = 10_000
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
