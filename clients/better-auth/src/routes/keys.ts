// The keys with which a user's phones log in.

import { createAuthEndpoint } from '@better-auth/core/api'
import { APIError } from '@better-auth/core/error'
import { ProblemError } from '@countersign/server'
import { freshSessionMiddleware, sensitiveSessionMiddleware } from 'better-auth/api'
import * as z from 'zod'

import { COUNTERSIGN_ERROR_CODES as CODES } from '../error-codes.js'
import { deletePhoneKey, findPhoneKey, insertPhoneKey, phoneKeysOf } from '../phone-keys.js'
import type { PhoneKey } from '../schema.js'
import { calling } from '../service.js'
import type { Service } from '../service.js'

const MAX_KEYS = 10

const refused = () => APIError.from('UNPROCESSABLE_ENTITY', CODES.PHONE_KEY_REFUSED)
const metadata = { noStore: true }
const shown = ({ keyId, createdAt }: PhoneKey) => ({ keyId, createdAt })

/**
 * POST `/countersign/keys/register`: registers a key that the user's phone has generated for the user's id. It needs a
 * fresh session. The first key ends the user's other sessions: a text may have opened them, and from now on it opens
 * none.
 */
export const registerPhoneKey = ({ countersign }: Service) => createAuthEndpoint('/countersign/keys/register', {
  method: 'POST',
  body: z.object({
    publicKey: z.string().max(1024).meta({ description: "The phone's public key, as its SDK returns it" }),
    signature: z.string().max(1024).meta({ description: 'Shows that the phone has the private key' }),
  }),
  use: [sensitiveSessionMiddleware, freshSessionMiddleware],
  metadata,
}, async (ctx) => {
  const { session, user } = ctx.context.session
  const known = await phoneKeysOf(ctx, user.id)
  if (known.length >= MAX_KEYS) throw APIError.from('FORBIDDEN', CODES.TOO_MANY_PHONE_KEYS)
  const { publicKey, signature } = ctx.body
  const { keyId } = await calling(ctx, async () => {
    try {
      return await countersign.associationKeys.register({ publicUserId: user.id, publicKey, signature })
    } catch (error) {
      if (error instanceof ProblemError && [400, 409, 422].includes(error.status)) throw refused()
      throw error
    }
  })
  const existing = await findPhoneKey(ctx, keyId)
  if (existing && existing.userId !== user.id) throw refused()
  if (existing) return ctx.json(shown(existing))
  const key = await insertPhoneKey(ctx, { keyId, publicKey, userId: user.id, createdAt: new Date() })
  if (known.length === 0) {
    const sessions = await ctx.context.internalAdapter.listSessions(user.id, { onlyActiveSessions: true })
    for (const { token } of sessions) {
      if (token !== session.token) await ctx.context.internalAdapter.deleteSession(token)
    }
  }
  return ctx.json(shown(key))
})

/** GET `/countersign/keys/list`: lists the user's keys. */
export const listPhoneKeys = () => createAuthEndpoint('/countersign/keys/list', {
  method: 'GET',
  use: [sensitiveSessionMiddleware],
  metadata,
}, async (ctx) => ctx.json((await phoneKeysOf(ctx, ctx.context.session.user.id)).map(shown)))

/** POST `/countersign/keys/revoke`: revokes one of the user's keys permanently, here and at the service. */
export const revokePhoneKey = ({ countersign }: Service) => createAuthEndpoint('/countersign/keys/revoke', {
  method: 'POST',
  body: z.object({ keyId: z.string().max(64) }),
  use: [sensitiveSessionMiddleware],
  metadata,
}, async (ctx) => {
  const { keyId } = ctx.body
  const key = await findPhoneKey(ctx, keyId)
  if (key?.userId !== ctx.context.session.user.id) throw APIError.from('NOT_FOUND', CODES.PHONE_KEY_NOT_FOUND)
  // First here, where logins are decided.
  await deletePhoneKey(ctx, key)
  await calling(ctx, async () => {
    await countersign.associationKeys.revoke(keyId).catch((error: unknown) => {
      if (!(error instanceof ProblemError && error.status === 404)) throw error
    })
  })
  return ctx.json({ status: true })
})
