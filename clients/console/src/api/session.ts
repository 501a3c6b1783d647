import { keep, kept, keptNames } from '../shell/kept.ts'

/** The run's secret is kept under this and the run's name, for this origin only. */
const PREFIX = 'countersign-console-secret-'

let secret: string | null = null

/** Returns the secret that requests carry in a header beside the cookie, or null before the exchange. */
export function currentSecret(): string | null {
  if (secret !== null) return secret
  const name = keptNames().find((one) => one.startsWith(PREFIX))
  secret = name === undefined ? null : kept(name)
  return secret
}

/** Returns the code of a fragment such as `#code=…`, or null. */
export function codeOf(fragment: string): string | null {
  return new URLSearchParams(fragment.replace(/^#/, '')).get('code') || null
}

function take(answer: { secret: string, run?: string }): void {
  // Runs that are over left theirs.
  for (const name of keptNames()) if (name.startsWith(PREFIX)) keep(name, null)
  secret = answer.secret
  keep(PREFIX + (answer.run ?? 'run'), answer.secret)
}

/** The result of the exchange: an error's sentence, or nothing. */
export type Exchange = { refused?: string, unreachable?: true }

/** Removes the one-time code from the address, and exchanges it for the secret and the cookie. */
export async function exchangeCode(): Promise<Exchange> {
  const code = codeOf(location.hash)
  if (code === null) return {}
  history.replaceState(history.state, '', location.pathname + location.search)
  try {
    const response = await fetch('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
      cache: 'no-store',
    })
    const answer = await response.json() as { secret?: string, run?: string, message?: string }
    if (response.ok && answer.secret !== undefined) {
      take({ secret: answer.secret, ...(answer.run === undefined ? {} : { run: answer.run }) })
      return {}
    }
    // A link that was used already does no harm to a session that goes on.
    return currentSecret() === null ? { refused: answer.message ?? '' } : {}
  } catch {
    return { unreachable: true }
  }
}
