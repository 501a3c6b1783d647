import { useState } from 'preact/hooks'

import type { SystemFacts } from '../api/types.ts'
import { useAsk } from '../api/use-ask.ts'
import { useChange } from '../api/use-change.ts'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Facts } from '../components/facts.tsx'
import { Empty, Loading, NotLoaded, Note, sentenceOf } from '../components/notes.tsx'
import { Card, Screen } from '../components/screen.tsx'
import { Table } from '../components/table.tsx'
import { Time } from '../components/time.tsx'
import { bytes, count } from '../formats/numbers.ts'
import { texts } from '../i18n/index.ts'
import { facts, mayChange } from '../shell/facts.ts'
import { offers } from '../shell/offer.ts'

const EVERY = 10_000

function Check({ store }: { store: NonNullable<SystemFacts['store']> }) {
  const t = texts().system
  if (!store.checkedAt) return <span class="soft">{t.neverChecked}</span>
  return (
    <>
      <Time at={store.checkedAt} form="minute" relative />{' '}
      {store.damaged ? <Badge tone="bad">{t.damaged(store.damaged)}</Badge> : <Badge tone="good">{t.well}</Badge>}
    </>
  )
}

function Server() {
  const t = texts().system
  const known = facts.value
  const { data, error, isLoading, again } = useAsk('show_system', offers('show_system') ? {} : null, EVERY)
  return (
    <>
      <Card title={t.server}>
        <Facts facts={[
          [t.version, data?.version ?? known?.version ?? null],
          [t.started, data?.startedAt ? <Time at={data.startedAt} form="minute" relative /> : null],
          [t.url, data?.url ?? null],
          [t.mode, known === null || !known.running ? null : known.local ? t.localMode : t.production],
          [t.target, known?.name ?? null],
          [t.region, data?.table?.region ?? null],
        ]} />
        {isLoading && <Loading />}
        {error && data === undefined && <NotLoaded error={error} again={again} />}
      </Card>
      {data?.store && (
        <Card title={t.store}>
          <Facts facts={[
            [t.size, typeof data.store.bytes === 'number' ? bytes(data.store.bytes) : null],
            [t.documents, typeof data.store.documents === 'number' ? count(data.store.documents) : null],
            [t.checked, <Check store={data.store} />],
          ]} />
        </Card>
      )}
      {data?.backups && <Backups backups={data.backups} />}
    </>
  )
}

function Backups({ backups }: { backups: NonNullable<SystemFacts['backups']> }) {
  const t = texts().system
  return (
    <Card title={t.backups}>
      {backups.length === 0
        ? <Empty title={t.noBackups}><p>{t.noBackupsWhat}</p><CopyBlock text="countersign backup FILE" what={t.backups} /></Empty>
        : (
          <Table
            caption={t.backups} rows={backups} keyOf={({ name, at }) => `${name} ${at}`}
            columns={[
              { name: texts().audit.at, kind: 'main', cell: ({ at }) => <Time at={at} form="minute" relative /> },
              { name: t.file, kind: 'wide', cell: ({ name }) => <code>{name}</code> },
              { name: t.size, kind: 'number', cell: (backup) => (typeof backup.bytes === 'number' ? bytes(backup.bytes) : '–') },
            ]}
          />
        )}
    </Card>
  )
}

function SigningKeys() {
  const t = texts().system
  const { data, error, isLoading, again } = useAsk('list_signing_keys', {})
  const { make, isBusy, error: failure, forget } = useChange('rotate_signing_key')
  const [isAsking, setAsking] = useState(false)
  const [isDone, setDone] = useState(false)
  const rotate = async (): Promise<void> => {
    if (await make({}) === undefined) return
    setAsking(false)
    setDone(true)
    again()
  }
  // On AWS they are in KMS, and the command does not rotate them.
  const said = error && sentenceOf(error)
  const isInKms = error?.kind === 'refused' || (error !== undefined && facts.value?.target === 'table')
  return (
    <Card
      title={t.signing}
      aside={data && mayChange() && <Button onClick={() => { forget(); setDone(false); setAsking(true) }}>{t.rotate}</Button>}
    >
      <p class="hint">{t.signingLead}</p>
      <div role="status">{isDone && <Note tone="good">{t.rotateDone}</Note>}</div>
      {isLoading && <Loading />}
      {error && data === undefined && (isInKms ? <Note><span lang={said?.lang}>{error.message === '' ? t.kms : said?.text}</span></Note> : <NotLoaded error={error} again={again} />)}
      {data && (
        <Table
          caption={t.signing} rows={data.items} keyOf={({ keyId }) => keyId}
          columns={[
            { name: texts().apps.key, kind: 'main', cell: ({ keyId }) => <code>{keyId}</code> },
            { name: texts().common.state, cell: ({ current }) => <Badge tone={current ? 'good' : 'plain'}>{current ? t.current : t.former}</Badge> },
          ]}
        />
      )}
      {isAsking && (
        <Dialog
          title={t.rotateTitle} action={t.rotateDo} isDangerous isBusy={isBusy} error={failure}
          onDo={() => void rotate()} onClose={() => setAsking(false)}
        >
          <p>{t.rotateWhat}</p>
        </Dialog>
      )}
    </Card>
  )
}

function Metrics() {
  const t = texts().system
  const { data, error, isLoading, again } = useAsk('show_metrics', {}, EVERY)
  const events = (data?.events ?? []).filter((event) => event.count > 0)
  return (
    <Card title={t.metrics}>
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {data && (
        <Facts facts={[
          [t.queue, count(data.queued)],
          [t.writes, count(data.storeWrites)],
        ]} />
      )}
      {events.length > 0 && (
        <Table
          caption={t.metrics} rows={events} keyOf={({ name }) => name}
          columns={[
            { name: t.counter, kind: 'main', cell: ({ name }) => <code>{name}</code> },
            { name: t.times, kind: 'number', cell: (event) => count(event.count) },
          ]}
        />
      )}
      {data && events.length === 0 && <Empty title={t.metricsEmpty} />}
    </Card>
  )
}

export function SystemScreen() {
  const t = texts().system
  return (
    <Screen title={t.title} lead={t.lead}>
      <div class="pair">
        <div><Server /></div>
        <div>
          {offers('list_signing_keys') && <SigningKeys />}
          {offers('show_metrics') && <Metrics />}
        </div>
      </div>
    </Screen>
  )
}
