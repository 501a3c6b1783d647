/** A refusal from the server, with the server's own text. */
export class Refusal extends Error {
  constructor(status, problem) {
    const { detail, title, requestId } = problem ?? {}
    // Server faults are logged under the request's id.
    const short = title && (status < 500 ? `${title}.` : `${title} (${requestId}).`)
    super(detail ?? short ?? `The server answered ${status}.`)
    this.status = status
    this.code = problem?.code
  }
}

/** Calls one of the playground's routes. Returns its JSON, or `null` without a body; throws a
/** `Refusal`. */
export async function call(method, path, body) {
  let response
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  } catch {
    throw new Refusal(0, { detail: 'The server does not answer. Is it still running?' })
  }
  const answer = await response.json().catch(() => null)
  if (!response.ok) throw new Refusal(response.status, answer)
  return answer
}

/** Watches the states of what is at a path while the page is visible. Returns a function that stops watching. */
export function watch(path, { onState, onSilence, onGone }) {
  let source = null
  let again
  let stopped = false

  const close = () => {
    clearTimeout(again)
    source?.close()
    source = null
  }
  const open = () => {
    close()
    const opened = new EventSource(`${path}/events`)
    source = opened
    opened.addEventListener('state', (event) => onState(JSON.parse(event.data)))
    opened.onerror = async () => {
      onSilence()
      // The browser reconnects by itself unless the server refused.
      if (opened.readyState !== EventSource.CLOSED) return
      const refusal = await call('GET', path).then(() => null, (error) => error)
      if (stopped || source !== opened) return
      if (refusal?.status === 404) onGone(refusal)
      else again = setTimeout(open, 2000)
    }
  }
  const follow = () => (document.hidden ? close() : open())
  document.addEventListener('visibilitychange', follow)
  follow()
  return () => {
    stopped = true
    document.removeEventListener('visibilitychange', follow)
    close()
  }
}
