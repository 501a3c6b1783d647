// A program as users of the library would write it. `npm test` compiles it with the package's declarations.

import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { setCookie } from 'hono/cookie'

import {
  Countersign, ProblemError, RecordMissingError, UnknownApprovalError,
  type AcquireRequest, type ApprovalDecision, type ApprovalResult, type ApprovalSession, type CallOptions,
  type Confirmation, type ConfirmationClient, type ConfirmationPage, type SessionPage,
  type ConfirmationSession, type CreatedPhoneRegistration, type Login, type LoginDetail, type Options, type ProblemCode, type ShownPhoneRegistration,
  type Store, type WebhookEvent,
  type WebhookOptions,
} from '@countersign/server'
import type { ConfirmedDetail } from '../../../widget/dist/widget.js'
import { login, webhook } from '@countersign/server/express'
import { login as fastifyLogin, webhook as fastifyWebhook } from '@countersign/server/fastify'
import { webhookHandler } from '@countersign/server/handlers'
import { login as honoLogin, webhook as honoWebhook } from '@countersign/server/hono'
import { login as lambdaLogin, webhook as lambdaWebhook } from '@countersign/server/lambda'
import { startLimiter, type StartRefusal } from '@countersign/server/limits'
import { login as nextLogin, webhook as nextWebhook } from '@countersign/server/next'
import { PhoneRefusedError, TestPhone, startTestLogin, type OpenedLogin, type PhoneRefusal } from '@countersign/server/testing'
import { RateLimiterRedis } from 'rate-limiter-flexible'

const store: Store = {
  remember: async (id: string, ttlSeconds: number, act) => { await act(); console.log(id, ttlSeconds); return true },
  accept: async (_id, act) => { await act(); return 'accepted' },
}
const countersign = new Countersign({ url: 'https://countersign.example', apiKey: 'x', webhookSecret: ['a', 'b'], store })

// @ts-expect-error The API key is required.
new Countersign({ url: 'https://countersign.example' })

// @ts-expect-error Keys are chosen by name.
new Countersign({ url: 'https://countersign.example', apiKey: 'x', webhookKeys: 'all' })

const limits: CallOptions = { timeout: 5000, maxRetries: 0, signal: AbortSignal.timeout(1000) }
const options: Options = { url: 'http://countersign:8080', apiKey: 'x', allowUnencryptedHttp: true, fetch, ...limits }
new Countersign(options)

// A transaction of the caller's own is passed to the callbacks.
interface Connection { query(text: string, values: unknown[]): Promise<void> }
const transactions: Store<Connection> = {
  remember: async (_id, _ttlSeconds, act) => { await act({ query: async () => {} }); return true },
  accept: async (_id, act) => { await act({ query: async () => {} }); return 'accepted' },
}
const inTransactions = new Countersign({ url: 'https://countersign.example', apiKey: 'x', store: transactions })
const callbacks: WebhookOptions<Connection> = {
  onVerified: (event, connection) => connection.query('UPDATE users SET number = $1', [event.phoneNumber]),
}
webhook(inTransactions, callbacks)
fastifyWebhook(inTransactions, callbacks)
nextWebhook(inTransactions, { onVerified: (_event, connection) => connection.query('', []) })
// @ts-expect-error The store of this client has no transactions.
webhook(countersign, callbacks)
// @ts-expect-error A callback is missing.
webhook(countersign, {})
webhook(countersign, { onLogin: (event) => event.sessionId })
webhook(countersign, { onPhoneRegistered: (event) => event.registrationId })
webhook(inTransactions, { onPhoneRegistered: (event, connection) => connection.query('UPDATE', [event.keyId]) })
// @ts-expect-error Keys are found for approvals, which is no callback.
webhook(countersign, { findKey: () => undefined })
lambdaWebhook(countersign, { onVerified: () => {} })

