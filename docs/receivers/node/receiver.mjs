// A Countersign webhook receiver in Node.js 20 or later.
//
//   ../../../scripts/pack.sh node
//   npm ci
//   COUNTERSIGN_API_KEY=cs_live_... node receiver.mjs
//
// ../README.md lists what it answers, and ../../webhooks.md explains why.

import { createServer } from 'node:http'

import { Countersign } from '@countersign/server'
import { webhook } from '@countersign/server/express'

const { COUNTERSIGN_URL = 'http://127.0.0.1:8787', COUNTERSIGN_API_KEY, CALLBACK_URL } = process.env
const { PORT = '4000', KEY_REFETCH_SECONDS = '10' } = process.env

// It remembers the confirmations that it started in memory. A real service gives a `store` that survives a restart
// and that all processes share.
const countersign = new Countersign({
  url: COUNTERSIGN_URL,
  apiKey: COUNTERSIGN_API_KEY,
  // An app's own secret is better: give it as `webhookSecret`.
  webhookKeys: 'published',
  keyRefetchSeconds: Number(KEY_REFETCH_SECONDS),
})

/**
 * Replace this with what your service does with a verified number. If it finds no record of the confirmation, it has to
 * throw a `RecordMissingError`: the webhook comes again only then.
 */
function onVerified({ phoneNumber }) {
  console.log(`verified ${phoneNumber.slice(0, 3)}***${phoneNumber.slice(-2)}`)
}

/** Starts a confirmation, to try the receiver by hand. A real service does so for a signed-in user. */
async function start(request, response) {
  if (request.method !== 'POST') return response.writeHead(405).end('POST only')
  try {
    const started = await countersign.confirmations.acquire({ callbackUrl: CALLBACK_URL ?? `${address()}/webhook` })
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(started))
  } catch (error) {
    response.writeHead(502).end(error.message)
  }
}

// The handler for Express takes the requests of `node:http`, too.
const routes = { '/webhook': webhook(countersign, { onVerified }), '/start': start }
const notFound = (_request, response) => response.writeHead(404).end('not found')
const server = createServer((request, response) => {
  const path = request.url.split('?')[0]
  const route = Object.hasOwn(routes, path) ? routes[path] : notFound
  return route(request, response)
})
const address = () => `http://127.0.0.1:${server.address().port}`
server.requestTimeout = 10_000
server.listen(Number(PORT), '127.0.0.1', () => console.log(`listening on ${address()}`))
