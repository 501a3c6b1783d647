// What users write. `npm test` compiles it with the declarations of the package.

import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { setCookie } from 'hono/cookie'

import { Countersign, ProblemError, type Confirmation, type Store } from '@countersign/server'
import { login, webhook } from '@countersign/server/express'
import { login as fastifyLogin, webhook as fastifyWebhook } from '@countersign/server/fastify'
import { webhookHandler } from '@countersign/server/handlers'
import { login as honoLogin, webhook as honoWebhook } from '@countersign/server/hono'
import { login as nextLogin, webhook as nextWebhook } from '@countersign/server/next'

const store: Store = {
  remember: async (id: string, ttlSeconds: number) => { console.log(id, ttlSeconds) },
  accept: async (_id, act) => { await act(); return 'accepted' },
}
const countersign = new Countersign({ url: 'https://countersign.example', apiKey: 'x', webhookSecret: ['a', 'b'], store })

// @ts-expect-error The API key is required.
new Countersign({ url: 'https://countersign.example' })

const started = await countersign.confirmations.confirm({ phoneNumber: '+12025550100', metadata: { order: 17 } })
const seconds: number = started.expiresIn
// @ts-expect-error The number is required.
await countersign.confirmations.confirm({ callbackUrl: 'https://shop.example' })
// @ts-expect-error There is no such status.
countersign.confirmations.list({ status: 'closed' })
for await (const confirmation of countersign.confirmations.list({ lastDigits: '0100' })) {
  const one: Confirmation = confirmation
  console.log(one.status === 'verified' ? one.result?.phoneNumber : one.lastMiss?.reason, seconds)
}

const event = await countersign.webhooks.verify(new Uint8Array(), new Headers())
console.log('confirmationId' in event ? event.phoneNumber : event.sessionId)

try {
  const { url } = await countersign.logins.create({ browserToken: 'x', origin: 'https://shop.example', browserPublicKey: 'B' })
  console.log(url)
} catch (error) {
  if (error instanceof ProblemError) console.log(error.code.length, error.retryAfter?.toFixed())
}

const origin = 'https://shop.example'
const findKey = async (keyId: string) => keyId ? { publicKey: 'x', userId: 'zoe' } : undefined
// @ts-expect-error A key has an owner.
countersign.logins.verify({ sessionId: '', payload: '', salt: '', proof: '' }, { origin, findKey: () => ({ publicKey: 'x' }) })

const app = express()
app.post('/webhook', webhook(countersign, { onVerified: ({ phoneNumber }) => console.log(phoneNumber) }))
app.post('/login', login(countersign, {
  origin,
  findKey,
  onLogin: ({ userId }, request, response) => { response.cookie('session', userId + request.ip) },
}))

const fastify = Fastify()
fastify.register(fastifyWebhook(countersign, { onVerified: () => {} }), { prefix: '/webhook' })
fastify.register(fastifyLogin(countersign, {
  origin,
  findKey,
  onLogin: ({ userId }, request, reply) => reply.header('set-cookie', userId + request.ip),
}), { prefix: '/login' })

const hono = new Hono()
hono.post('/webhook', honoWebhook(countersign, { onVerified: () => {} }))
hono.post('/login', honoLogin(countersign, { origin, findKey, onLogin: ({ userId }, context) => setCookie(context, 's', userId) }))

export const POST: (request: Request) => Promise<Response> = nextWebhook(countersign, { onVerified: () => {} })
nextLogin(countersign, { origin, findKey, onLogin: ({ userId }, request) => Response.json([userId, request.url]) })

const answer = await webhookHandler(countersign, { onVerified: () => {} })({ method: 'POST', headers: {}, body: '' })
console.log(answer.status.toFixed())
