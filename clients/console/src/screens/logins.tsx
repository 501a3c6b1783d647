import type { LoginSummary, Page } from '../api/types.ts'
import { LIVE, useAsk } from '../api/use-ask.ts'
import { Badge } from '../components/badge.tsx'
import { MoreFilters, SearchFilter, StateFilter } from '../components/filters.tsx'
import { Link } from '../components/link.tsx'
import { Empty, LeftOut, Loading, NotLoaded } from '../components/notes.tsx'
import { Pages } from '../components/pages.tsx'
import { Screen } from '../components/screen.tsx'
import { Table, type Column } from '../components/table.tsx'
import { Time } from '../components/time.tsx'
import { loginFilter } from '../formats/query.ts'
import { texts } from '../i18n/index.ts'
import { to } from '../shell/links.ts'
import { href } from '../shell/route.ts'
import { Delivery } from './delivery.tsx'
import { toneOfState } from './tones.ts'

function columns(): Column<LoginSummary>[] {
  const t = texts()
  return [
    {
      name: t.logins.user,
      kind: 'main',
      cell: ({ id, publicUserId, test }) => (
        <>
          <Link to={to.login(id)}>
            {publicUserId ?? t.common.unknown}
            {!publicUserId && <span class="unseen"> {id}</span>}
          </Link>
          {test && <> <Badge tone="warn">{t.common.test}</Badge></>}
          <code class="id">{id}</code>
        </>
      ),
    },
    { name: t.common.state, cell: ({ state }) => <Badge tone={toneOfState(state)}>{t.logins.states[state] ?? state}</Badge> },
    { name: t.logins.origin, kind: 'wide', cell: ({ origin }) => origin ?? <span class="soft">–</span> },
    { name: t.confirmations.webhook, cell: ({ delivery, attempts }) => <Delivery delivery={delivery ?? null} attempts={attempts ?? null} /> },
    { name: t.common.app, cell: ({ app }) => <Link to={to.app(app)}>{app}</Link> },
    { name: t.common.created, cell: ({ createdAt }) => <Time at={createdAt} form="short" /> },
  ]
}

function List({ page, isFiltered }: { page: Page<LoginSummary>, isFiltered: boolean }) {
  const t = texts().logins
  return (
    <>
      <LeftOut n={page.left_out} />
      {page.items.length > 0 && <Table isCompact caption={t.title} columns={columns()} rows={page.items} keyOf={({ id }) => id} />}
      {page.items.length === 0 && (
        <Empty title={isFiltered ? t.noMatch : t.empty}><p>{isFiltered ? texts().confirmations.noMatchWhat : t.emptyWhat}</p></Empty>
      )}
      <div class="list-end">
        {page.items.length > 0 && <p class="soft">{t.page(page.items.length)}</p>}
        <Pages next={page.next} />
      </div>
    </>
  )
}

export function LoginsScreen({ query }: { query: URLSearchParams }) {
  const t = texts()
  const wanted = loginFilter(query)
  const isLive = wanted.after === undefined
  const { data, error, isLoading, again } = useAsk('find_logins', wanted, isLive ? LIVE : undefined)
  const isFiltered = [...query.keys()].length > 0
  return (
    <Screen
      title={t.logins.title} lead={t.logins.lead}
      aside={isLive && data !== undefined && error === undefined && <span class="live" title={t.common.liveNote}>Live</span>}
    >
      <div class="filters">
        <SearchFilter query={query} label={t.logins.search} />
        <MoreFilters query={query} />
        <div class="toggles" role="group" aria-label={t.common.state}>
          <StateFilter query={query} names={Object.entries(t.logins.states)} />
          {isFiltered && <Link class="clear" to={href(['logins'])}>{t.confirmations.clear}</Link>}
        </div>
      </div>
      {isLoading && <Loading />}
      {error && data === undefined && (error.kind === 'malformed' && wanted.id !== undefined
        ? <Empty title={t.logins.noMatch} />
        : <NotLoaded error={error} again={again} />)}
      {data && <List page={data} isFiltered={isFiltered} />}
    </Screen>
  )
}
