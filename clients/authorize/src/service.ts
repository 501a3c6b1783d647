/** The routes of the service that the page calls. */
export type Route = '/authorize/text' | '/authorize/code' | '/authorize/finish' | '/authorize/cancel'

/** The service's answer, as far as the page needs it. */
export interface Reply {
  /** The status; 0 if there was no answer. */
  readonly status: number
  /** The code of a problem; empty if the answer has none. */
  readonly code: string
  /** Where the browser goes next; empty if the answer does not say. */
  readonly location: string
}

/** Time for an answer, in ms. */
const TIMEOUT = 20_000

/** Sends a request as JSON, with the page's cookie. */
export function post(route: Route, body: object): Promise<Response> {
  return fetch(route, {
    method: 'POST',
    headers: { 'accept': 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    cache: 'no-store',
    credentials: 'same-origin',
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT),
  })
}

/** Reads an answer, which stays readable. Throws if it ends too early. */
export async function read(answer: Response): Promise<Reply> {
  const body: unknown = await answer.clone().json().catch((error: unknown) => {
    // An answer that is not JSON comes from a proxy.
    if (error instanceof SyntaxError) return null
    throw error
  })
  const { code, location } = Object(body) as { code?: unknown; location?: unknown }
  return { status: answer.status, code: text(code), location: text(location) }
}

/** Sends a request, and reads the answer. */
export async function ask(route: Route, body: object): Promise<Reply> {
  try {
    return await read(await post(route, body))
  } catch {
    return { status: 0, code: '', location: '' }
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
