import { useEffect, useState } from 'preact/hooks'

/** The width of the style sheets' narrow screens. */
const NARROW = '(max-width: 40rem)'

/** Returns whether the screen is narrow, and renders again when that changes. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches)
  useEffect(() => {
    const query = matchMedia(NARROW)
    const look = (): void => setNarrow(query.matches)
    query.addEventListener('change', look)
    return () => query.removeEventListener('change', look)
  }, [])
  return isNarrow
}
