// Everything that this plugin remembers between two requests is in Better Auth's table of verification values, or in its
// secondary storage: any process can finish what another one started, and expired rows are removed with all others.

import type { AuthContext } from '@better-auth/core'

type Context = { context: Pick<AuthContext, 'internalAdapter'> }

/** A confirmation or a login that a browser has started. */
export type Started =
  | SignIn
  | NumberChange
  | { purpose: 'login', browser: string, origin: string }

interface Confirmation {
  /** A hash of the secret in the browser's cookie. */
  browser: string
  /** A hash of the request, which tells whether a second start is the same. */
  request: string
  /** When the service stops accepting the text. Milliseconds since 1970. */
  endsAt: number
  /** The number that the webhook named. */
  phoneNumber?: string
}
export interface SignIn extends Confirmation { purpose: 'sign-in' }
export interface NumberChange extends Confirmation { purpose: 'number', userId: string, expected: string }

/** A text that arrived in the last second needs time to become a webhook, and users need time to come back. */
const GRACE_MS = 10 * 60 * 1000
/** The service retries a webhook for a day, and redelivers it on request for a week. */
const WEBHOOK_TTL_MS = 8 * 24 * 60 * 60 * 1000

const startedId = (id: string) => `countersign:${id}`
const acceptedId = (id: string) => `countersign-accepted:${id}`

/** Writes the record of something that starts, unless it exists. */
export async function insertStarted(ctx: Context, id: string, started: Started, endsAt: number) {
  if (await findStarted(ctx, id)) return
  await ctx.context.internalAdapter.createVerificationValue({
    identifier: startedId(id),
    value: JSON.stringify(started),
    expiresAt: new Date(endsAt + GRACE_MS),
  })
}

/** Returns the record of something that was started and not finished, if it has not expired. */
export async function findStarted(ctx: Context, id: string): Promise<Started | undefined> {
  return parse(await find(ctx, startedId(id)))
}

/** Removes the record and returns it. Of several calls, in any process, only one gets it. */
export async function consumeStarted(ctx: Context, id: string): Promise<Started | undefined> {
  return parse(await ctx.context.internalAdapter.consumeVerificationValue(startedId(id)))
}

/** Adds the number of a webhook to its record. */
export async function updateStarted(ctx: Context, id: string, started: Started) {
  await ctx.context.internalAdapter.updateVerificationByIdentifier(startedId(id), { value: JSON.stringify(started) })
}

/** Remembers that a webhook was accepted, longer than the service repeats it. */
export async function insertAccepted(ctx: Context, id: string) {
  await ctx.context.internalAdapter.createVerificationValue({
    identifier: acceptedId(id),
    value: 'accepted',
    expiresAt: new Date(Date.now() + WEBHOOK_TTL_MS),
  })
}

export async function wasAccepted(ctx: Context, id: string): Promise<boolean> {
  return Boolean(await find(ctx, acceptedId(id)))
}

async function find(ctx: Context, identifier: string) {
  const row = await ctx.context.internalAdapter.findVerificationValue(identifier)
  return row && new Date(row.expiresAt).getTime() > Date.now() ? row : null
}

/** The value was written by this plugin: only its identifiers begin like this. */
const parse = (row: { value: string } | null): Started | undefined => row ? JSON.parse(row.value) : undefined
