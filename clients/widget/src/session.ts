import type { Identity } from './identity.ts'
import { lifetime } from './lifetime.ts'
import type { LoginPorts } from './login.ts'
import { Refusal } from './refusal.ts'
import type { Opened, Service } from './service.ts'

/** The formats of a session's text members. */
const SHAPES = {
  sessionId: /^qr[sp]_\w+$/,
  token: /^[\w-]+$/,
  url: /./,
  socketUrl: /^wss?:/,
  expiresAt: /./,
  serverTime: /./,
}

/**
 * Parses a session that the page's server opened. Throws problems as a `Refusal`, with the member's name and not its
 * value.
 */
function read(value: unknown, askedAt: number): { readonly identity: Identity; readonly opened: Opened } {
  const session = Object(value) as Record<keyof typeof SHAPES, string> & { readonly checkCodeRequired?: unknown }
  for (const [name, shape] of Object.entries(SHAPES)) {
    const member: unknown = session[name as keyof typeof SHAPES]
    if (typeof member === 'string' && shape.test(member)) continue
    throw new Refusal('bad_session', `The session's ${name} is missing or wrong.`, { status: 200 })
  }
  const { sessionId, token, url, socketUrl, expiresAt, serverTime, checkCodeRequired } = session
  return {
    identity: { id: sessionId, token, keys: null },
    opened: {
      sessionId, url, socketUrl, askedAt,
      needsCode: checkCodeRequired === true,
      lifetime: lifetime(expiresAt, serverTime),
    },
  }
}

/**
 * Shows a login that the page's server opened. Its token can watch the login and pass on a check code. Only the server
 * can get the payload, and cancel.
 */
export function givenLogin(
  service: Pick<Service, 'status' | 'check'>,
  session: unknown,
  now: () => number,
): Pick<LoginPorts, 'service' | 'newIdentity' | 'takeKept' | 'returnUrl' | 'keep'> {
  const identity = async () => read(session, now()).identity
  return {
    service: {
      open: async () => read(session, now()).opened,
      status: (credentials, last) => service.status(credentials, last),
      async redeem(credentials, _, { checkCode }) {
        if (checkCode !== undefined) await service.check(credentials, checkCode)
        return null
      },
      async cancel() {},
    },
    newIdentity: identity,
    // It may have begun before the page was loaded.
    takeKept: () => identity().catch(() => null),
    returnUrl: () => null,
    keep() {},
  }
}
