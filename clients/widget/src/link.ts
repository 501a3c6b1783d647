import type { ErrorDetail } from './events.ts'
import type { Opened } from './service.ts'

/**
 * What is wrong with a link that is to be shown, if anything is.
 *
 * The hash of the key reaches the phone through the screen, so that nobody on the way can put
 * another key in. That holds only if it is the hash of this page's key, so it is compared here: a
 * service that wrote its own into the link could read what the phone encrypts.
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
    return wrong('The service gave no link.')
  }
  if (link.protocol !== 'https:') return wrong('The link of the service is not https.')
  if (link.searchParams.get('sessionId') !== id) return wrong('The link is to another session.')
  if (link.hash !== `#k=${keyHash}`) return wrong('The link does not vouch for this page\'s key.')
  return null
}
