import { useState } from 'preact/hooks'

import { ApiError, ask } from './client.ts'
import type { AnswerOf, BodyOf, RequestName } from './types.ts'

/** A change that a button makes. */
export type Change<N extends RequestName> = {
  isBusy: boolean
  error: ApiError | undefined
  /** Makes the change; the answer, or undefined if it failed. */
  make: (body: BodyOf<N>) => Promise<AnswerOf<N> | undefined>
  forget: () => void
}

export function useChange<N extends RequestName>(name: N): Change<N> {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  const make = async (body: BodyOf<N>): Promise<AnswerOf<N> | undefined> => {
    setBusy(true)
    setError(undefined)
    try {
      return await ask(name, body)
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError('failed', String(failure)))
      return undefined
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, error, make, forget: () => setError(undefined) }
}
