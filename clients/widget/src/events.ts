/** The login that a phone opened. */
export interface ScannedDetail {
  /**
   * The session's id, for the page's own server, which must accept the outcome of this login from this
   * browser only.
   */
  readonly sessionId: string
}

/** The phone's answer. The page's server needs all of it. */
export interface ConfirmedDetail {
  /** The session's id, as with `scanned`. */
  readonly sessionId: string
  /**
   * The app's payload, unchanged and unchecked; `null` with `session`, where only the page's server can read the
   * outcome.
   */
  readonly payload: string | null
  /** The salt that the proof hashes together with the payload: 16 bytes in base64url. */
  readonly salt: string | null
  /** The proof of who confirmed, a JWT that the page's server verifies. */
  readonly proof: string | null
}

/** The kind of expiry. */
export interface ExpiredDetail {
  /**
   * `true`: a phone opened the code, but the user did not decide in time. `false`: the code was not scanned,
   * and it is no longer replaced automatically.
   */
  readonly scanned: boolean
}

/** The kind of error. */
export interface Fault {
  /** A stable code for programs: one from the README's list, or a `code` of the service. */
  readonly code: string
  /** A description for developers, without secrets. */
  readonly message: string
}

/** An error. */
export interface ErrorDetail extends Fault {
  /** Advice for the developer. */
  readonly remedy: string
}

/** The login's events. All of them bubble and cross shadow boundaries. */
export interface CountersignEventMap {
  scanned: CustomEvent<ScannedDetail>
  confirmed: CustomEvent<ConfirmedDetail>
  denied: CustomEvent<null>
  blocked: CustomEvent<null>
  expired: CustomEvent<ExpiredDetail>
  cancelled: CustomEvent<null>
  /** The user wants another login, which the page sets as `session`. */
  renew: CustomEvent<null>
  error: CustomEvent<ErrorDetail>
}

/** The confirmation of an event of `<countersign-phone>`. */
export interface ConfirmationDetail {
  /** The confirmation's id, for the page's own server. It proves nothing. */
  readonly confirmationId: string
}

/** A text with the code that did not complete the confirmation, which stays open. */
export interface MissedDetail {
  /** Why it was not accepted. The element tells the user. */
  readonly reason: 'wrong_sender' | 'wrong_recipient' | 'number_hidden' | 'number_type_refused'
}

/** The events of `<countersign-phone>`. All of them bubble and cross shadow boundaries. */
export interface PhoneEventMap {
  started: CustomEvent<ConfirmationDetail>
  missed: CustomEvent<MissedDetail>
  verified: CustomEvent<ConfirmationDetail>
  expired: CustomEvent<null>
  cancelled: CustomEvent<null>
  /** The user wants another confirmation, which the page sets as `session`. */
  renew: CustomEvent<null>
  error: CustomEvent<ErrorDetail>
}

/** A phone registration. */
export interface RegistrationDetail {
  /** The registration's id, for the page's own server. It proves nothing. */
  readonly registrationId: string
}

/** The phone that opened the link. */
export interface OpenedDetail extends RegistrationDetail {
  /** Browser and system, such as `Safari on iOS`. */
  readonly browser: string
  readonly location: string | null
}

/** The end of a registration without a key. */
export interface FailedDetail extends RegistrationDetail {
  /** `wrong_digits`, `cancelled`, `key_refused` or `expired`. */
  readonly reason: string
}

/** The events of `<countersign-setup>`. All of them bubble and cross shadow boundaries. */
export interface SetupEventMap {
  opened: CustomEvent<OpenedDetail>
  completed: CustomEvent<RegistrationDetail>
  failed: CustomEvent<FailedDetail>
  /** The user wants another registration, which the page sets. */
  renew: CustomEvent<null>
  error: CustomEvent<ErrorDetail>
}

type ToldOf<Events extends Record<keyof Events, CustomEvent>> = {
  [Name in keyof Events]: {
    readonly name: Name
    /** The element adds an error's remedy, because it knows the page. */
    readonly detail: Name extends 'error' ? Fault : Events[Name]['detail']
  }
}[keyof Events]

/** An event of the login that should be dispatched. */
export type Told = ToldOf<CountersignEventMap>

/** An event of `<countersign-setup>` that should be dispatched. */
export type SetupTold = ToldOf<SetupEventMap>

/** An event of `<countersign-phone>` that should be dispatched. */
export type PhoneTold = ToldOf<PhoneEventMap>
