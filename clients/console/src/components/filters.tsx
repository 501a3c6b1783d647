import { useEffect, useState } from 'preact/hooks'

import { useAsk } from '../api/use-ask.ts'
import { toField, toInstant } from '../formats/local-time.ts'
import { changed } from '../formats/query.ts'
import { zone } from '../formats/zone.ts'
import { texts } from '../i18n/index.ts'
import { go, href, route } from '../shell/route.ts'
import { useNarrow } from '../shell/use-narrow.ts'
import { Button } from './button.tsx'
import { Choice, TextField, Toggle } from './field.tsx'

/** Changes the address of a list. */
export function filter(changes: Record<string, string | string[] | null>): void {
  const { path, query } = route.value
  go(href(path, changed(query, changes)))
}

export function AppFilter({ query }: { query: URLSearchParams }) {
  const t = texts().confirmations
  const chosen = query.get('app') ?? ''
  const { data } = useAsk('list_apps', {})
  const names = [...new Set([...(data?.items ?? []).map(({ app }) => app), ...(chosen === '' ? [] : [chosen])])].sort()
  const options = [['', t.allApps], ...names.map((name) => [name, name])] as [string, string][]
  return <Choice label={t.app} value={chosen} options={options} onChange={(app) => filter({ app })} />
}

export function StateFilter({ query, names }: { query: URLSearchParams, names: [string, string][] }) {
  const chosen = query.getAll('state')
  const change = (name: string, isOn: boolean): void => {
    filter({ state: isOn ? [...chosen, name] : chosen.filter((one) => one !== name) })
  }
  return (
    <>
      {names.map(([name, words]) => (
        <Toggle key={name} label={words} isOn={chosen.includes(name)} onChange={(isOn) => change(name, isOn)} />
      ))}
    </>
  )
}

export function TimeFilter({ query }: { query: URLSearchParams }) {
  const t = texts().confirmations
  const from = query.get('from') ?? undefined
  const to = query.get('to') ?? undefined
  const change = (name: string, typed: string): void => {
    const instant = toInstant(typed, zone.value)
    // While people type, a field has no value.
    if (instant !== null || typed === '') filter({ [name]: instant })
  }
  return (
    <>
      <TextField type="datetime-local" label={t.from} value={toField(from, zone.value)} onInput={(typed) => change('from', typed)} />
      <TextField type="datetime-local" label={t.to} value={toField(to, zone.value)} onInput={(typed) => change('to', typed)} />
    </>
  )
}

/** The filters by app and time. On a narrow screen they would hide the list, so they open there on demand. */
export function MoreFilters({ query }: { query: URLSearchParams }) {
  const isNarrow = useNarrow()
  const isSet = ['app', 'from', 'to'].some((name) => query.has(name))
  const row = <div class="filter-row"><AppFilter query={query} /><TimeFilter query={query} /></div>
  if (!isNarrow) return row
  return <details open={isSet}><summary>{texts().confirmations.more}</summary>{row}</details>
}

export function SearchFilter({ query, label, hint }: { query: URLSearchParams, label: string, hint?: string }) {
  const applied = query.get('q') ?? ''
  const [typed, setTyped] = useState(applied)
  useEffect(() => setTyped(applied), [applied])
  const submit = (event: Event): void => {
    event.preventDefault()
    filter({ q: typed.trim() })
  }
  return (
    <form class="search" role="search" onSubmit={submit}>
      <TextField type="search" label={label} {...(hint === undefined ? {} : { hint })} value={typed} onInput={setTyped} />
      <Button type="submit" kind="main">{texts().confirmations.go}</Button>
    </form>
  )
}
