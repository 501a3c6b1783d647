import { href } from './route.ts'

export const to = {
  confirmation: (id: string) => href(['confirmations', id]),
  confirmationsOf: (query: Record<string, string>) => href(['confirmations'], new URLSearchParams(query)),
  login: (id: string) => href(['logins', id]),
  app: (name: string, part?: string) => href(part === undefined ? ['apps', name] : ['apps', name, part]),
  provider: (name: string) => href(['providers', name]),
  screen: (name: string) => (name === 'overview' ? '/' : href([name])),
}

export const SCREENS = ['overview', 'confirmations', 'logins', 'apps', 'providers', 'audit', 'system'] as const
export type ScreenName = (typeof SCREENS)[number]
