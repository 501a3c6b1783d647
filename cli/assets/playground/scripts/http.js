/** What the server refused, in its own words. */
export class Refusal extends Error {
  constructor(status, problem) {
    const { detail, title, requestId } = problem ?? {}
    // What is the server's fault is found in its log, by the request's id.
    const short = title && (status < 500 ? `${title}.` : `${title} (${requestId}).`)
    super(detail ?? short ?? `The server answered ${status}.`)
    this.status = status
    this.code = problem?.code
  }
}

/** Calls the playground's own routes. Answers the JSON, `null` for none; throws a `Refusal`. */
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

/** Watches a session until the function that is returned is called, while the page is seen. */
export function watch(token, { onState, onSilence, onGone }) {
  const path = `/playground/sessions/${token}`
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
      // The browser connects again by itself, unless the server refused.
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
