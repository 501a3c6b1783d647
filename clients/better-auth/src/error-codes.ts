import { defineErrorCodes } from '@better-auth/core/utils/error-codes'

/**
 * The codes of this plugin's errors. Those that Better Auth's own phone plugin has too mean the same. A refused number
 * has the code of Countersign's problem instead, such as `phone_number_not_possible`, which `<countersign-phone>`
 * explains at its field.
 */
export const COUNTERSIGN_ERROR_CODES = defineErrorCodes({
  PHONE_NUMBER_EXIST: 'Phone number already exists',
  PHONE_NUMBER_NOT_VERIFIED: 'Phone number not verified',
  PHONE_NUMBER_CANNOT_BE_UPDATED: 'Phone number cannot be updated',
  PHONE_NUMBER_CANNOT_BE_SET: 'Phone number can only be set by verifying it',
  CONFIRMATION_NOT_FOUND: 'This browser has no open confirmation',
  CONFIRMATION_PENDING: 'The text has not arrived yet',
  STRONGER_SIGN_IN_REQUIRED: 'This number has an account that a text alone does not open',
  SIGN_UP_DISABLED: 'No account has this number, and sign-up is disabled',
  LOGIN_REFUSED: 'This login cannot be verified',
  LOGIN_NOT_CONFIGURED: 'Logins by phone need the option appKey',
  PHONE_KEY_REFUSED: 'This is not a key of this user',
  PHONE_KEY_NOT_FOUND: 'This user has no such key',
  TOO_MANY_PHONE_KEYS: 'This user has too many keys',
  TOO_MANY_ATTEMPTS: 'Too many attempts',
  SERVICE_UNAVAILABLE: 'Countersign does not answer at the moment',
  SERVICE_REFUSED: 'Countersign refused the request of this server',
})
