// The client of Countersign's API, and its errors as Better Auth's.

import type { GenericEndpointContext } from '@better-auth/core'
import { getCurrentAuthEndpointContext } from '@better-auth/core/context'
import { APIError } from '@better-auth/core/error'
import { ConnectionError, Countersign, ProblemError } from '@countersign/server'
import type { Store } from '@countersign/server'

import { COUNTERSIGN_ERROR_CODES as CODES } from './error-codes.js'
import type { CountersignOptions } from './options.js'
import { findStarted, insertAccepted, wasAccepted } from './records.js'

/** The plugin's options with what it derives from them. */
export interface Service {
  options: CountersignOptions
  countersign: Countersign
}

/** A browser waits, and can ask again itself. */
const TIMEOUT_MS = 10_000

export function createService(options: CountersignOptions): Service {
  const { url, apiKey, appKey, webhookSecret, fetch, allowUnencryptedHttp } = options
  const countersign = new Countersign({
    url,
    apiKey,
    webhookSecret,
    store,
    timeout: TIMEOUT_MS,
    ...(appKey === undefined ? {} : { appKey }),
    ...(fetch === undefined ? {} : { fetch }),
    ...(allowUnencryptedHttp === undefined ? {} : { allowUnencryptedHttp }),
  })
  return { options, countersign }
}

/** Remembers what this server started, in the database of the request that is being handled. */
const store: Store = {
  // The service creates each id, and `act` writes the record.
  async remember(_id, _ttlSeconds, act) {
    await act()
    return true
  },
  async accept(id, act) {
    const ctx = getCurrentAuthEndpointContext()
    if (await wasAccepted(ctx, id)) return 'repeated'
    if (!await findStarted(ctx, id)) return 'unknown'
    // Writes the same again if two deliveries come at once.
    await act()
    await insertAccepted(ctx, id)
    return 'accepted'
  },
}

/** The refusals that `<countersign-phone>` explains to the user. */
const NUMBER_REFUSALS = [
  'phone_number_not_international', 'phone_number_not_national', 'phone_number_not_possible', 'number_type_refused',
  'country_malformed',
]

/** Calls the service, and throws its errors as Better Auth's. */
export async function calling<T>(ctx: GenericEndpointContext, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw translated(ctx, error)
  }
}

function translated(ctx: GenericEndpointContext, error: unknown) {
  if (error instanceof ConnectionError) {
    ctx.context.logger.error('Countersign does not answer', error)
    return APIError.from('SERVICE_UNAVAILABLE', CODES.SERVICE_UNAVAILABLE)
  }
  if (!(error instanceof ProblemError)) return error
  const { status, code, title, retryAfter } = error
  if (NUMBER_REFUSALS.includes(code)) return APIError.from('UNPROCESSABLE_ENTITY', { code, message: title })
  if (retryAfter !== undefined) ctx.setHeader('retry-after', String(retryAfter))
  if (status === 429) return APIError.from('TOO_MANY_REQUESTS', CODES.TOO_MANY_ATTEMPTS)
  ctx.context.logger.error('Countersign refused a request', error)
  if (status >= 500) return APIError.from('SERVICE_UNAVAILABLE', CODES.SERVICE_UNAVAILABLE)
  return APIError.from('INTERNAL_SERVER_ERROR', CODES.SERVICE_REFUSED)
}