const request: AcquireRequest = { callbackUrl: 'https://shop.example/webhook' }
const session: ConfirmationSession = await countersign.confirmations.acquire(request, limits)
const watched = await countersign.confirmations.acquire({ clientChannel: true })
const client: ConfirmationClient = watched.client
const confirming = await countersign.confirmations.confirm({ phoneNumber: '+12025550100', clientChannel: true })
console.log(client.token, confirming.client.statusUrl, session.sendTo)
// @ts-expect-error It was not asked for.
console.log(session.client.token)
const page: ConfirmationPage = await countersign.confirmations.page({ limit: 20 })
await countersign.confirmations.page({ cursor: page.nextCursor }, { maxRetries: 1 })
const logins: SessionPage = await countersign.logins.page({ state: 'denied' })
for await (const { sessionId } of countersign.logins.list({ cursor: logins.nextCursor })) void sessionId.length

const started = await countersign.confirmations.confirm({ phoneNumber: '+12025550100', metadata: { order: 17 } })
const seconds: number = started.expiresIn
const canonical: string = started.phoneNumber
console.log(canonical)
await countersign.confirmations.acquire({ onStarted: (opened) => console.log(opened.confirmationId.length) })
await inTransactions.confirmations.confirm({
  phoneNumber: '0170 1234567',
  country: 'DE',
  onStarted: (opened, connection) => connection.query('INSERT INTO waiting VALUES ($1)', [opened.confirmationId]),
})
// @ts-expect-error The store of this client has no transactions.
await countersign.confirmations.acquire({ onStarted: (_opened, connection) => connection.query('', []) })
webhook(countersign, { onVerified: ({ confirmationId }) => { throw new RecordMissingError(confirmationId) } })
// @ts-expect-error The number is required.
await countersign.confirmations.confirm({ callbackUrl: 'https://shop.example' })
// @ts-expect-error There is no such status.
countersign.confirmations.list({ status: 'closed' })
for await (const confirmation of countersign.confirmations.list({ lastDigits: '0100' })) {
  const one: Confirmation = confirmation
  console.log(one.status === 'verified' ? one.result?.phoneNumber : one.lastMiss?.reason, seconds)
}

const event: WebhookEvent = await countersign.webhooks.verify(new Uint8Array(), new Headers())
if ('confirmationId' in event) console.log(event.phoneNumber)
else console.log('registrationId' in event ? event.publicUserId : event.sessionId)

const registration: CreatedPhoneRegistration = await countersign.phoneRegistrations.create({ publicUserId: 'zoe', label: 'Zoë' }, limits)
const setUp: ShownPhoneRegistration = await countersign.phoneRegistrations.get(registration.registrationId)
console.log(setUp.state === 'completed' ? setUp.keyId : setUp.failure, registration.pageToken)
await countersign.phoneRegistrations.cancel(registration.registrationId)
// @ts-expect-error A phone belongs to a user.
await countersign.phoneRegistrations.create({ label: 'Zoë' })

try {
  const { url } = await countersign.logins.create({ browserToken: 'x', origin: 'https://shop.example', browserPublicKey: 'B' })
  console.log(url)
} catch (error) {
  if (error instanceof ProblemError) {
    const known: ProblemCode = 'phone_number_not_possible'
    if (error.code === known || error.code === 'a_later_code') console.log(error.retryAfter?.toFixed())
  }
  // @ts-expect-error There is no such code.
  const misspelt: ProblemCode = 'phone_number_not_posible'
  console.log(misspelt)
}

const origin = 'https://shop.example'
const findKey = async (keyId: string) => keyId ? { publicKey: 'x', userId: 'zoe' } : undefined
// @ts-expect-error A key has an owner.
countersign.logins.verify({ sessionId: '', payload: '', salt: '', proof: '' }, { origin, findKey: () => ({ publicKey: 'x' }) })

