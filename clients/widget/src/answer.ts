import type { Fault } from './events.ts'
import type { Identity } from './identity.ts'
import type { Opened } from './service.ts'

/**
 * Returns the problem with the service's answer to a new session; `null` if there is none.
 *
 * The phone trusts the id that it reads from the screen. So the screen shows this page's own id and nothing
 * else that the service could choose, apart from the host that leads to the app.
 */
export function answerFault(
  { id }: Pick<Identity, 'id'>,
  { sessionId, url }: Pick<Opened, 'sessionId' | 'url'>,
): Fault | null {
  if (sessionId !== id) {
    return { code: 'wrong_session', message: 'The service returned the id of another session.' }
  }
  if (url !== linkTo(url, id)) {
    const message = 'The service returned a link that is not exactly https://HOST?sessionId=ID, or http:// to this machine itself.'
    return { code: 'bad_link', message }
  }
  return null
}

/** The loopback hosts, where a service in local mode has no certificate. No other spelling is accepted. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Returns the link to a session with the host of another link; `null` if that link has no session. */
function linkTo(url: string, id: string): string | null {
  try {
    const { host, hostname } = new URL(url)
    const scheme = LOOPBACK.includes(hostname) ? 'http' : 'https'
    return `${scheme}://${host}?sessionId=${id}`
  } catch {
    return null
  }
}
