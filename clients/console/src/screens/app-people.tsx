import { useState } from 'preact/hooks'

import type { App, AssociationKey } from '../api/types.ts'
import { useAsk } from '../api/use-ask.ts'
import { useChange } from '../api/use-change.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { TextField } from '../components/field.tsx'
import { Empty, LeftOut, Loading, NotLoaded, Note } from '../components/notes.tsx'
import { Card } from '../components/screen.tsx'
import { Table, type Column } from '../components/table.tsx'
import { Time } from '../components/time.tsx'
import { valueAt } from '../formats/settings.ts'
import { texts } from '../i18n/index.ts'
import { mayChange } from '../shell/facts.ts'
import { KeyKind, Phones } from './app-phones.tsx'

function columns(onRevoke: (key: AssociationKey) => void): Column<AssociationKey>[] {
  const t = texts().apps
  const all: Column<AssociationKey>[] = [
    { name: t.key, kind: 'main', cell: ({ keyId }) => <code>{keyId}</code> },
    { name: texts().phones.kind, kind: 'wide', cell: (key) => <KeyKind of={key} /> },
    { name: t.registered, cell: ({ registeredAt }) => <Time at={registeredAt} form="minute" relative /> },
  ]
  if (!mayChange()) return all
  return [...all, {
    name: t.change,
    cell: (key) => <Button kind="quiet" label={`${t.revoke}: ${key.keyId}`} onClick={() => onRevoke(key)}>{t.revoke}</Button>,
  }]
}

type Asking = { onDone: (words: string) => void, onClose: () => void }

/** Asks before a key is revoked. */
function RevokeOne({ app, of: { keyId }, onDone, onClose }: { app: string, of: AssociationKey } & Asking) {
  const t = texts().apps
  const { make, isBusy, error } = useChange('revoke_association_key')
  const revoke = async (): Promise<void> => {
    if (await make({ app, key: keyId }) !== undefined) onDone(t.revokePersonDone)
  }
  return (
    <Dialog title={t.revokePersonTitle} action={t.revoke} isDangerous isBusy={isBusy} error={error} onDo={() => void revoke()} onClose={onClose}>
      <p>{t.revokePersonWhat}</p>
    </Dialog>
  )
}

/** Asks before all keys of a user are revoked, whose phone was lost. */
function RevokeAll({ app, user, n, onDone, onClose }: { app: string, user: string, n: number } & Asking) {
  const t = texts().apps
  const { make, isBusy, error } = useChange('revoke_user_keys')
  const revoke = async (): Promise<void> => {
    const made = await make({ app, public_user_id: user })
    if (made !== undefined) onDone(t.lostDone(made.keyIds.length))
  }
  return (
    <Dialog title={t.lostTitle} action={t.lostDo(n)} isDangerous isBusy={isBusy} error={error} onDo={() => void revoke()} onClose={onClose}>
      <p>{t.lostWhat(user, n)}</p>
    </Dialog>
  )
}

/** Milliseconds between looks at a user's keys, to which a phone that is set up adds one. */
const EVERY = 10_000

/** The keys of one user. */
function Keys({ app, user }: { app: string, user: string }) {
  const t = texts().apps
  const { data, error, isLoading, again } = useAsk('list_association_keys', { app, public_user_id: user }, EVERY)
  const [asked, setAsked] = useState<AssociationKey | 'all'>()
  const [done, setDone] = useState<string>()
  const keys = data?.items ?? []
  const ask = (of: AssociationKey | 'all'): void => {
    setDone(undefined)
    setAsked(of)
  }
  const asking = {
    app,
    onClose: () => setAsked(undefined),
    onDone: (words: string) => {
      setDone(words)
      setAsked(undefined)
      again()
    },
  }
  return (
    <>
      <div role="status">{done !== undefined && <Note tone="good">{done}</Note>}</div>
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {keys.length > 0 && <Table caption={t.parts.people} columns={columns(ask)} rows={keys} keyOf={({ keyId }) => keyId} />}
      {keys.length > 0 && mayChange() && (
        <div class="actions"><Button kind="danger" onClick={() => ask('all')}>{t.lost}</Button></div>
      )}
      {data && keys.length === 0 && done === undefined && <Empty title={t.noPeople}><p>{t.noPeopleWhat}</p></Empty>}
      {asked === 'all' && <RevokeAll user={user} n={keys.length} {...asking} />}
      {asked && asked !== 'all' && <RevokeOne of={asked} {...asking} />}
    </>
  )
}

/** The keys of all users of an app, page by page. The page is not in the address, as its cursor may name a person. */
function Everyone({ app, onChoose }: { app: string, onChoose: (user: string) => void }) {
  const t = texts()
  const [after, setAfter] = useState<string>()
  const { data, error, isLoading, again } = useAsk('list_association_keys', { app, ...(after === undefined ? {} : { after }) })
  const keys = data?.items ?? []
  const next = data?.next ?? undefined
  return (
    <>
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {data && <LeftOut n={data.left_out} />}
      {keys.length > 0 && (
        <Table
          caption={t.apps.parts.people} rows={keys} keyOf={({ keyId }) => keyId}
          columns={[
            {
              name: t.apps.user,
              kind: 'main',
              cell: ({ publicUserId }) => <button type="button" class="as-link" onClick={() => onChoose(publicUserId)}>{publicUserId}</button>,
            },
            { name: t.phones.kind, kind: 'wide', cell: (key) => <KeyKind of={key} /> },
            { name: t.apps.registered, cell: ({ registeredAt }) => <Time at={registeredAt} form="minute" relative /> },
            { name: t.apps.key, kind: 'wide', cell: ({ keyId }) => <code>{keyId}</code> },
          ]}
        />
      )}
      {data && keys.length === 0 && next === undefined && <Empty title={t.apps.peopleEmpty}><p>{t.apps.peopleEmptyWhat}</p></Empty>}
      {(after !== undefined || next !== undefined) && (
        <div class="actions">
          {after !== undefined && <Button onClick={() => setAfter(undefined)}>{t.common.first}</Button>}
          {next !== undefined && <Button onClick={() => setAfter(next)}>{t.common.next}</Button>}
        </div>
      )}
    </>
  )
}

/** The keys that a user's phones keep. The id stays out of the address, since it may name a person. */
export function PeoplePart({ app }: { app: App }) {
  const t = texts().apps
  const [typed, setTyped] = useState('')
  const [user, setUser] = useState<string>()
  const submit = (event: Event): void => {
    event.preventDefault()
    setUser(typed === '' ? undefined : typed)
  }
  return (
    <>
      <Card title={t.parts.people}>
        <p class="hint">{t.peopleLead}</p>
        <form class="search" role="search" onSubmit={submit}>
          <TextField type="search" label={t.user} value={typed} onInput={setTyped} />
          <Button type="submit" kind="main">{t.find}</Button>
          {user !== undefined && <Button onClick={() => { setTyped(''); setUser(undefined) }}>{t.everyone}</Button>}
        </form>
        {user === undefined
          ? <Everyone app={app.app} onChoose={(name) => { setTyped(name); setUser(name) }} />
          : <Keys key={user} app={app.app} user={user} />}
      </Card>
      {user !== undefined && <Phones key={user} app={app.app} user={user} isOn={valueAt(app, 'login.webPhone') === true} />}
    </>
  )
}
