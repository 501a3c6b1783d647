// Only a verified text sets a number: the guards of Better Auth's own phone plugin.

import type { GenericEndpointContext } from '@better-auth/core'
import { createAuthMiddleware } from '@better-auth/core/api'
import { APIError } from '@better-auth/core/error'

import { COUNTERSIGN_ERROR_CODES as CODES } from './error-codes.js'

type Row = Record<string, unknown>
type Context = GenericEndpointContext | null

const bodyOf = (ctx: { body?: unknown } | null): Row => (
  typeof ctx?.body === 'object' && ctx.body !== null ? ctx.body as Row : {}
)

export const databaseHooks = {
  user: {
    create: {
      async before(data: Row, ctx: Context) {
        if (data.phoneNumber == null || data.phoneNumberVerified === true) return
        if (bodyOf(ctx).phoneNumber) throw APIError.from('BAD_REQUEST', CODES.PHONE_NUMBER_CANNOT_BE_SET)
        return { data: { ...data, phoneNumber: null, phoneNumberVerified: false } }
      },
    },
    update: {
      async before(data: Row, ctx: Context) {
        if ('phoneNumber' in data && data.phoneNumber === null) return { data: { ...data, phoneNumberVerified: false } }
        if (!ctx || data.phoneNumber == null || data.phoneNumberVerified === true) return
        // An administrator may set a number, which no text has proven yet.
        if (ctx.path === '/admin/update-user') return { data: { ...data, phoneNumberVerified: false } }
        return { data: { ...data, phoneNumber: undefined } }
      },
    },
  },
}

export const hooks = {
  before: [{
    matcher: (ctx: { path?: string, body?: unknown }) => {
      const body = bodyOf(ctx)
      return ctx.path === '/update-user' && 'phoneNumber' in body && body.phoneNumber !== null
    },
    handler: createAuthMiddleware(async () => {
      throw APIError.from('BAD_REQUEST', CODES.PHONE_NUMBER_CANNOT_BE_UPDATED)
    }),
  }],
}
