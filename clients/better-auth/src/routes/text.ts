// Sign-up and sign-in by a text that the user sends.

import { createAuthEndpoint } from '@better-auth/core/api'
import { APIError } from '@better-auth/core/error'
import { formCsrfMiddleware } from 'better-auth/api'
import { parseUserInput } from 'better-auth/db'
import * as z from 'zod'

import { finishConfirmation, openConfirmation, startConfirmation } from '../confirmations.js'
import { COUNTERSIGN_ERROR_CODES as CODES } from '../error-codes.js'
import type { Service } from '../service.js'
import { assertOpensByText, createByNumber, findByNumber, signIn } from '../users.js'

const notFound = () => APIError.from('NOT_FOUND', CODES.CONFIRMATION_NOT_FOUND)
const metadata = { noStore: true }

const startBody = z.object({
  country: z.string().max(8).optional().meta({ description: "The user's country, which chooses the number to text. Eg: \"GB\"" }),
  language: z.string().max(35).optional().meta({ description: 'The language of the text. Eg: "de"' }),
}).optional()

/**
 * POST `/sign-in/text/start`: starts a confirmation for this browser, or repeats the open one. The answer is the one that
 * `<countersign-phone>` takes.
 */
export const startTextSignIn = (service: Service) => createAuthEndpoint('/sign-in/text/start', {
  method: 'POST',
  body: startBody,
  use: [formCsrfMiddleware],
  metadata,
}, async (ctx) => {
  const { country, language } = ctx.body ?? {}
  return ctx.json(await startConfirmation(ctx, service, { country, language }))
})

/**
 * POST `/sign-in/text/status`: tells this browser which number sent its text, so that the page can show it before the
 * browser signs in. The number is another person's if that person has sent the text.
 */
export const textSignInStatus = () => createAuthEndpoint('/sign-in/text/status', {
  method: 'POST',
  use: [formCsrfMiddleware],
  metadata,
}, async (ctx) => {
  const open = await openConfirmation(ctx, 'sign-in')
  if (!open) throw notFound()
  const { phoneNumber } = open.started
  if (phoneNumber) return ctx.json({ status: 'verified' as const, phoneNumber })
  ctx.setStatus(202)
  return ctx.json({ status: 'pending' as const })
})

const finishBody = z.object({
  name: z.string().max(256).optional().meta({ description: 'The name of a new account' }),
}).and(z.record(z.string(), z.any())).optional()

/**
 * POST `/sign-in/text/finish`: signs this browser in if the webhook of its confirmation has come, and otherwise answers
 * 202. The body may have the name and the additional fields of a new account.
 */
export const finishTextSignIn = (service: Service) => createAuthEndpoint('/sign-in/text/finish', {
  method: 'POST',
  body: finishBody,
  use: [formCsrfMiddleware],
  metadata,
}, async (ctx) => {
  const { options } = service
  const open = await openConfirmation(ctx, 'sign-in')
  if (!open) throw notFound()
  if (!open.started.phoneNumber) {
    ctx.setStatus(202)
    return ctx.json({ status: 'pending' as const })
  }
  const { name = '', ...rest } = ctx.body ?? {}
  const isKnown = await findByNumber(ctx, open.started.phoneNumber)
  // Before the text is used up, so that a page can correct a field.
  const fields = isKnown || options.disableSignUp ? {} : parseUserInput(ctx.context.options, withoutNumber(rest), 'create')
  const { phoneNumber } = await finishConfirmation(ctx, 'sign-in', open) ?? {}
  if (!phoneNumber) throw notFound()

  let user = await findByNumber(ctx, phoneNumber)
  let isNewUser = false
  if (!user) {
    if (options.disableSignUp) throw APIError.from('FORBIDDEN', CODES.SIGN_UP_DISABLED)
    const created = await createByNumber(ctx, options, phoneNumber, fields, name)
    isNewUser = created !== undefined
    user = created ?? await findByNumber(ctx, phoneNumber)
    if (!user) throw notFound()
  }
  if (!isNewUser) await assertOpensByText(ctx, options, user)
  await options.callbackOnVerification?.({ phoneNumber, user, isNewUser }, ctx)
  return ctx.json({ status: 'signed-in' as const, isNewUser, ...await signIn(ctx, user) })
})

/** The fields of this plugin come from the text only. */
function withoutNumber(fields: Record<string, unknown>) {
  for (const name of ['phoneNumber', 'phoneNumberVerified']) {
    if (name in fields) throw APIError.from('BAD_REQUEST', CODES.PHONE_NUMBER_CANNOT_BE_SET)
  }
  return fields
}
