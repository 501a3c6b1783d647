import type { ConsoleFacts } from '../api/types.ts'
import { Store } from './store.ts'

/** What the console is connected to; null until the first answer. */
export const facts = new Store<ConsoleFacts | null>(null)

/** True if buttons that change something are shown. */
export function mayChange(): boolean {
  return facts.value !== null && !facts.value.readOnly
}
