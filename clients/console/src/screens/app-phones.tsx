import { useState } from 'preact/hooks'

import type { AssociationKey, PhoneRegistration } from '../api/types.ts'
import { LIVE, useAsk } from '../api/use-ask.ts'
import { useChange } from '../api/use-change.ts'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Empty, Loading, NotLoaded, Note } from '../components/notes.tsx'
import { Card } from '../components/screen.tsx'
import { Table, type Column } from '../components/table.tsx'
import { Time } from '../components/time.tsx'
import { texts } from '../i18n/index.ts'
import { mayChange } from '../shell/facts.ts'
import { toneOfState } from './tones.ts'

/** The states in which a registration can still be cancelled. */
const UNDER_WAY = ['created', 'opened', 'signed']

/** The kind of a key, with the phone that has it, and why it cannot be used. */
export function KeyKind({ of: { kind, label, origin, synced, obstacle } }: { of: AssociationKey }) {
  const t = texts().phones
  const host = origin?.replace(/^https?:\/\//, '')
  const more = [synced === undefined ? undefined : synced ? t.synced : t.oneDevice, host].filter(Boolean).join(' · ')
  return (
    <>
      {[t.kinds[kind] ?? kind, label].filter(Boolean).join(' · ')}
      {more !== '' && <span class="id">{more}</span>}
      {obstacle && <span class="reason">{t.obstacles[obstacle] ?? obstacle}</span>}
    </>
  )
}

/** Returns what names a registration in a list. */
function nameOf({ browser, state }: PhoneRegistration): string {
  const t = texts().phones
  return browser ?? (state === 'created' ? t.noPhone : t.unknownPhone)
}

function columns(onCancel: (one: PhoneRegistration) => void): Column<PhoneRegistration>[] {
  const t = texts()
  const all: Column<PhoneRegistration>[] = [
    {
      name: t.phones.phone,
      kind: 'main',
      cell: (one) => (
        <>
          {nameOf(one)}
          {one.test && <> <Badge tone="warn">{t.common.test}</Badge></>}
          <span class="id">{[one.label, one.place].filter(Boolean).join(' · ')}</span>
        </>
      ),
    },
    {
      name: t.common.state,
      kind: 'wide',
      cell: ({ state, failure, keyId }) => (
        <>
          <Badge tone={toneOfState(state)}>{t.phones.states[state] ?? state}</Badge>
          {failure && <span class="id">{t.phones.failures[failure] ?? failure}</span>}
          {keyId && <code class="id">{keyId}</code>}
        </>
      ),
    },
    { name: t.common.created, cell: ({ createdAt }) => <Time at={createdAt} form="minute" relative /> },
    { name: t.common.expires, cell: ({ expiresAt }) => <Time at={expiresAt} form="minute" /> },
  ]
  if (!mayChange()) return all
  return [...all, {
    name: t.apps.change,
    cell: (one) => UNDER_WAY.includes(one.state) && (
      <Button kind="quiet" label={t.phones.cancelOf(nameOf(one))} onClick={() => onCancel(one)}>{t.common.cancel}</Button>
    ),
  }]
}

function Cancel({ of: { id }, onDone, onClose }: { of: PhoneRegistration, onDone: () => void, onClose: () => void }) {
  const t = texts().phones
  const { make, isBusy, error } = useChange('cancel_phone_registration')
  const cancel = async (): Promise<void> => {
    if (await make({ id }) !== undefined) onDone()
  }
  return (
    <Dialog
      title={t.cancelTitle} action={t.cancelDo} leave={t.keep} isDangerous isBusy={isBusy} error={error}
      onDo={() => void cancel()} onClose={onClose}
    >
      <p>{t.cancelWhat}</p>
    </Dialog>
  )
}

/** The phones that a user sets up without the app. Hidden where that is off, unless the user has set some up. */
export function Phones({ app, user, isOn }: { app: string, user: string, isOn: boolean }) {
  const t = texts().phones
  const { data, error, isLoading, again } = useAsk('list_phone_registrations', { app, public_user_id: user }, LIVE)
  const [asked, setAsked] = useState<PhoneRegistration>()
  const [isDone, setDone] = useState(false)
  const rows = data?.items ?? []
  if (!isOn && rows.length === 0) return null
  return (
    <Card title={t.title}>
      <p class="hint">{t.lead}</p>
      <div role="status">{isDone && <Note tone="good">{t.cancelDone}</Note>}</div>
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {rows.length > 0 && <Table caption={t.title} columns={columns((one) => { setDone(false); setAsked(one) })} rows={rows} keyOf={({ id }) => id} />}
      {data && rows.length === 0 && <Empty title={t.empty}><p>{t.emptyWhat}</p></Empty>}
      {asked && <Cancel of={asked} onClose={() => setAsked(undefined)} onDone={() => { setAsked(undefined); setDone(true); again() }} />}
    </Card>
  )
}
