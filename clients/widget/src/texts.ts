/** The element's texts. */
export interface Texts {
  /** While a code is being created. */
  opening: string
  /** Above the code. */
  scan: string
  /** Describes the code to people who do not see it. */
  code: string
  /** Replaces the code with a fresh one. */
  renew: string
  /** Opens the link on the device that shows the code. */
  openHere: string
  /** Above the link, on a phone. */
  onThisPhone: string
  /** The link, on a phone. */
  openApp: string
  /** Shows the code instead of the link, on a phone. */
  showCode: string
  /** Shows the link again, on a phone. */
  hideCode: string
  scanned: string
  /** While the payload is fetched. */
  finishing: string
  confirmed: string
  denied: string
  blocked: string
  expired: string
  cancelled: string
  failed: string
  /** Starts again after an end. */
  again: string
  /** Starts again after a code has expired. */
  anew: string
  /** The browser is offline. */
  offline: string
  /** The service does not answer. */
  unreachable: string
  /** The service asks to wait. */
  busy: string
}

export const ENGLISH: Readonly<Texts> = {
  opening: 'Creating a code\u2026',
  scan: 'Scan this code with your phone',
  code: 'QR code to log in with your phone',
  renew: 'New code',
  openHere: 'Open on this device',
  onThisPhone: 'Log in with the app on this phone',
  openApp: 'Open the app',
  showCode: 'Show a code instead',
  hideCode: 'Use this phone instead',
  scanned: 'Scanned. Look at your phone.',
  finishing: 'Confirmed. One moment\u2026',
  confirmed: 'Confirmed',
  denied: 'The login was denied on the phone',
  blocked: 'The login was stopped to keep you safe',
  expired: 'The code has expired',
  cancelled: 'The login was cancelled',
  failed: 'The login did not work',
  again: 'Try again',
  anew: 'Show a new code',
  offline: 'You are offline. The login continues when you are back online.',
  unreachable: 'The service does not answer. Trying again\u2026',
  busy: 'Too many attempts. The login continues in a moment.',
}
