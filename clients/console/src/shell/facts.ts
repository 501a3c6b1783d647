import type { ConsoleFacts, RequestName } from '../api/types.ts'
import { Store } from './store.ts'

/** What the console is connected to; null until the first answer. */
export const facts = new Store<ConsoleFacts | null>(null)

/** True if the target answers requests of this name, as far as it says. */
export function offers(name: RequestName): boolean {
  return facts.value?.requests?.includes(name) ?? true
}

/** True if buttons that change something are shown. */
export function mayChange(): boolean {
  return facts.value !== null && !facts.value.readOnly
}
