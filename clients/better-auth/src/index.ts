import type { BetterAuthPlugin } from '@better-auth/core'
import { BetterAuthError } from '@better-auth/core/error'
import { mergeSchema } from 'better-auth/db'

import { COUNTERSIGN_ERROR_CODES } from './error-codes.js'
import { databaseHooks, hooks } from './guards.js'
import type { CountersignOptions } from './options.js'
import { customRules, rateLimit } from './rate-limits.js'
import { finishCodeSignIn, startCodeSignIn } from './routes/code.js'
import { listPhoneKeys, registerPhoneKey, revokePhoneKey } from './routes/keys.js'
import { finishNumber, startNumber } from './routes/number.js'
import { finishTextSignIn, startTextSignIn, textSignInStatus } from './routes/text.js'
import { receiveWebhook } from './routes/webhook.js'
import { schema } from './schema.js'
import { createService } from './service.js'
import { VERSION } from './version.js'

export { COUNTERSIGN_ERROR_CODES } from './error-codes.js'
export type { CountersignOptions, UserWithPhoneNumber, WayIn } from './options.js'

declare module '@better-auth/core' {
  interface BetterAuthPluginRegistry<AuthOptions, Options> {
    countersign: { creator: typeof countersign }
  }
}

/**
 * Sign-up and sign-in by a text that the user sends, verified phone numbers, and logins by phone, with Countersign.
 *
 * The browser that started something is the only one that can finish it. Everything that is remembered is in Better
 * Auth's database.
 */
export const countersign = (options: CountersignOptions) => {
  const service = createService(options)
  return {
    id: 'countersign',
    version: VERSION,
    init(ctx) {
      if (!options.callbackUrl && !ctx.baseURL) {
        throw new BetterAuthError('countersign: set baseURL, or the option callbackUrl: the service needs an address for webhooks')
      }
      ctx.rateLimit.customRules = { ...customRules, ...ctx.rateLimit.customRules }
      return { options: { databaseHooks } }
    },
    hooks,
    endpoints: {
      startTextSignIn: startTextSignIn(service),
      textSignInStatus: textSignInStatus(),
      finishTextSignIn: finishTextSignIn(service),
      startNumber: startNumber(service),
      finishNumber: finishNumber(service),
      startCodeSignIn: startCodeSignIn(service),
      finishCodeSignIn: finishCodeSignIn(service),
      registerPhoneKey: registerPhoneKey(service),
      listPhoneKeys: listPhoneKeys(),
      revokePhoneKey: revokePhoneKey(service),
      receiveCountersignWebhook: receiveWebhook(service),
    },
    schema: mergeSchema(schema, options.schema),
    rateLimit,
    options,
    $ERROR_CODES: COUNTERSIGN_ERROR_CODES,
  } satisfies BetterAuthPlugin
}
