import type { BetterAuthClientPlugin, ClientStore } from '@better-auth/core'

import { COUNTERSIGN_ERROR_CODES } from './error-codes.js'
import type { countersign } from './index.js'
import type { UserWithPhoneNumber } from './options.js'
import { VERSION } from './version.js'

export { COUNTERSIGN_ERROR_CODES } from './error-codes.js'
export type { CountersignOptions, UserWithPhoneNumber } from './options.js'

type Fetch = Parameters<NonNullable<BetterAuthClientPlugin['getActions']>>[0]

/** A user whom a text has signed in. */
export interface SignedIn { status: 'signed-in', token: string, user: UserWithPhoneNumber, isNewUser: boolean }
/** A user whose number a text has verified. */
export interface Verified { status: 'verified', user: UserWithPhoneNumber }

const SESSION_PATHS = ['/sign-in/text/finish', '/sign-in/code/finish', '/countersign/number/finish']

/** The client's part of `countersign()`. */
export const countersignClient = () => ({
  id: 'countersign',
  version: VERSION,
  getActions: ($fetch: Fetch, $store: ClientStore) => ({
    countersign: {
      /**
       * Returns the number that sent the text, after the element's event `verified`, so that the page can show it before
       * the browser signs in. The page may learn about the text a moment before the server: then it asks again.
       */
      waitForText: () => wait<{ status: 'verified', phoneNumber: string }>($fetch, $store, '/sign-in/text/status', {}),
      /**
       * Signs this browser in after the element's event `verified`, in the same way. `body` may have the name and the
       * additional fields of a new account.
       */
      waitForSignIn: (body: { name?: string } & Record<string, unknown> = {}) => (
        wait<SignedIn>($fetch, $store, '/sign-in/text/finish', body)
      ),
      /** Sets the user's number after the element's event `verified`, in the same way. */
      waitForNumber: () => wait<Verified>($fetch, $store, '/countersign/number/finish', {}),
    },
  }),
  $InferServerPlugin: {} as ReturnType<typeof countersign>,
  // Without these, a call without a body would be a GET.
  pathMethods: {
    '/sign-in/text/start': 'POST',
    '/sign-in/text/status': 'POST',
    '/sign-in/text/finish': 'POST',
    '/countersign/number/finish': 'POST',
  },
  atomListeners: [{ matcher: (path: string) => SESSION_PATHS.includes(path), signal: '$sessionSignal' }],
  $ERROR_CODES: COUNTERSIGN_ERROR_CODES,
}) satisfies BetterAuthClientPlugin

const MAX_TRIES = 15
const MAX_FAILURES = 3
const PAUSE_MS = 1000

interface ClientError { code?: string, message?: string, status: number, statusText: string }
type Outcome<T> = { data: T, error: null } | { data: null, error: ClientError }

/** Repeats a request until its answer is not `pending`. A server that fails gets two more chances. */
async function wait<T>($fetch: Fetch, $store: ClientStore, path: string, body: Record<string, unknown>): Promise<Outcome<T>> {
  let failures = 0
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { data, error } = await $fetch<T | { status: 'pending' }>(path, { method: 'POST', body })
    if (error) {
      failures += 1
      if (error.status < 500 || failures === MAX_FAILURES) return { data: null, error }
    } else if (!isPending(data)) {
      if (SESSION_PATHS.includes(path)) $store.notify('$sessionSignal')
      return { data, error: null }
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return { data: null, error: { ...COUNTERSIGN_ERROR_CODES.CONFIRMATION_PENDING, status: 408, statusText: 'Request Timeout' } }
}

const isPending = (data: unknown): data is { status: 'pending' } => (
  typeof data === 'object' && data !== null && 'status' in data && data.status === 'pending'
)
