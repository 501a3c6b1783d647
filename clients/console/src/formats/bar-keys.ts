// How keys move from bar to bar of a plot.

import type { Range } from './history.ts'

/** The bars that Page Up and Page Down skip: six hours, a day, a week. */
const PAGE: Record<Range, number> = { '24h': 6, '7d': 24, '90d': 7 }

/** Returns the bar that a key leads to from another, or null if the key does not move. */
export function barAfter(key: string, index: number, bars: number, range: Range): number | null {
  const last = bars - 1
  const to = (next: number): number => Math.min(last, Math.max(0, next))
  switch (key) {
    case 'ArrowRight':
    case 'ArrowUp': return to(index + 1)
    case 'ArrowLeft':
    case 'ArrowDown': return to(index - 1)
    case 'PageUp': return to(index + PAGE[range])
    case 'PageDown': return to(index - PAGE[range])
    case 'Home': return 0
    case 'End': return last
    default: return null
  }
}
