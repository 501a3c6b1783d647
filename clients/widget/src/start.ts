import type { Clock } from './clock.ts'
import { Refusal } from './refusal.ts'
import { request, type Answer } from './request.ts'

/** The code for a route that starts nothing. */
const REFUSED = 'start_refused'

/** Sends a request to a route of the page's own server, with the cookies of the site. Throws each refusal. */
export async function askOwnServer(clock: Clock, route: string, body: object): Promise<Answer['body']> {
  const url = new URL(route, document.baseURI)
  if (url.origin !== location.origin) {
    throw new Refusal(REFUSED, 'The attribute start must name a route of this page\'s server.', { status: 200 })
  }
  const answer = await request(clock, url.href, {
    method: 'POST',
    body: JSON.stringify(body),
    // In the mode `same-origin`, a request without a referrer may have the origin `null`.
    credentials: 'same-origin',
    redirect: 'follow',
  }).catch(({ code, message, status, wait }: Refusal) => {
    // The rest may come to nothing however often it is repeated.
    if (status === 0 || status === 429) throw new Refusal(code, message, { status, wait })
    const told = `The page's server answered ${status} (${code}).`
    throw new Refusal(status < 400 ? 'bad_session' : REFUSED, told, { status: 200 })
  })
  return answer.body
}
