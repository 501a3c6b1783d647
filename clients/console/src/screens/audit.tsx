import { useRef } from 'preact/hooks'

import type { AuditChange } from '../api/types.ts'
import { useAsk } from '../api/use-ask.ts'
import { Badge } from '../components/badge.tsx'
import { Choice } from '../components/field.tsx'
import { AppFilter, filter } from '../components/filters.tsx'
import { Link } from '../components/link.tsx'
import { Empty, LeftOut, Loading, NotLoaded } from '../components/notes.tsx'
import { Screen } from '../components/screen.tsx'
import { Table, type Column } from '../components/table.tsx'
import { Time } from '../components/time.tsx'
import { count } from '../formats/numbers.ts'
import { changed } from '../formats/query.ts'
import { texts } from '../i18n/index.ts'
import { to } from '../shell/links.ts'
import { href } from '../shell/route.ts'
import { toneOfResult } from './tones.ts'

const EVERY = 10_000
const FIRST = 50
const MOST = 1000

/** Changes of one confirmation or login. */
const PLACES = /confirmation|reveal|redeliver_webhook|cancel_login/

function detail(value: unknown): string {
  if (Array.isArray(value)) return value.map(detail).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function Details({ record }: { record: AuditChange }) {
  const members = Object.entries(record.details)
  if (record.keyId) members.push(['key_id', record.keyId])
  return (
    <>
      {record.reason && <span class="reason">{record.reason}</span>}
      {members.map(([name, value]) => (
        <span key={name} class="detail">
          <span class="soft">{name}: </span>
          {name === 'id' && typeof value === 'string' && PLACES.test(record.action)
            ? <Link to={record.action === 'cancel_login' ? to.login(value) : to.confirmation(value)}>{value}</Link>
            : detail(value)}
        </span>
      ))}
    </>
  )
}

function columns(): Column<AuditChange>[] {
  const t = texts().audit
  return [
    { name: t.action, kind: 'main', cell: ({ action }) => <strong>{t.actions[action] ?? action}</strong> },
    { name: t.by, cell: ({ by }) => by },
    { name: t.at, cell: ({ at }) => <Time at={at} form="short" /> },
    { name: texts().common.app, cell: ({ app }) => (app ? <Link to={to.app(app)}>{app}</Link> : <span class="soft">–</span>) },
    { name: t.result, cell: ({ result }) => <Badge tone={toneOfResult(result)}>{t.results[result] ?? result}</Badge> },
    { name: t.details, kind: 'wide', cell: (record) => <Details record={record} /> },
  ]
}

/** Returns the records of a person and an action. The server filters by app. */
export function chosen(records: AuditChange[], by: string, action: string): AuditChange[] {
  return records.filter((record) => (by === '' || record.by === by) && (action === '' || record.action === action))
}

function options(names: string[], any: string, words: (name: string) => string): [string, string][] {
  return [['', any], ...[...new Set(names)].filter((name) => name !== '').sort().map((name): [string, string] => [name, words(name)])]
}

export function AuditScreen({ query }: { query: URLSearchParams }) {
  const t = texts().audit
  const last = Math.min(MOST, Math.max(FIRST, Number(query.get('last')) || FIRST))
  const app = query.get('app') || undefined
  const by = query.get('by') ?? ''
  const action = query.get('action') ?? ''
  const { data, error, isLoading, again } = useAsk('list_audit', { last, ...(app === undefined ? {} : { app }), ...(by === '' ? {} : { by }), ...(action === '' ? {} : { action }) }, EVERY)
  const all = data?.items ?? []
  // The people of answers without this filter stay to choose from.
  const people = useRef(new Set<string>())
  for (const record of all) people.current.add(record.by)
  const rows = chosen(all, by, action)
  return (
    <Screen title={t.title} lead={t.lead}>
      <div class="filters">
        <div class="filter-row">
          <AppFilter query={query} />
          <Choice
            label={t.by} value={by} options={options([...people.current, by], t.anyone, (name) => name)}
            onChange={(name) => filter({ by: name })}
          />
          <Choice
            label={t.action} value={action} onChange={(name) => filter({ action: name })}
            options={options([...Object.keys(t.actions), action], t.any, (name) => t.actions[name] ?? name)}
          />
        </div>
      </div>
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {data && <LeftOut n={data.left_out} />}
      {rows.length > 0 && (
        <Table caption={t.title} columns={columns()} rows={rows} keyOf={(record) => `${record.at} ${record.action} ${record.keyId ?? ''} ${JSON.stringify(record.details)}`} />
      )}
      {data && rows.length === 0 && (all.length === 0 && app === undefined
        ? <Empty title={t.empty}><p>{t.emptyWhat}</p></Empty>
        : <Empty title={t.noMatch} />)}
      {data && (
        <div class="list-end">
          <p class="soft">{rows.length === all.length ? t.all(all.length) : t.shown(rows.length, count(all.length))}</p>
          {all.length >= last && last < MOST && (
            <Link class="button plain" to={href(['audit'], changed(query, { last: String(Math.min(MOST, last * 4)) }))}>
              {t.more(Math.min(MOST, last * 4))}
            </Link>
          )}
        </div>
      )}
    </Screen>
  )
}
