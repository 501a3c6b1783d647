// A program for an edge runtime, without Node.js and its types.

import { Hono } from 'hono'

import { Countersign } from '@countersign/server'
import { login, webhook } from '@countersign/server/hono'

export function routes(environment: { url: string, apiKey: string, appKey: string, secret: string }) {
  const { url, apiKey, appKey, secret } = environment
  const countersign = new Countersign({ url, apiKey, appKey, webhookSecret: secret })
  return new Hono()
    .post('/webhook', webhook(countersign, {
      onVerified: ({ phoneNumber }) => { console.log(phoneNumber.length) },
      onApproval: ({ id, status }) => { console.log(id, status) },
    }))
    .post('/pay', async (context) => {
      const { session } = await countersign.approvals.start({ origin: 'https://shop.example', context: 'Pay 20 EUR', userId: 'zoe' })
      return context.json(session)
    })
    .post('/login', login(countersign, {
      origin: 'https://shop.example',
      findKey: async () => undefined,
      onLogin: ({ userId }, context) => context.json({ userId }),
    }))
}
