// Filters in the address.

import type { FindConfirmations, FindLogins } from '../api/types.ts'

const STATES = ['open', 'verified', 'cancelled', 'expired']

/** The rows of a page of a list. */
export const LIMIT = 50

function text(query: URLSearchParams, name: string): string | undefined {
  return query.get(name)?.trim() || undefined
}

function instant(query: URLSearchParams, name: string): string | undefined {
  const given = text(query, name)
  return given !== undefined && !Number.isNaN(Date.parse(given)) ? new Date(given).toISOString() : undefined
}

function present<T extends object>(members: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T
}

/** Splits what people type into a search: an id, or the last digits of a number. */
export function search(typed: string): { id?: string, digits?: string } {
  const plain = typed.trim()
  if (plain === '') return {}
  const digits = plain.normalize('NFKC').replace(/[\s().+\-/•]/g, '')
  if (/^\d{2,15}$/.test(digits)) return { digits }
  return { id: plain }
}

export function confirmationFilter(query: URLSearchParams): FindConfirmations {
  const states = query.getAll('state').filter((state) => STATES.includes(state))
  const searched = search(query.get('q') ?? '')
  return present<FindConfirmations>({
    app: text(query, 'app'),
    states: states.length > 0 ? states : undefined,
    failed: query.get('failed') === '1' ? true : undefined,
    noText: query.get('noText') === '1' ? true : undefined,
    from: instant(query, 'from'),
    to: instant(query, 'to'),
    id: searched.id,
    digits: searched.digits,
    after: text(query, 'after'),
    limit: LIMIT,
  })
}

export function loginFilter(query: URLSearchParams): FindLogins {
  const states = query.getAll('state')
  return present<FindLogins>({
    app: text(query, 'app'),
    states: states.length > 0 ? states : undefined,
    failed: query.get('failed') === '1' ? true : undefined,
    from: instant(query, 'from'),
    to: instant(query, 'to'),
    id: text(query, 'q'),
    after: text(query, 'after'),
    limit: LIMIT,
  })
}

/** True if a filter looks at each confirmation of a bounded part of the list. */
export function isWalk(filter: FindConfirmations): boolean {
  return filter.digits !== undefined || filter.failed === true || filter.noText === true
}

/** Returns the query with members set, or removed by null. Another filter starts at the first page. */
export function changed(query: URLSearchParams, changes: Record<string, string | string[] | null>): URLSearchParams {
  const next = new URLSearchParams(query)
  if (!('after' in changes)) next.delete('after')
  for (const [name, value] of Object.entries(changes)) {
    next.delete(name)
    for (const one of Array.isArray(value) ? value : value === null || value === '' ? [] : [value]) next.append(name, one)
  }
  return next
}
