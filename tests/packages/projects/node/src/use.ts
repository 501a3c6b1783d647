// A program in TypeScript that installs the package. The tests compile it in each way that a project may use, and run
// it.

import { Countersign, ProblemError, type ConfirmationSession } from '@countersign/server'
import { webhookHandler } from '@countersign/server/handlers'
import { webhook as express } from '@countersign/server/express'
import { webhook as fastify } from '@countersign/server/fastify'
import { webhook as hono } from '@countersign/server/hono'
import { webhook as next } from '@countersign/server/next'

import { useOthers } from './login.js'

interface Delivery { method: string, headers: Record<string, string>, body: string }

export async function use({ url, secret, delivery }: { url: string, secret: string, delivery: Delivery }) {
  const countersign = new Countersign({ url, apiKey: 'cs_live_secret', webhookSecret: secret })
  const started: ConfirmationSession = await countersign.confirmations.acquire({ callbackUrl: 'https://shop.example/webhook' })
  const numbers: string[] = []
  const onVerified = ({ phoneNumber }: { phoneNumber: string }) => { numbers.push(phoneNumber) }
  for (const mount of [express, fastify, hono, next]) mount(countersign, { onVerified })
  const handle = webhookHandler(countersign, { onVerified })
  await useOthers(url)
  const statuses: number[] = []
  const forged = { ...delivery, body: delivery.body.replace('0100', '0199') }
  for (const request of [delivery, delivery, forged]) statuses.push((await handle(request)).status)
  let problem = 'none'
  try {
    await countersign.confirmations.get(started.confirmationId)
  } catch (error) {
    // An error from another copy of the class would not be an instance.
    if (error instanceof ProblemError) problem = error.code
  }
  return { confirmationId: started.confirmationId, numbers, statuses, problem }
}
