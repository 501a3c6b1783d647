// The parts of a program that use approvals, their tests, and limits.

import { Countersign, UnknownApprovalError, type ApprovalDecision, type ApprovalSession } from '@countersign/server'
import { startLimiter, type StartRefusal } from '@countersign/server/limits'
import { PhoneRefusedError, TestPhone } from '@countersign/server/testing'

const origin = 'https://shop.example'

/** Throws if an entry point does not work. Nothing is sent. */
export async function useOthers(url: string) {
  const countersign = new Countersign({ url, apiKey: 'cs_test_secret', appKey: 'cs_app_0123456789abcdefABCDEF' })
  const limiter = startLimiter({ perBrowser: { limit: 1, seconds: 60 } })
  const start = { browser: 'session', address: '192.0.2.1', phoneNumber: '+12025550100' }
  const refusals: (StartRefusal | undefined)[] = [await limiter.take(start), await limiter.take(start)]
  const limits = refusals.map((refusal) => refusal?.limit)
  if (limits.join() !== ',browser') throw new Error(`the limiter says ${limits.join()}`)

  const phone = new TestPhone(countersign, { userId: 'zoe' })
  const refused = await phone.open('http://shop.example?sessionId=qrs_1').catch((error: unknown) => error)
  if (!(refused instanceof PhoneRefusedError) || refused.reason !== 'link_insecure') throw new Error(`the phone says ${String(refused)}`)
}

/** Only compiled. */
export async function pay(countersign: Countersign, show: (session: ApprovalSession) => void): Promise<ApprovalDecision['status'] | undefined> {
  const { id, session } = await countersign.approvals.start({ origin, context: 'Pay 20 EUR', userId: 'zoe' })
  show(session)
  try {
    const result = await countersign.approvals.result(id, { onResult: (decision) => { console.log(decision.status) } })
    return result.status === 'pending' || result.status === 'already_reported' ? undefined : result.status
  } catch (error) {
    if (error instanceof UnknownApprovalError) return undefined
    throw error
  }
}
