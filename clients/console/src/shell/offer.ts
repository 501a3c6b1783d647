import type { RequestName } from '../api/types.ts'
import { facts } from './facts.ts'
import type { ScreenName } from './links.ts'

/** True if the console answers requests of this name: a table lacks those that only a running server answers. */
export function offers(name: RequestName): boolean {
  return facts.value?.requests.includes(name) ?? false
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
