import { randomUUID } from 'node:crypto'

import type { GenericEndpointContext } from '@better-auth/core'
import { APIError, BASE_ERROR_CODES } from '@better-auth/core/error'
import { createPlaceholderEmail } from '@better-auth/core/utils/email'
import { setSessionCookie } from 'better-auth/cookies'
import { parseUserOutput } from 'better-auth/db'
import type { User } from 'better-auth/types'

import { COUNTERSIGN_ERROR_CODES as CODES } from './error-codes.js'
import type { CountersignOptions, UserWithPhoneNumber } from './options.js'
import { waysInto } from './ways-in.js'

export const findByNumber = (ctx: GenericEndpointContext, phoneNumber: string) => (
  ctx.context.adapter.findOne<UserWithPhoneNumber>({ model: 'user', where: [{ field: 'phoneNumber', value: phoneNumber }] })
)

/**
 * Throws unless a text from its number is enough to open an account: the number must have been proven before, and the
 * text must be the only way in, unless the app decides otherwise.
 */
export async function assertOpensByText(
  ctx: GenericEndpointContext, { mayOpenByText }: CountersignOptions, user: UserWithPhoneNumber,
) {
  if (!user.phoneNumberVerified) throw APIError.from('FORBIDDEN', CODES.PHONE_NUMBER_NOT_VERIFIED)
  const waysIn = await waysInto(ctx, user)
  const opens = mayOpenByText
    ? await mayOpenByText({ user, phoneNumber: user.phoneNumber, waysIn }, ctx)
    : waysIn.length === 0
  if (opens !== true) throw APIError.from('FORBIDDEN', CODES.STRONGER_SIGN_IN_REQUIRED)
}

/** Creates the account of a number, or returns nothing if another request has just done so. */
export async function createByNumber(
  ctx: GenericEndpointContext, { signUp }: CountersignOptions, phoneNumber: string, fields: Record<string, unknown>, name: string,
): Promise<UserWithPhoneNumber | undefined> {
  const email = await signUp?.getTempEmail?.(phoneNumber)
    // Pages and logs often show addresses, so this one does not contain the number.
    ?? createPlaceholderEmail({ identifier: randomUUID(), namespace: 'countersign' })
  const data = {
    ...fields,
    email,
    emailVerified: false,
    name: await signUp?.getTempName?.(phoneNumber) ?? name,
    phoneNumber,
    phoneNumberVerified: true,
  }
  try {
    const user = await ctx.context.internalAdapter.createUser(data, { method: 'countersign' })
    if (!user) throw APIError.from('INTERNAL_SERVER_ERROR', BASE_ERROR_CODES.FAILED_TO_CREATE_USER)
    return user as UserWithPhoneNumber
  } catch (error) {
    // The column is unique, so one of two requests fails.
    if (await findByNumber(ctx, phoneNumber)) return undefined
    throw error
  }
}

/** Signs this browser in with a new session, and returns what the page gets. */
export async function signIn<U extends User>(ctx: GenericEndpointContext, user: U) {
  const session = await ctx.context.internalAdapter.createSession(user.id)
  if (!session) throw APIError.from('INTERNAL_SERVER_ERROR', BASE_ERROR_CODES.FAILED_TO_CREATE_SESSION)
  await setSessionCookie(ctx, { session, user })
  return { token: session.token, user: parseUserOutput(ctx.context.options, user) }
}
