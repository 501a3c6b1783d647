import { keep, kept } from '../shell/kept.ts'
import { Store } from '../shell/store.ts'

const NAME = 'countersign-console-zone'

export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Returns the browser's own zone. */
export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
}

function start(): string {
  const before = kept(NAME)
  return before !== null && isZone(before) ? before : ownZone()
}

/** The time zone of every time on the page. */
export const zone = new Store(start())

export function chooseZone(name: string): void {
  if (!isZone(name)) return
  zone.set(name)
  keep(NAME, name)
}

/** Returns the zones to choose from: the browser's own and UTC first. */
export function zones(): string[] {
  const all = typeof Intl.supportedValuesOf === 'function' ? Intl.supportedValuesOf('timeZone') : []
  return [...new Set([ownZone(), 'UTC', zone.value, ...all])]
}
