// A confirmation that a browser starts, continues after a reload, and finishes once.

import type { GenericEndpointContext } from '@better-auth/core'
import type { ConfirmationClient, ConfirmationSession } from '@countersign/server'

import { belongsTo, browserOf, createSecret, deleteCookie, idempotencyKeyOf, readCookie, requestOf, writeCookie } from './browser.js'
import { consumeStarted, findStarted, insertStarted } from './records.js'
import type { NumberChange, SignIn } from './records.js'
import { calling } from './service.js'
import type { Service } from './service.js'

/** The members of a request that the page chooses. */
export interface StartRequest {
  phoneNumber?: string | undefined
  country?: string | undefined
  language?: string | undefined
}

/** The answer that `<countersign-phone>` takes. */
export type StartedConfirmation = ConfirmationSession & { client: ConfirmationClient }

type Purposes = { 'sign-in': SignIn, number: NumberChange }
type Purpose = keyof Purposes
interface Open<P extends Purpose> { id: string, secret: string, started: Purposes[P] }

/** The path of the webhook below Better Auth's. */
export const WEBHOOK_PATH = '/countersign/webhook'

/**
 * Starts a confirmation, or repeats the answer of this browser's open one: phones discard pages that the messaging app
 * covers. `userId` is set for a number of a user who is logged in.
 */
export async function startConfirmation(
  ctx: GenericEndpointContext, service: Service, request: StartRequest, userId?: string,
): Promise<StartedConfirmation> {
  const purpose = userId === undefined ? 'sign-in' : 'number'
  const fingerprint = requestOf({ ...request, userId })
  const open = await openConfirmation(ctx, purpose)
  if (open && open.started.request === fingerprint && open.started.endsAt > Date.now()) {
    const again = await send(ctx, service, request, open.secret)
    if (again.confirmationId === open.id) return again
  } else if (open) {
    // The user corrects the number. If the first one has ended meanwhile, or stays open, that does no harm.
    await service.countersign.confirmations.cancel(open.id).catch(() => {})
    await consumeStarted(ctx, open.id)
  }
  const secret = createSecret()
  const started = await send(ctx, service, request, secret, async ({ confirmationId, expiresIn, phoneNumber }) => {
    const endsAt = Date.now() + expiresIn * 1000
    const common = { browser: browserOf(secret), request: fingerprint, endsAt }
    await insertStarted(ctx, confirmationId, userId === undefined
      ? { purpose: 'sign-in', ...common }
      : { purpose: 'number', ...common, userId, expected: phoneNumber ?? '' }, endsAt)
  })
  writeCookie(ctx, purpose, `${started.confirmationId}.${secret}`)
  return started
}

async function send(
  ctx: GenericEndpointContext, { options, countersign }: Service, { phoneNumber, country, language }: StartRequest, secret: string,
  onStarted?: (started: ConfirmationSession) => Promise<void>,
): Promise<StartedConfirmation> {
  const request = {
    callbackUrl: options.callbackUrl ?? `${ctx.context.baseURL}${WEBHOOK_PATH}`,
    clientChannel: true as const,
    idempotencyKey: idempotencyKeyOf(secret),
    ...(country ? { country } : {}),
    ...(language ? { language } : {}),
    ...(onStarted ? { onStarted } : {}),
  }
  return calling(ctx, () => phoneNumber === undefined
    ? countersign.confirmations.acquire(request)
    : countersign.confirmations.confirm({ ...request, phoneNumber }))
}

/** Returns the confirmation that this browser has started and not finished. */
export async function openConfirmation<P extends Purpose>(ctx: GenericEndpointContext, purpose: P): Promise<Open<P> | undefined> {
  const [, id, secret] = /^(cfm_\w{1,60})\.([\w-]{43})$/.exec(readCookie(ctx, purpose) ?? '') ?? []
  if (!id || !secret) return undefined
  const started = await findStarted(ctx, id)
  if (started?.purpose !== purpose || !belongsTo(started, secret)) return undefined
  return { id, secret, started: started as Purposes[P] }
}

/** Ends a confirmation, and returns its record to one of several calls. */
export async function finishConfirmation<P extends Purpose>(
  ctx: GenericEndpointContext, purpose: P, { id }: Open<P>,
): Promise<Purposes[P] | undefined> {
  const started = await consumeStarted(ctx, id)
  deleteCookie(ctx, purpose)
  return started?.purpose === purpose ? started as Purposes[P] : undefined
}
