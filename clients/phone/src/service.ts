/** The service's answer, as far as the page needs it. */
export interface Reply {
  /** The status; 0 if there was no answer. */
  readonly status: number
  /** The code of a problem; empty if the answer has none. */
  readonly code: string
  /** The members of the answer's body. */
  readonly body: Readonly<Record<string, unknown>>
}

/** A request, with the token of the phone or the key of the app. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly token?: string
  readonly appKey?: string
  readonly body?: object
}

export type Ask = (call: Call) => Promise<Reply>

/** Time for an answer, in ms. */
const TIMEOUT = 15_000

/** Sends a request to the service of this page, and reads the answer. */
export const ask: Ask = async ({ method, path, token, appKey, body }) => {
  try {
    const answer = await fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(appKey === undefined ? {} : { 'x-app-key': appKey }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT),
    })
    const value: unknown = await answer.json().catch((error: unknown) => {
      // An answer that is not JSON comes from a proxy. One that ends too early is none.
      if (error instanceof SyntaxError) return null
      throw error
    })
    const members = Object(value) as Record<string, unknown>
    return { status: answer.status, code: text(members['code']), body: members }
  } catch {
    return { status: 0, code: '', body: {} }
  }
}

/** Returns whether a request may succeed later. Each refusal of the service has a code; one without is something else's. */
export const isPassing = ({ code, status }: Reply): boolean => status === 0 || status === 429 || status >= 500 || (status >= 300 && code === '')

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
