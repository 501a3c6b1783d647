// Requests with `fetch`.

import { byteLength } from './bytes.ts'
import { NetworkError, type HttpRequest, type HttpResponse, type Sleep } from './ports.ts'

/** Maximum size of an answer's body, in bytes. */
export const MAX_ANSWER_BYTES = 64 * 1024

const tooLong = () => new NetworkError('answer_too_long', 'the answer is too long')

/** Sends a request with the engine's `fetch`. */
export async function fetchHttp({ url, headers, body, signal }: HttpRequest): Promise<HttpResponse> {
  // A redirect would send the phone's token to another address.
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual', credentials: 'omit' }).catch(() => {
    // The engine's error may quote the request.
    throw new NetworkError('temporary', 'the service cannot be reached')
  })
  // Some engines follow redirects anyway.
  if (response.redirected) throw new NetworkError('permanent', 'the service answered with a redirect')
  const retryAfter = response.headers.get('retry-after') ?? undefined
  return { status: response.status, retryAfter, body: await readBody(response) }
}

/** Reads a body, and stops where it is too long, because a service that cheats may never stop sending. */
async function readBody(response: Response): Promise<string> {
  const reader = response.body?.getReader?.()
  if (!reader || typeof TextDecoder === 'undefined') {
    const text = await response.text()
    if (byteLength(text) > MAX_ANSWER_BYTES) throw tooLong()
    return text
  }
  const decoder = new TextDecoder()
  let [text, length] = ['', 0]
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    length += value.length
    if (length > MAX_ANSWER_BYTES) {
      await reader.cancel().catch(() => {})
      throw tooLong()
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Waits with the engine's timer. */
export const sleep: Sleep = (millis, signal) => new Promise((resolve) => {
  const end = () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    resolve()
  }
  const timer = setTimeout(end, millis)
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
})
