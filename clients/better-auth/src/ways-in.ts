import type { GenericEndpointContext } from '@better-auth/core'

import type { UserWithPhoneNumber, WayIn } from './options.js'
import { phoneKeysOf } from './phone-keys.js'

/**
 * Returns the ways into an account other than a text from its number. An attacker who persuades the owner to send a text
 * must not get past them.
 */
export async function waysInto(ctx: GenericEndpointContext, user: UserWithPhoneNumber): Promise<WayIn[]> {
  const { internalAdapter, adapter, options } = ctx.context
  const ways = new Set<WayIn>()
  for (const { providerId, password } of await internalAdapter.findAccounts(user.id)) {
    if (providerId !== 'credential') ways.add(providerId)
    else if (password) ways.add('password')
  }
  if ((await phoneKeysOf(ctx, user.id)).length > 0) ways.add('phone-key')
  if ('twoFactorEnabled' in user && user.twoFactorEnabled) ways.add('two-factor')
  if (hasPlugin(ctx, 'passkey')) {
    const passkeys = await adapter.findMany({ model: 'passkey', where: [{ field: 'userId', value: user.id }], limit: 1 })
    if (passkeys.length > 0) ways.add('passkey')
  }
  // An address that was verified only for messages is no way in.
  const emailOpens = hasPlugin(ctx, 'magic-link') || hasPlugin(ctx, 'email-otp')
    || Boolean(options.emailAndPassword?.enabled && options.emailAndPassword.sendResetPassword)
  if (user.emailVerified && emailOpens) ways.add('email')
  return [...ways]
}

const hasPlugin = (ctx: GenericEndpointContext, id: string) => (
  (ctx.context.options.plugins ?? []).some((plugin) => plugin.id === id)
)
