import type { GenericEndpointContext } from '@better-auth/core'

import type { PhoneKey } from './schema.js'

const model = 'countersignKey'

export const phoneKeysOf = (ctx: GenericEndpointContext, userId: string) => (
  ctx.context.adapter.findMany<PhoneKey>({ model, where: [{ field: 'userId', value: userId }] })
)

export const findPhoneKey = (ctx: GenericEndpointContext, keyId: string) => (
  ctx.context.adapter.findOne<PhoneKey>({ model, where: [{ field: 'keyId', value: keyId }] })
)

export const insertPhoneKey = (ctx: GenericEndpointContext, data: Omit<PhoneKey, 'id'>) => (
  ctx.context.adapter.create<Omit<PhoneKey, 'id'>, PhoneKey>({ model, data })
)

export const deletePhoneKey = (ctx: GenericEndpointContext, { id }: PhoneKey) => (
  ctx.context.adapter.delete({ model, where: [{ field: 'id', value: id }] })
)
