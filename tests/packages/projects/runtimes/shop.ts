// The common part of the programs for all runtimes. Their process has one client, like a service.

import { Countersign, ProblemError } from '@countersign/server'

let countersign: Countersign | undefined
export const numbers: string[] = []
export const options = { onVerified: ({ phoneNumber }: { phoneNumber: string }) => { numbers.push(phoneNumber) } }

export function client() {
  if (!countersign) throw new Error('not started')
  return countersign
}

/**
 * Starts a confirmation, and returns the problems for an unknown confirmation and for an approval that the service does
 * not know.
 */
export async function start({ url, secret }: { url: string, secret: string }) {
  countersign = new Countersign({ url, apiKey: 'cs_live_secret', appKey: 'cs_app_0123456789abcdefABCDEF', webhookSecret: secret })
  const { confirmationId } = await countersign.confirmations.acquire({ callbackUrl: 'https://shop.example/webhook' })
  const approval = { origin: 'https://shop.example', context: 'Pay 20 EUR', userId: 'zoe' }
  const problems = [
    await problemOf(countersign.confirmations.get(confirmationId)),
    // It generates a key before it sends anything.
    await problemOf(countersign.approvals.start(approval)),
  ]
  return { confirmationId, problem: [...new Set(problems)].join() }
}

async function problemOf(call: Promise<unknown>) {
  try {
    await call
    return 'none'
  } catch (error) {
    return error instanceof ProblemError ? error.code : String(error)
  }
}
