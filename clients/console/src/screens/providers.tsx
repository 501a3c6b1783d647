import type { ProviderSummary } from '../api/types.ts'
import { useAsk } from '../api/use-ask.ts'
import { Badge } from '../components/badge.tsx'
import { Link } from '../components/link.tsx'
import { Empty, LeftOut, Loading, NotLoaded } from '../components/notes.tsx'
import { Screen } from '../components/screen.tsx'
import { Table, type Column } from '../components/table.tsx'
import { Time } from '../components/time.tsx'
import { count } from '../formats/numbers.ts'
import { texts } from '../i18n/index.ts'
import { to } from '../shell/links.ts'
import { toneOfResult } from './tones.ts'

/** Milliseconds between looks at the providers. */
const EVERY = 5000

function columns(): Column<ProviderSummary>[] {
  const t = texts().providers
  const number = (value: number | null | undefined) => (value === undefined || value === null ? '–' : count(value))
  return [
    {
      name: texts().shell.screens.providers,
      kind: 'main',
      cell: ({ name, title }) => (
        <>
          <Link to={to.provider(name)}>{title ?? name}</Link>
          {title && title !== name && <code class="id">{name}</code>}
        </>
      ),
    },
    { name: texts().common.state, cell: ({ on }) => <Badge tone={on ? 'good' : 'plain'}>{on ? t.on : t.off}</Badge> },
    {
      name: t.last,
      cell: ({ on, lastCall }) => (
        lastCall
          ? <><Badge tone={toneOfResult(lastCall.result)}>{t.results[lastCall.result] ?? lastCall.result}</Badge> <Time at={lastCall.at} form="short" /></>
          : <span class="soft">{on ? t.never : '–'}</span>
      ),
    },
    { name: t.accepted, kind: 'number', cell: ({ accepted }) => number(accepted) },
    { name: t.refused, kind: 'number', cell: ({ refused }) => number(refused) },
    { name: t.ignored, kind: 'number', cell: ({ ignored }) => number(ignored) },
  ]
}

export function ProvidersScreen() {
  const t = texts().providers
  const { data, error, isLoading, again } = useAsk('list_providers', {}, EVERY)
  // Those that are on first; the order of names otherwise stays.
  const rows = [...data?.items ?? []].sort((a, b) => Number(b.on) - Number(a.on))
  return (
    <Screen title={t.title} lead={t.lead}>
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {data && <LeftOut n={data.left_out} />}
      {rows.length > 0 && <Table caption={t.title} columns={columns()} rows={rows} keyOf={({ name }) => name} />}
      {data && rows.length === 0 && <Empty title={t.empty}><p>{t.emptyWhat}</p></Empty>}
    </Screen>
  )
}
