// A shop that learns phone numbers, logs users in, and has payments approved. test/shop.test.mjs in this package tests
// it as a shop's own tests would: without a phone.

import { randomBytes } from 'node:crypto'

import {
  type ApprovalDecision, type ConfirmationEvent, type Countersign, type KnownKey, RecordMissingError, type StartedApproval,
} from '@countersign/server'
import { login, webhook } from '@countersign/server/express'
import { startLimiter } from '@countersign/server/limits'
import express, { type NextFunction, type Request, type Response } from 'express'

export interface Session { userId: string, approval?: StartedApproval }

/** A real shop stores these in its database. */
export interface Tables {
  sessions: Map<string, Session>
  /** The confirmation of a user's number, by its id. */
  confirmations: Map<string, { userId: string, number?: string }>
  /** Keys that phones sent while their user was logged in, by key id. */
  phoneKeys: Map<string, KnownKey>
  /** Payments by the id of their approval. */
  payments: Map<string, { status: 'waiting' | ApprovalDecision['status'] }>
}

/** `origin` is the origin of the shop's pages, and `service` the URL of Countersign. */
export function shop(countersign: Countersign, { origin, service }: { origin: string, service: string }, tables: Tables) {
  const { sessions, confirmations, phoneKeys, payments } = tables
  const findKey = (keyId: string) => phoneKeys.get(keyId)
  const app = express()

  // The number: <countersign-phone start="/number">
  app.post('/number', express.json(), signedIn, limited, async ({ body }, response) => {
    const { userId } = response.locals.session as Session
    response.json(await countersign.confirmations.confirm({
      phoneNumber: body.phoneNumber,
      country: body.country,
      callbackUrl: `${origin}/webhook`,
      clientChannel: true,
      onStarted: ({ confirmationId }) => confirmations.set(confirmationId, { userId }),
    }))
  })
  function onVerified({ confirmationId, phoneNumber }: ConfirmationEvent) {
    const confirmation = confirmations.get(confirmationId)
    if (!confirmation) throw new RecordMissingError(confirmationId)
    confirmation.number = phoneNumber
  }

  // The login: what the page posts after the `confirmed` event of <countersign-login app-key="…">
  app.post('/login', login(countersign, {
    origin,
    findKey,
    onLogin({ userId }, _request, response) {
      const cookie = randomBytes(32).toString('base64url')
      sessions.set(cookie, { userId })
      response.cookie('session', cookie, { httpOnly: true, sameSite: 'lax' }) // And `secure`, over https.
    },
  }))

  // The approval: `session` of <countersign-login>, and what the page posts after its `confirmed` event
  app.get('/checkout', (_request, response) => { response.type('html').send(checkout(service)) })
  app.post('/pay', signedIn, goOn, limited, async (_request, response) => {
    const session = response.locals.session as Session
    session.approval = await countersign.approvals.start({
      origin,
      context: 'Pay 20 EUR to Zoë',
      userId: session.userId,
      onStarted: ({ id }) => payments.set(id, { status: 'waiting' }),
    })
    response.json(session.approval.session)
  })
  app.post('/paid', signedIn, async (_request, response) => {
    const { approval } = response.locals.session as Session
    if (!approval) return void response.sendStatus(404)
    await countersign.approvals.result(approval.id, { findKey, onResult: onApproval })
    response.json(payments.get(approval.id))
  })
  /** Lets a reloaded page continue with its approval. */
  async function goOn(_request: Request, response: Response, next: NextFunction) {
    const { approval } = response.locals.session as Session
    const result = approval && await countersign.approvals.result(approval.id, { findKey, onResult: onApproval })
    if (approval && result?.status === 'pending') return void response.json(approval.session)
    next()
  }
  function onApproval({ id, status }: ApprovalDecision) {
    const payment = payments.get(id)
    if (!payment) throw new RecordMissingError(id)
    payment.status = status // If it is `approved`, the shop ships here: this runs once.
  }

  // Numbers, and approvals whose page was closed.
  app.post('/webhook', webhook(countersign, { onVerified, onApproval, findKey }))

  function signedIn(request: Request, response: Response, next: NextFunction) {
    const session = sessions.get(cookieOf(request))
    // Otherwise, another site could start something here for its visitors.
    if (!session || request.headers.origin !== origin) return void response.sendStatus(403)
    response.locals.session = session
    next()
  }

  const limiter = startLimiter()
  async function limited(request: Request, response: Response, next: NextFunction) {
    const { phoneNumber } = request.body ?? {}
    const refusal = await limiter.take({ browser: cookieOf(request), address: request.ip ?? '', phoneNumber })
    if (refusal) return void response.set('retry-after', String(refusal.retryAfter)).sendStatus(429)
    next()
  }

  return app
}

const checkout = (service: string) => `<!DOCTYPE html>
<html lang="en">
<title>Checkout</title>
<script type="module" src="${service}/widget.js"></script>
<countersign-login></countersign-login>
<script type="module">
  const approval = document.querySelector('countersign-login')
  const post = async (path) => (await fetch(path, { method: 'POST' })).json()
  const start = async () => { approval.session = await post('/pay') }
  approval.addEventListener('renew', start) // The user wants a new code.
  approval.addEventListener('confirmed', async (event) => {
    event.preventDefault() // The element shows the outcome once the server has decided.
    const { status } = await post('/paid')
    if (status === 'approved') approval.accept()
    else approval.reject('The payment was not approved.')
  })
  await start()
</script>
</html>
`

const cookieOf = ({ headers }: Request) => /(?:^|; )session=([\w-]{43})(?:;|$)/.exec(headers.cookie ?? '')?.[1] ?? ''
