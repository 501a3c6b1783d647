import { ApiError, ask } from '../api/client.ts'
import type { BodyOf, ConsoleFacts, RequestName } from '../api/types.ts'
import type { ScreenName } from './links.ts'
import { Store } from './store.ts'

/** The requests that the target does not answer: an older server, or a table where only a running server knows. */
export const missing = new Store<ReadonlySet<RequestName>>(new Set())

/** True if the target answers requests of this name, as far as the page knows. */
export function offers(name: RequestName): boolean {
  return !missing.value.has(name)
}

/** The requests without which a screen has nothing to show. One of them is enough. */
const NEEDED: Record<ScreenName, RequestName[]> = {
  overview: ['list_attention', 'show_history'],
  confirmations: ['find_confirmations'],
  logins: ['find_logins'],
  apps: ['list_apps'],
  providers: ['list_providers'],
  audit: ['list_audit'],
  system: ['show_system', 'list_signing_keys', 'show_metrics'],
}

export function hasScreen(name: ScreenName): boolean {
  return NEEDED[name].some(offers)
}

/** Requests of which not every target has all, with bodies that cost little. */
const UNSURE: { [N in RequestName]?: BodyOf<N> } = {
  list_attention: {},
  show_history: { from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z' },
  list_providers: {},
  show_system: {},
  list_signing_keys: {},
  show_metrics: {},
}

/** Requests that only change something or go out, so they cannot be tried. */
const UNTRIED: RequestName[] = ['redeliver_failed', 'check_link_host', 'test_provider']

async function isMissing(name: RequestName): Promise<boolean> {
  try {
    await ask(name, UNSURE[name] as BodyOf<RequestName>)
    return false
  } catch (error) {
    return error instanceof ApiError && error.kind === 'missing'
  }
}

/** Learns what the target offers: from its list, or by asking. */
export async function learn({ requests }: ConsoleFacts): Promise<void> {
  const names = Object.keys(UNSURE) as RequestName[]
  if (requests !== undefined) {
    missing.set(new Set([...names, ...UNTRIED].filter((name) => !requests.includes(name))))
    return
  }
  const found = await Promise.all(names.map(isMissing))
  // A target that names no requests is older than those that cannot be tried.
  missing.set(new Set([...names.filter((_, index) => found[index]), ...UNTRIED]))
}
