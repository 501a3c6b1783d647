import { useMemo, useState } from 'preact/hooks'

import type { Receiver } from '../api/types.ts'
import { useAsk } from '../api/use-ask.ts'
import { Badge } from '../components/badge.tsx'
import { Choice } from '../components/field.tsx'
import { Empty, Failed, Loading, Note } from '../components/notes.tsx'
import { Card } from '../components/screen.tsx'
import { Table, type Column } from '../components/table.tsx'
import { Time } from '../components/time.tsx'
import { count } from '../formats/numbers.ts'
import { texts } from '../i18n/index.ts'

const HOURS = ['1', '24', '168']

/** Returns the share of webhooks that arrived, of those that are through. */
export function shareOf({ delivered, failed }: Receiver): string {
  const done = delivered + failed
  if (done === 0) return '–'
  // A share of 100 % would say that none failed.
  const share = failed === 0 ? 100 : Math.min(99.9, Math.floor(delivered / done * 1000) / 10)
  return `${count(share)} %`
}

function columns(): Column<Receiver>[] {
  const t = texts().apps
  const millis = (value: number | null | undefined) => (value === undefined || value === null ? '–' : t.millis(count(value)))
  return [
    { name: t.receiver, kind: 'main', cell: ({ origin }) => <code class="origin">{origin}</code> },
    { name: t.arrived, kind: 'number', cell: (one) => `${count(one.delivered)} (${shareOf(one)})` },
    { name: t.givenUp, kind: 'number', cell: ({ failed }) => (failed > 0 ? <Badge tone="bad">{count(failed)}</Badge> : '0') },
    { name: t.pending, kind: 'number', cell: ({ pending }) => count(pending) },
    { name: t.median, kind: 'number', cell: ({ p50Ms }) => millis(p50Ms) },
    { name: t.slowest, kind: 'number', cell: ({ p95Ms }) => millis(p95Ms) },
    {
      name: t.lastFailure,
      kind: 'wide',
      cell: ({ lastFailure }) => (
        lastFailure
          ? <><Time at={lastFailure.at} form="short" />: {lastFailure.status ?? t.failures[lastFailure.failure ?? ''] ?? lastFailure.failure}</>
          : <span class="soft">–</span>
      ),
    },
  ]
}

/** How well the receivers of an app's webhooks answer. */
export function Receivers({ app }: { app: string }) {
  const t = texts().apps
  const [hours, setHours] = useState('24')
  // The time stands still until another one is chosen, so that the answer fits the question.
  const since = useMemo(() => new Date(Date.now() - Number(hours) * 3_600_000).toISOString(), [hours])
  const { data, error, isLoading } = useAsk('show_webhooks', { app, since })
  return (
    <Card title={t.receivers}>
      <p class="hint">{t.receiversLead}</p>
      <div class="search">
        <Choice label={t.startedSince} value={hours} options={HOURS.map((one): [string, string] => [one, t.sinces[one] ?? one])} onChange={setHours} />
      </div>
      {isLoading && <Loading />}
      {error && data === undefined && <Failed error={error} />}
      {data && data.receivers.length > 0 && <Table caption={t.receivers} columns={columns()} rows={data.receivers} keyOf={({ origin }) => origin} />}
      {data && data.receivers.length === 0 && <Empty title={t.receiversEmpty} />}
      {data && !data.complete && <Note tone="warn">{t.receiversPart(count(data.examined))}</Note>}
    </Card>
  )
}
