import { useEffect, useRef, useState } from 'preact/hooks'

import { ApiError, ask } from './client.ts'
import type { AnswerOf, BodyOf, RequestName } from './types.ts'

/** The state of a request that a component shows. */
export type Asked<T> = {
  /** The newest answer to this very request. It stays while the server has stopped. */
  data: T | undefined
  error: ApiError | undefined
  /** True until the first answer or error. */
  isLoading: boolean
  again: () => void
}

/** Milliseconds between requests of what is shown live. */
export const LIVE = 2000

/** Milliseconds until the next request after failures that pass: longer and longer, up to ten seconds. */
export function pauseAfter(failures: number, every: number): number {
  return Math.min(10_000, Math.max(every, LIVE) * 2 ** Math.min(failures, 3) / 2)
}

/**
 * Asks, and asks again every so often while the page is visible. Without `every` it asks once, and again only after a failure
 * that passes.
 */
export function useAsk<N extends RequestName>(name: N, body: BodyOf<N> | null, every?: number): Asked<AnswerOf<N>> {
  const key = body === null ? null : `${name} ${JSON.stringify(body)}`
  const [state, setState] = useState<{ key: string | null, data?: AnswerOf<N>, error?: ApiError }>({ key: null })
  const [round, setRound] = useState(0)
  const latest = useRef(body)
  latest.current = body

  useEffect(() => {
    if (key === null) return undefined
    const end = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let failures = 0
    let isDue = false

    const wait = (pause: number): void => {
      timer = setTimeout(() => {
        // A hidden page asks when it is looked at.
        if (document.visibilityState === 'hidden') isDue = true
        else void look()
      }, pause)
    }

    const look = async (): Promise<void> => {
      isDue = false
      try {
        const data = await ask(name, latest.current as BodyOf<N>, end.signal)
        if (end.signal.aborted) return
        failures = 0
        setState({ key, data })
        if (every !== undefined) wait(every)
      } catch (error) {
        if (end.signal.aborted) return
        const failure = error instanceof ApiError ? error : new ApiError('failed', String(error))
        setState((before) => (
          before.key === key && before.data !== undefined && (failure.passes || failure.kind === 'ended')
            ? { key, data: before.data, error: failure }
            : { key, error: failure }
        ))
        failures += 1
        if (failure.passes) wait(pauseAfter(failures, every ?? 0))
      }
    }

    const seen = (): void => {
      if (isDue && document.visibilityState !== 'hidden') void look()
    }
    document.addEventListener('visibilitychange', seen)
    void look()
    return () => {
      end.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', seen)
    }
  }, [key, every, round])

  const isCurrent = state.key === key
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: key !== null && (!isCurrent || (state.data === undefined && state.error === undefined)),
    again: () => setRound((count) => count + 1),
  }
}
