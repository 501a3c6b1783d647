// The number of a user who is logged in.

import { createAuthEndpoint } from '@better-auth/core/api'
import { APIError, BASE_ERROR_CODES } from '@better-auth/core/error'
import { freshSessionMiddleware, sensitiveSessionMiddleware } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { parseUserOutput } from 'better-auth/db'
import * as z from 'zod'

import { finishConfirmation, openConfirmation, startConfirmation } from '../confirmations.js'
import { COUNTERSIGN_ERROR_CODES as CODES } from '../error-codes.js'
import type { UserWithPhoneNumber } from '../options.js'
import type { Service } from '../service.js'
import { findByNumber } from '../users.js'

const notFound = () => APIError.from('NOT_FOUND', CODES.CONFIRMATION_NOT_FOUND)
const exists = () => APIError.from('BAD_REQUEST', CODES.PHONE_NUMBER_EXIST)
const metadata = { noStore: true }

/**
 * POST `/countersign/number/start`: starts the confirmation of a number that the user typed, or repeats the open one. It
 * needs a fresh session, because a number can open the account. Another number ends the open confirmation. Whether
 * another account has the number is not said here, but only after the text.
 */
export const startNumber = (service: Service) => createAuthEndpoint('/countersign/number/start', {
  method: 'POST',
  body: z.object({
    phoneNumber: z.string().min(1).max(64).meta({ description: 'The number as the user typed it. Eg: "0151 12345678"' }),
    country: z.string().max(8).optional().meta({ description: 'The country of a number without +. Eg: "DE"' }),
    language: z.string().max(35).optional().meta({ description: 'The language of the text. Eg: "de"' }),
  }),
  use: [sensitiveSessionMiddleware, freshSessionMiddleware],
  metadata,
}, async (ctx) => {
  const { phoneNumber, country, language } = ctx.body
  return ctx.json(await startConfirmation(ctx, service, { phoneNumber, country, language }, ctx.context.session.user.id))
})

/** POST `/countersign/number/finish`: sets the number if its webhook has come, and otherwise answers 202. */
export const finishNumber = ({ options }: Service) => createAuthEndpoint('/countersign/number/finish', {
  method: 'POST',
  use: [sensitiveSessionMiddleware],
  metadata,
}, async (ctx) => {
  const { session, user: before } = ctx.context.session
  const open = await openConfirmation(ctx, 'number')
  // Another user may have logged in to this browser since.
  if (open?.started.userId !== before.id) throw notFound()
  if (!open.started.phoneNumber) {
    ctx.setStatus(202)
    return ctx.json({ status: 'pending' as const })
  }
  const { phoneNumber } = await finishConfirmation(ctx, 'number', open) ?? {}
  if (!phoneNumber) throw notFound()

  const holder = await findByNumber(ctx, phoneNumber)
  if (holder && holder.id !== before.id) throw exists()
  const previous = (await ctx.context.internalAdapter.findUserById(before.id) as UserWithPhoneNumber | null)?.phoneNumber
  let user: UserWithPhoneNumber | null
  try {
    user = await ctx.context.internalAdapter.updateUser(before.id, { phoneNumber, phoneNumberVerified: true }) as UserWithPhoneNumber | null
  } catch (error) {
    // The column is unique, so one of two accounts fails.
    const winner = await findByNumber(ctx, phoneNumber)
    if (winner && winner.id !== before.id) throw exists()
    throw error
  }
  if (!user) throw APIError.from('INTERNAL_SERVER_ERROR', BASE_ERROR_CODES.FAILED_TO_UPDATE_USER)
  await options.callbackOnVerification?.({
    phoneNumber,
    user,
    isNewUser: false,
    ...(previous && previous !== phoneNumber ? { previousPhoneNumber: previous } : {}),
  }, ctx)
  // The cookie may have a copy of the user.
  await setSessionCookie(ctx, { session, user })
  return ctx.json({ status: 'verified' as const, user: parseUserOutput(ctx.context.options, user) })
})
