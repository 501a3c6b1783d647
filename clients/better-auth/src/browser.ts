// The secrets in the browser's cookies. Only the browser that started something can finish it.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

import type { GenericEndpointContext } from '@better-auth/core'
import type { Started } from './records.js'

const COOKIES = {
  'sign-in': 'countersign_sign_in',
  number: 'countersign_number',
  login: 'countersign_login',
} as const satisfies Record<Started['purpose'], string>

/** Longer than a confirmation or a login can be finished. */
const MAX_AGE_SECONDS = 15 * 60

export const createSecret = () => randomBytes(32).toString('base64url')

const hash = (label: string, text: string) => (
  createHash('sha256').update(`countersign/better-auth/${label}/1\0`).update(text).digest('base64url')
)

/** Returns what the database has of a secret. */
export const browserOf = (secret: string) => hash('browser', secret)

/** Returns the `Idempotency-Key` of a secret. With it the service repeats its answer, so that no text is stored here. */
export const idempotencyKeyOf = (secret: string) => hash('start', secret)

/** Returns a text that tells two requests apart. */
export const requestOf = (request: Record<string, unknown>) => hash('request', JSON.stringify(request))

/** Whether a record belongs to the browser with this secret. */
export function belongsTo(started: Started, secret: string): boolean {
  const [a, b] = [Buffer.from(started.browser), Buffer.from(browserOf(secret))]
  return a.length === b.length && timingSafeEqual(a, b)
}

/**
 * Returns the name and the attributes of a cookie. Over https its name begins with `__Host-`, and it has no domain:
 * otherwise another host of the domain could give a user a sign-in that its owner continues.
 */
function cookieOf(ctx: GenericEndpointContext, purpose: Started['purpose']) {
  const { name, attributes } = ctx.context.createAuthCookie(COOKIES[purpose], { maxAge: MAX_AGE_SECONDS })
  const { domain: _, ...others } = attributes
  const bare = name.replace(/^__(?:Secure|Host)-/, '')
  const isSecure = attributes.secure === true
  return { name: isSecure ? `__Host-${bare}` : bare, attributes: { ...others, httpOnly: true, path: '/' } }
}

export const readCookie = (ctx: GenericEndpointContext, purpose: Started['purpose']) => (
  ctx.getCookie(cookieOf(ctx, purpose).name) ?? undefined
)

export function writeCookie(ctx: GenericEndpointContext, purpose: Started['purpose'], value: string) {
  const { name, attributes } = cookieOf(ctx, purpose)
  ctx.setCookie(name, value, attributes)
}

export function deleteCookie(ctx: GenericEndpointContext, purpose: Started['purpose']) {
  const { name, attributes } = cookieOf(ctx, purpose)
  ctx.setCookie(name, '', { ...attributes, maxAge: 0 })
}
