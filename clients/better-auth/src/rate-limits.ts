import { WEBHOOK_PATH } from './confirmations.js'

// Better Auth counts each path and address. A count starts again only after a window without a request, so windows are
// short: the element for logins asks for a code every 55 seconds.
const rule = (paths: readonly string[], window: number, max: number) => (
  { pathMatcher: (path: string) => paths.includes(path), window, max }
)

export const rateLimit = [
  rule(['/sign-in/text/start', '/countersign/number/start', '/countersign/keys/register'], 60, 10),
  rule(['/sign-in/code/start', '/sign-in/code/finish'], 10, 10),
  // A page asks each second until the webhook has come.
  rule(['/sign-in/text/status', '/sign-in/text/finish', '/countersign/number/finish'], 10, 30),
]

/** Webhooks all come from the service's address. A limit would only delay sign-ins. */
export const customRules = { [WEBHOOK_PATH]: false as const }
