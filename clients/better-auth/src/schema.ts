import type { BetterAuthPluginDBSchema } from '@better-auth/core/db'

/**
 * The fields of `user` are those of Better Auth's own phone plugin. `countersignKey` has the keys with which users'
 * phones log in.
 */
export const schema = {
  user: {
    fields: {
      phoneNumber: { type: 'string', required: false, unique: true, sortable: true, returned: true },
      phoneNumberVerified: { type: 'boolean', required: false, returned: true, input: false },
    },
  },
  countersignKey: {
    fields: {
      keyId: { type: 'string', required: true, unique: true, sortable: true },
      publicKey: { type: 'string', required: true, returned: false },
      userId: {
        type: 'string',
        required: true,
        references: { model: 'user', field: 'id', onDelete: 'cascade' },
        index: true,
      },
      createdAt: { type: 'date', required: true },
    },
  },
} satisfies BetterAuthPluginDBSchema

/** A key of a user's phone, as the table has it. */
export interface PhoneKey {
  id: string
  keyId: string
  publicKey: string
  userId: string
  createdAt: Date
}
