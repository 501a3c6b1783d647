// What the programs of all runtimes do. Their process holds one client, as a service has it.

import { Countersign, ProblemError } from '@countersign/server'

let countersign: Countersign | undefined
export const numbers: string[] = []
export const options = { onVerified: ({ phoneNumber }: { phoneNumber: string }) => { numbers.push(phoneNumber) } }

export function client() {
  if (!countersign) throw new Error('not started')
  return countersign
}

/** Starts a confirmation, and says which problem an unknown one is. */
export async function start({ url, secret }: { url: string, secret: string }) {
  countersign = new Countersign({ url, apiKey: 'cs_live_secret', webhookSecret: secret })
  const { confirmationId } = await countersign.confirmations.acquire({ callbackUrl: 'https://shop.example/webhook' })
  try {
    await countersign.confirmations.get(confirmationId)
    return { confirmationId, problem: 'none' }
  } catch (error) {
    return { confirmationId, problem: error instanceof ProblemError ? error.code : String(error) }
  }
}
