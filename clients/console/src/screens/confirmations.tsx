import type { ConfirmationSummary, Page } from '../api/types.ts'
import { LIVE, useAsk } from '../api/use-ask.ts'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { filter, MoreFilters, SearchFilter, StateFilter } from '../components/filters.tsx'
import { Toggle } from '../components/field.tsx'
import { Link } from '../components/link.tsx'
import { Empty, LeftOut, Loading, NotLoaded, Note } from '../components/notes.tsx'
import { Pages } from '../components/pages.tsx'
import { Screen } from '../components/screen.tsx'
import { Table, type Column } from '../components/table.tsx'
import { Time } from '../components/time.tsx'
import { count } from '../formats/numbers.ts'
import { confirmationFilter, isWalk, LIMIT } from '../formats/query.ts'
import { texts } from '../i18n/index.ts'
import { to } from '../shell/links.ts'
import { href } from '../shell/route.ts'
import { saveConfirmations } from './csv.ts'
import { Delivery } from './delivery.tsx'
import { toneOfState } from './tones.ts'

function columns(): Column<ConfirmationSummary>[] {
  const t = texts()
  return [
    {
      name: t.confirmations.number,
      kind: 'main',
      cell: ({ id, number, state, test }) => (
        <>
          <Link to={to.confirmation(id)}>
            {number ?? (state === 'open' ? t.confirmations.noNumber : t.confirmations.neverNumber)}
            {!number && <span class="unseen"> {id}</span>}
          </Link>
          {test && <> <Badge tone="warn">{t.common.test}</Badge></>}
          <code class="id">{id}</code>
        </>
      ),
    },
    { name: t.common.state, cell: ({ state }) => <Badge tone={toneOfState(state)}>{t.confirmations.states[state] ?? state}</Badge> },
    { name: t.confirmations.webhook, cell: ({ delivery, attempts }) => <Delivery delivery={delivery ?? null} attempts={attempts ?? null} /> },
    { name: t.common.app, cell: ({ app }) => <Link to={to.app(app)}>{app}</Link> },
    { name: t.common.created, cell: ({ createdAt }) => <Time at={createdAt} form="short" /> },
  ]
}

/** Says how far a bounded walk came, and leads on. */
function Walk({ page }: { page: Page<ConfirmationSummary> }) {
  const t = texts().confirmations
  const examined = count(page.examined ?? page.items.length)
  return (
    <div class="walk">
      <Note>{page.complete ? t.walkEnd(examined) : t.walkMore(examined)}</Note>
    </div>
  )
}

function List({ page, isFiltered, walks }: { page: Page<ConfirmationSummary>, isFiltered: boolean, walks: boolean }) {
  const t = texts().confirmations
  const isOver = page.complete ?? !page.next
  // The server looked at its bound of confirmations, and few of them fit.
  const isShort = !isOver && page.items.length < LIMIT
  return (
    <>
      <LeftOut n={page.left_out} />
      {(walks || isShort) && <Walk page={page} />}
      {page.items.length > 0 && <Table isCompact caption={t.title} columns={columns()} rows={page.items} keyOf={({ id }) => id} />}
      {page.items.length === 0 && isFiltered && isOver && <Empty title={t.noMatch}><p>{t.noMatchWhat}</p></Empty>}
      {page.items.length === 0 && !isFiltered && <Empty title={t.empty}><p>{t.emptyWhat}</p></Empty>}
      <div class="list-end">
        {page.items.length > 0 && <p class="soft">{t.page(page.items.length)}</p>}
        {page.items.length > 0 && <Button kind="quiet" onClick={() => saveConfirmations(page.items)}>{t.export}</Button>}
        <Pages next={page.next} {...(walks || isShort ? { words: t.searchOn } : {})} />
      </div>
    </>
  )
}

export function ConfirmationsScreen({ query }: { query: URLSearchParams }) {
  const t = texts()
  const wanted = confirmationFilter(query)
  const walks = isWalk(wanted)
  // Only the first page is live, and no filter that looks at each confirmation.
  const isLive = !walks && wanted.after === undefined
  const { data, error, isLoading, again } = useAsk('find_confirmations', wanted, isLive ? LIVE : undefined)
  const isFiltered = [...query.keys()].length > 0
  const states = Object.entries(t.confirmations.states)
  return (
    <Screen
      title={t.confirmations.title} lead={t.confirmations.lead}
      aside={isLive && data !== undefined && error === undefined && <span class="live" title={t.common.liveNote}>Live</span>}
    >
      <div class="filters">
        <SearchFilter query={query} label={t.confirmations.search} hint={t.confirmations.searchHint} />
        <MoreFilters query={query} />
        <div class="toggles" role="group" aria-label={t.common.state}>
          <StateFilter query={query} names={states} />
          <Toggle label={t.confirmations.failed} isOn={query.get('failed') === '1'} onChange={(isOn) => filter({ failed: isOn ? '1' : null })} />
          <Toggle label={t.confirmations.noText} isOn={query.get('noText') === '1'} onChange={(isOn) => filter({ noText: isOn ? '1' : null })} />
          {isFiltered && <Link class="clear" to={href(['confirmations'])}>{t.confirmations.clear}</Link>}
        </div>
      </div>
      {isLoading && <Loading />}
      {error && data === undefined && (error.kind === 'malformed' && wanted.id !== undefined
        ? <Empty title={t.confirmations.noSuchId} />
        : <NotLoaded error={error} again={again} />)}
      {data && <List page={data} isFiltered={isFiltered} walks={walks} />}
    </Screen>
  )
}