// The type of the element's detail is accepted, even without a proof.
const confirmed = { sessionId: '', payload: '', salt: null, proof: null } as ConfirmedDetail
const detail: LoginDetail = confirmed
const who: Login = await countersign.logins.verify(detail, { origin, findKey, context: null })
console.log(who.userId, who.keyId)
lambdaLogin(countersign, { origin, findKey, onLogin: (verified: Login) => ({ statusCode: 204, body: verified.userId }) })

// The payload may only be missing for a login that the server opened.
await countersign.logins.verify({ sessionId: '', proof: confirmed.proof }, { origin, findKey, openedByServer: true })
await countersign.logins.verify(confirmed, { origin, findKey, openedByServer: true })
// @ts-expect-error Without a payload, the option is needed.
await countersign.logins.verify({ sessionId: '', proof: '' }, { origin, findKey })
// @ts-expect-error So it is with false.
await countersign.logins.verify({ sessionId: '', proof: '' }, { origin, findKey, openedByServer: false })

const approval = await countersign.approvals.start({ origin, context: 'Pay 20 EUR', userId: 'zoe', onStarted: ({ id }) => id.length }, limits)
const shown: ApprovalSession = approval.session
console.log(shown.token, shown.checkCodeRequired, approval.expiresIn.toFixed())
// @ts-expect-error An approval is for one user.
await countersign.approvals.start({ origin, context: 'Pay 20 EUR' })
await inTransactions.approvals.start({
  origin, context: 'Pay 20 EUR', userId: 'zoe', onStarted: ({ id }, connection) => connection.query('INSERT', [id]),
})
// @ts-expect-error The store of this client has no transactions.
await countersign.approvals.start({ origin, context: '', userId: '', onStarted: (_approval, connection) => connection.query('', []) })

function tell(result: ApprovalResult): string {
  switch (result.status) {
    case 'approved': return `${result.userId} approved ${result.context} at ${result.origin} with ${result.keyId}`
    case 'denied': return result.reason === 'unverified' ? result.id : result.reason
    case 'expired': return result.reason
    case 'pending': return result.expiresIn.toFixed()
    case 'already_reported': return result.id
  }
}
const onResult = (decision: ApprovalDecision) => console.log(tell(decision))
try {
  tell(await countersign.approvals.result(approval.id, { findKey, onResult, log: console.warn }, { signal: AbortSignal.timeout(1000) }))
} catch (error) {
  if (error instanceof UnknownApprovalError) console.log(error.id)
}
await inTransactions.approvals.result('qrs_1', { onResult: ({ status }, connection) => connection.query('UPDATE', [status]) })
webhook(countersign, { onApproval: onResult, findKey })
webhook(inTransactions, { ...callbacks, onApproval: ({ id, status }, connection) => connection.query('UPDATE', [id, status]) })
// @ts-expect-error It is for onApproval.
webhook(countersign, { findKey })
// @ts-expect-error There is no such decision.
webhook(countersign, { onApproval: ({ status }) => status === 'pending' })

const limiter = startLimiter({
  perNumber: { limit: 3, seconds: 3600 }, store: (counting) => new RateLimiterRedis({ ...counting, storeClient: {} }),
})
const refusal: StartRefusal | undefined = await limiter.take({ browser: 'b', address: '192.0.2.1', phoneNumber: null })
console.log(refusal?.limit === 'number', refusal?.retryAfter.toFixed())
// @ts-expect-error The address is needed.
await limiter.take({ browser: 'b' })

const phone = new TestPhone(countersign, { userId: 'zoe' })
await phone.register()
const opened: OpenedLogin = await phone.open((await startTestLogin(countersign, { origin })).url, { as: null })
const posted: LoginDetail = await opened.confirm('a token', { signWith: phone })
console.log(posted.sessionId, opened.session.mobileTemplateResponse.title, opened.checkCode?.length)
await opened.deny()
await opened.confirmLate().catch((error: unknown) => {
  const reason: PhoneRefusal | undefined = error instanceof PhoneRefusedError ? error.reason : undefined
  console.log(reason === 'key_mismatch')
})

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
