// Logins by a code that the user's phone opens.

import { createAuthEndpoint } from '@better-auth/core/api'
import { APIError } from '@better-auth/core/error'
import { LoginVerificationError } from '@countersign/server'
import { formCsrfMiddleware } from 'better-auth/api'
import * as z from 'zod'

import { belongsTo, browserOf, createSecret, deleteCookie, readCookie, writeCookie } from '../browser.js'
import { COUNTERSIGN_ERROR_CODES as CODES } from '../error-codes.js'
import { findPhoneKey } from '../phone-keys.js'
import { consumeStarted, findStarted, insertStarted } from '../records.js'
import { calling } from '../service.js'
import type { Service } from '../service.js'
import { signIn } from '../users.js'

const refused = () => APIError.from('FORBIDDEN', CODES.LOGIN_REFUSED)
const metadata = { noStore: true }

/**
 * POST `/sign-in/code/start`: creates a login with the page's own key, as `<countersign-login start>` asks for each code.
 * Only this browser can finish it.
 */
export const startCodeSignIn = ({ options, countersign }: Service) => createAuthEndpoint('/sign-in/code/start', {
  method: 'POST',
  body: z.object({
    browserToken: z.string().regex(/^[\w-]{43}$/),
    browserPublicKey: z.string().regex(/^[\w-]{80,100}$/).optional(),
  }),
  requireRequest: true,
  use: [formCsrfMiddleware],
  metadata,
}, async (ctx) => {
  if (!options.appKey) throw APIError.from('NOT_IMPLEMENTED', CODES.LOGIN_NOT_CONFIGURED)
  const { browserToken, browserPublicKey } = ctx.body
  // The phone shows the page's origin, which may differ from this server's.
  const origin = ctx.request.headers.get('origin') ?? new URL(ctx.context.baseURL).origin
  if (!ctx.context.isTrustedOrigin(origin, { allowRelativePaths: false })) throw refused()
  const { sessionId, expiresIn } = await calling(ctx, () => countersign.logins.create({
    browserToken,
    origin,
    ...(browserPublicKey === undefined ? {} : { browserPublicKey }),
  }))
  // A page has several codes in turn, and one that was just replaced can still be confirmed.
  const known = readCookie(ctx, 'login')
  const secret = known && /^[\w-]{43}$/.test(known) ? known : createSecret()
  await insertStarted(ctx, sessionId, { purpose: 'login', browser: browserOf(secret), origin }, Date.now() + expiresIn * 1000)
  writeCookie(ctx, 'login', secret)
  return ctx.json({ sessionId })
})

/**
 * POST `/sign-in/code/finish`: takes the detail of the element's event `confirmed`, verifies whose phone confirmed, and
 * signs this browser in once.
 */
export const finishCodeSignIn = ({ options, countersign }: Service) => createAuthEndpoint('/sign-in/code/finish', {
  method: 'POST',
  body: z.object({
    sessionId: z.string().max(64),
    payload: z.string().max(16_384),
    salt: z.string().max(256),
    proof: z.string().max(4096),
  }),
  use: [formCsrfMiddleware],
  metadata,
}, async (ctx) => {
  if (!options.appKey) throw APIError.from('NOT_IMPLEMENTED', CODES.LOGIN_NOT_CONFIGURED)
  const { sessionId, payload, salt, proof } = ctx.body
  const secret = readCookie(ctx, 'login')
  const started = await findStarted(ctx, sessionId)
  if (!secret || started?.purpose !== 'login' || !belongsTo(started, secret)) throw refused()
  const { userId, keyId } = await countersign.logins.verify({ sessionId, payload, salt, proof }, {
    origin: started.origin,
    findKey: (id) => findPhoneKey(ctx, id),
  }).catch((error: unknown) => {
    if (!(error instanceof LoginVerificationError)) throw error
    ctx.context.logger.warn(`A login was refused: ${error.reason}`)
    throw refused()
  })
  // Last, so that a refused proof does not use up the login.
  if (!await consumeStarted(ctx, sessionId)) throw refused()
  deleteCookie(ctx, 'login')
  const user = await ctx.context.internalAdapter.findUserById(userId)
  if (!user) throw refused()
  await options.callbackOnLogin?.({ user, keyId }, ctx)
  return ctx.json(await signIn(ctx, user))
})
