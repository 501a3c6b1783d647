/** Which login a phone opened. */
export interface ScannedDetail {
  /** The session's id, for the page's own server: it takes what comes of this login from this
   * browser and from no other. */
  readonly sessionId: string
}

/** What arrived from the phone. */
export interface ConfirmedDetail {
  /** The session's id, as with `scanned`. */
  readonly sessionId: string
  /** What the app on the phone sent, as it sent it. Nothing about it is checked here. */
  readonly payload: string
  /** Whether it was encrypted for this page alone. Where not, the service could read it. */
  readonly encrypted: boolean
}

/** Which time ran out. */
export interface ExpiredDetail {
  /** `true`: a phone had opened the code, and nothing came of it in time. `false`: nobody scanned
   * it, and it is no longer replaced by itself. */
  readonly scanned: boolean
}

/** What went wrong. */
export interface ErrorDetail {
  /** What programs decide by: one of those that the README lists, or a `code` of the service. */
  readonly code: string
  /** The same for people who write programs. It holds no secret. */
  readonly message: string
}

/** The element's events. All bubble, and cross shadow boundaries. */
export interface CountersignEventMap {
  scanned: CustomEvent<ScannedDetail>
  confirmed: CustomEvent<ConfirmedDetail>
  denied: CustomEvent<null>
  blocked: CustomEvent<null>
  expired: CustomEvent<ExpiredDetail>
  cancelled: CustomEvent<null>
  error: CustomEvent<ErrorDetail>
}

type Details = { [Name in keyof CountersignEventMap]: CountersignEventMap[Name]['detail'] }

/** An event that is to be told, with its detail. */
export type Told = {
  [Name in keyof Details]: { readonly name: Name; readonly detail: Details[Name] }
}[keyof Details]
