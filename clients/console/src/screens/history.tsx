import { useMemo, useState } from 'preact/hooks'

import type { Hour } from '../api/types.ts'
import { useAsk } from '../api/use-ask.ts'
import { Button } from '../components/button.tsx'
import { Choice } from '../components/field.tsx'
import { filter } from '../components/filters.tsx'
import { Empty, Loading, NotLoaded, Note } from '../components/notes.tsx'
import { BarPlot, Legend, timeOf } from '../components/plot.tsx'
import { Card } from '../components/screen.tsx'
import { Table, type Column } from '../components/table.tsx'
import { hasPartHours } from '../formats/local-time.ts'
import {
  boundsOf, heightOf, MEASURES, plotOf, RANGES, SPLITS, sumsOf, type Bar, type Measure, type Plot, type Range, type Split,
} from '../formats/history.ts'
import { count, percent } from '../formats/numbers.ts'
import { sentenceOf } from '../formats/sentences.ts'
import { zone } from '../formats/zone.ts'
import { texts } from '../i18n/index.ts'
import { facts } from '../shell/facts.ts'

/** Milliseconds between looks at the counts. On AWS each look costs. */
const EVERY = { data: 60_000, table: 300_000 }

function oneOf<T extends string>(all: readonly T[], given: string | null, otherwise: T): T {
  return all.find((one) => one === given) ?? otherwise
}

/** The sums, as buttons that choose the plot. */
function Sums({ hours, measure }: { hours: Hour[], measure: Measure }) {
  const t = texts().overview
  const sums = sumsOf(hours)
  return (
    <div class="sums" role="group" aria-label={t.counts}>
      {MEASURES.map((one) => (
        <button key={one} type="button" class="sum" aria-pressed={one === measure} onClick={() => filter({ measure: one })}>
          <span class="sum-name">{t.measures[one]}</span>
          <span class="sum-count">{count(sums[one])}</span>
          <span class="soft">{one === 'started' || one === 'loggedIn' || sums.started === 0 ? '\u00a0' : t.ofStarted(percent(sums[one], sums.started))}</span>
        </button>
      ))}
    </div>
  )
}

function Numbers({ plot, names, range, what }: { plot: Plot, names: string[], range: Range, what: string }) {
  const t = texts().overview
  const rows = [...plot.bars].reverse()
  const columns: Column<Bar>[] = [
    { name: t.when, kind: 'main', cell: (bar) => timeOf(bar, range) },
    { name: names.length > 1 ? t.sum : what, kind: 'number', cell: (bar) => count(heightOf(bar)) },
    ...(names.length > 1
      ? names.map((name, index): Column<Bar> => ({ name, kind: 'number', cell: (bar) => count(bar.values[index] ?? 0) }))
      : []),
  ]
  return <div class="numbers" tabIndex={0} role="region" aria-label={what}><Table caption={what} columns={columns} rows={rows} keyOf={({ at }) => String(at)} /></div>
}

/** Counts by hour or day, split by app, country or provider. */
export function History({ query }: { query: URLSearchParams }) {
  const t = texts().overview
  const range = oneOf(RANGES, query.get('range'), '24h')
  const split = oneOf(SPLITS, query.get('by'), 'none')
  const measure = oneOf(MEASURES, query.get('measure'), 'started')
  const [isTable, setTable] = useState(false)
  // The present hour, so that the request stays the same within it.
  const now = Math.floor(Date.now() / 3_600_000) * 3_600_000
  const { from, to } = boundsOf(range, now)
  const asked = {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    ...(split === 'none' ? {} : { by: split }),
  }
  const { data, error, isLoading, again } = useAsk('show_history', asked, EVERY[facts.value?.target ?? 'data'])
  const hours = data?.hours ?? []
  const inZone = zone.value
  const plot = useMemo(
    () => plotOf(hours, { measure, split, range, now, zone: inZone, other: t.other }),
    [data, measure, split, range, now, inZone, t.other],
  )
  const names = plot.series.map((name) => (split === 'none' ? t.measures[measure] ?? measure : name || t.unnamed))
  const what = t.measures[measure] ?? measure
  return (
    <Card
      title={t.counts}
      aside={plot.total > 0 && <Button kind="quiet" onClick={() => setTable(!isTable)}>{isTable ? t.asPlot : t.asTable}</Button>}
    >
      <div class="filter-row">
        <Choice
          label={t.range} value={range} options={RANGES.map((one): [string, string] => [one, t.ranges[one] ?? one])}
          onChange={(one) => filter({ range: one as Range })}
        />
        <Choice
          label={t.by} value={split} options={SPLITS.map((one): [string, string] => [one, t.splits[one] ?? one])}
          onChange={(one) => filter({ by: one as Split })}
        />
      </div>
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {data && <Sums hours={hours} measure={measure} />}
      {data && plot.total === 0 && <Empty title={t.empty}><p>{t.emptyWhat}</p></Empty>}
      {plot.total > 0 && (isTable
        ? <Numbers plot={plot} names={names} range={range} what={what} />
        : <><BarPlot plot={plot} range={range} what={what} names={names} /><Legend names={names} sums={plot.sums} /></>)}
      {data?.notes?.map((note) => {
        const { text, lang } = sentenceOf(note)
        return <Note key={note.code}><span lang={lang}>{text}</span></Note>
      })}
      {range === '90d' && hasPartHours(now, inZone) && <Note>{t.partHours}</Note>}
    </Card>
  )
}
