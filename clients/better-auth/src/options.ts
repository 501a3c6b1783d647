import type { GenericEndpointContext } from '@better-auth/core'
import type { User } from 'better-auth/types'
import type { InferOptionSchema } from 'better-auth/types'
import type { schema } from './schema.js'

type Awaitable<T> = T | Promise<T>

/** A user with the fields of this plugin. */
export interface UserWithPhoneNumber extends User {
  phoneNumber: string
  phoneNumberVerified: boolean
}

/** A way into an account other than a text: see `mayOpenByText`. */
export type WayIn = 'password' | 'phone-key' | 'passkey' | 'two-factor' | 'email' | (string & {})

export interface CountersignOptions {
  /** The service's URL, such as `https://countersign.example`. */
  url: string
  /** The app's secret key, `cs_live_…`, or in tests `cs_test_…`. */
  apiKey: string
  /** The app's secret for webhooks, `whsec_…`, or both while you replace it. */
  webhookSecret: string | readonly string[]
  /** The app's public key, `cs_app_…`. Needed for logins by phone only. */
  appKey?: string | undefined
  /**
   * The address to which the service sends webhooks. By default this server's own: `baseURL`, `basePath` and
   * `/countersign/webhook`. Needed if `baseURL` depends on the request, or if the service reaches this server under
   * another address.
   */
  callbackUrl?: string | undefined
  /** Sends the requests to the service in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** Allows plain http to a private host, such as `http://countersign:8080` in a Compose file. */
  allowUnencryptedHttp?: boolean | undefined
  /** Refuses numbers that have no account, instead of creating one. */
  disableSignUp?: boolean | undefined
  /** The values of a new account, which has no email address or name yet. */
  signUp?: {
    /** By default a random address under `.invalid`, which does not contain the number. */
    getTempEmail?: ((phoneNumber: string) => Awaitable<string>) | undefined
    /** By default the `name` that the page sends, or nothing. */
    getTempName?: ((phoneNumber: string) => Awaitable<string>) | undefined
  } | undefined
  /**
   * Decides whether a text alone opens an existing account with this verified number. By default only if the text is
   * the account's only way in: `waysIn` is empty. Add the ways in of your own plugins, or relax the rule for accounts
   * that matter little.
   */
  mayOpenByText?: ((account: {
    user: UserWithPhoneNumber
    phoneNumber: string
    waysIn: readonly WayIn[]
  }, ctx: GenericEndpointContext) => Awaitable<boolean>) | undefined
  /**
   * Runs after a text has signed a user in or up, and after a user has verified a number. `previousPhoneNumber` is the
   * number that a user replaced.
   */
  callbackOnVerification?: ((verified: {
    phoneNumber: string
    user: UserWithPhoneNumber
    isNewUser: boolean
    previousPhoneNumber?: string | undefined
  }, ctx: GenericEndpointContext) => Awaitable<void>) | undefined
  /** Runs after a phone has logged a user in. */
  callbackOnLogin?: ((login: { user: User, keyId: string }, ctx: GenericEndpointContext) => Awaitable<void>) | undefined
  /** Other names for the tables and columns. */
  schema?: InferOptionSchema<typeof schema> | undefined
}
