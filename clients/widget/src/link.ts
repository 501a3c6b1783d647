import type { ErrorDetail } from './events.ts'
import type { Opened } from './service.ts'

/**
 * Returns what is wrong with a link before it is shown; `null` if nothing is.
 *
 * The hash of the key reaches the phone through the screen, so that nobody on the way can replace
 * the key. That requires the hash of this page's own key, so it is compared here: a service that
 * puts its own key's hash into the link could read what the phone encrypts.
 */
export function linkFault(
  { id, url }: Pick<Opened, 'id' | 'url'>,
  keyHash: string,
): ErrorDetail | null {
  const wrong = (message: string) => ({ code: 'bad_link', message })
  let link: URL
  try {
    link = new URL(url)
  } catch {
    return wrong('The service returned no link.')
  }
  if (link.protocol !== 'https:') return wrong('The link of the service is not https.')
  if (link.searchParams.get('sessionId') !== id) return wrong('The link is to another session.')
  if (link.hash !== `#k=${keyHash}`) return wrong('The link does not carry the hash of this page\'s key.')
  return null
}
