/** The page on which an error occurs. */
interface Page {
  readonly origin: string
  /** The page's address, without query and fragment. */
  readonly address: string
  /** The URL that the element's requests go to. */
  readonly asked: string
  /** The `start` attribute; empty if missing. */
  readonly start: string
}

const KEY = 'Copy the app key that "countersign app show APP" shows for this service to the attribute app-key.'
const START = 'Hand on the answer of the service unchanged: as JSON from the route in start, or in the property session.'
const PHONE = 'Check how the app on the phone encrypts and signs: the documentation says it under "Encryption" and "Proofs".'

/** The remedy for an error, by its code. Functions receive the page. */
const REMEDIES: Readonly<Record<string, string | ((page: Page) => string)>> = {
  app_key_missing: KEY,
  app_key_malformed: KEY,
  app_key_unknown: KEY,
  bad_service: 'Set the attribute service to Countersign\'s URL, such as https://countersign.example.',
  insecure_context: 'Load the page, and pages that frame it, over https or from localhost.',
  no_origin: 'Load the page over https or from localhost. If it is in a sandboxed frame, add allow-same-origin to the attribute sandbox.',
  origin_not_allowed: ({ origin }) => `Run: countersign app update APP --add-origin ${origin}`,
  return_url_not_allowed: ({ address }) => `Run: countersign app update APP --add-return-page ${address}`,
  link_host_missing: 'Run: countersign app update APP --link-host HOST',
  blocked_by_policy: ({ asked }) => (
    `Add ${new URL(asked).origin} and its WebSocket (wss:) to connect-src in the page's content security policy.`
  ),
  unreachable: ({ asked, origin, start }) => (
    /^https:/.test(origin) && /^http:\/\/(?!localhost|127\.)/.test(asked)
      ? `Use an https URL instead of ${asked}: browsers refuse http requests of https pages.`
      : `The element keeps trying. If this lasts, check what answers at ${asked}${start && ` and ${start}`}.`
  ),
  login_server_only: 'Set the attribute start, as the README says, or run: countersign app update APP --logins-from pages',
  start_refused: ({ origin, start }) => (
    `Look at what the page's server answers to POST ${start}, a route of ${origin}, and at its log. `
    + 'If it wants a CSRF token, set its header in startOptions, or set start to a function.'
  ),
  bad_session: START,
  confirmation_not_found: START,
  no_client: 'Add "clientChannel": true to the request of your server, and hand on client with the rest.',
  not_encrypted: PHONE,
  decryption_failed: PHONE,
  bad_payload: PHONE,
  bad_proof: PHONE,
  answer_lost: 'Log in again.',
  already_redeemed: 'Log in again. Make sure that nothing else redeems this page\'s logins.',
}

/** Returns what a developer can do about an error. */
export function remedyFor(code: string, page: Page): string {
  // The service chooses some codes, which must not be looked up among the members that every object inherits.
  const remedy = Object.hasOwn(REMEDIES, code) ? REMEDIES[code] : undefined
  if (!remedy) return `Look up ${code} in the README of the element or in Countersign's list of problems.`
  return typeof remedy === 'string' ? remedy : remedy(page)
}
