import { useState } from 'preact/hooks'

import type { AssociationKey } from '../api/types.ts'
import { useAsk } from '../api/use-ask.ts'
import { useChange } from '../api/use-change.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { TextField } from '../components/field.tsx'
import { Empty, LeftOut, Loading, NotLoaded, Note } from '../components/notes.tsx'
import { Card } from '../components/screen.tsx'
import { Table, type Column } from '../components/table.tsx'
import { Time } from '../components/time.tsx'
import { texts } from '../i18n/index.ts'
import { mayChange } from '../shell/facts.ts'
import { offers } from '../shell/offer.ts'

function columns(onRevoke: (key: AssociationKey) => void): Column<AssociationKey>[] {
  const t = texts().apps
  const all: Column<AssociationKey>[] = [
    { name: t.key, kind: 'main', cell: ({ keyId }) => <code>{keyId}</code> },
    { name: t.registered, cell: ({ registeredAt }) => <Time at={registeredAt} form="minute" relative /> },
  ]
  if (!mayChange()) return all
  return [...all, {
    name: t.change,
    cell: (key) => <Button kind="quiet" label={`${t.revoke}: ${key.keyId}`} onClick={() => onRevoke(key)}>{t.revoke}</Button>,
  }]
}

type Asked = { user: string, keys: AssociationKey[], isLost: boolean }

/** Asks before keys are revoked: one, or all of a user whose phone was lost. */
function Revoke({ app, asked, onDone, onClose }: { app: string, asked: Asked, onDone: (n: number) => void, onClose: () => void }) {
  const t = texts().apps
  const { user, keys, isLost } = asked
  const one = useChange('revoke_association_key')
  const all = useChange('revoke_user_keys')
  const revoke = async (): Promise<void> => {
    if (isLost && offers('revoke_user_keys')) {
      const made = await all.make({ app, public_user_id: user })
      if (made !== undefined) onDone(made.keyIds.length)
      return
    }
    for (const { keyId } of keys) if (await one.make({ app, key: keyId }) === undefined) return
    onDone(keys.length)
  }
  return (
    <Dialog
      title={isLost ? t.lostTitle : t.revokePersonTitle} action={isLost ? t.lostDo(keys.length) : t.revoke} isDangerous isBusy={one.isBusy || all.isBusy}
      error={one.error ?? all.error} onDo={() => void revoke()} onClose={onClose}
    >
      <p>{isLost ? t.lostWhat(user, keys.length) : t.revokePersonWhat}</p>
    </Dialog>
  )
}

/** The keys of one user. */
function Keys({ app, user }: { app: string, user: string }) {
  const t = texts().apps
  const { data, error, isLoading, again } = useAsk('list_association_keys', { app, public_user_id: user })
  const [asked, setAsked] = useState<Asked>()
  const [done, setDone] = useState<string>()
  const keys = data?.items ?? []
  const ask = (of: AssociationKey[], isLost: boolean): void => {
    setDone(undefined)
    setAsked({ user, keys: of, isLost })
  }
  return (
    <>
      <div role="status">{done !== undefined && <Note tone="good">{done}</Note>}</div>
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {keys.length > 0 && <Table caption={t.parts.people} columns={columns((key) => ask([key], false))} rows={keys} keyOf={({ keyId }) => keyId} />}
      {keys.length > 0 && mayChange() && (
        <div class="actions"><Button kind="danger" onClick={() => ask(keys, true)}>{t.lost}</Button></div>
      )}
      {data && keys.length === 0 && done === undefined && <Empty title={t.noPeople}><p>{t.noPeopleWhat}</p></Empty>}
      {asked && (
        <Revoke
          app={app} asked={asked} onClose={() => setAsked(undefined)}
          onDone={(n) => { setDone(asked.isLost ? t.lostDone(n) : t.revokePersonDone); setAsked(undefined); again() }}
        />
      )}
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
export function PeoplePart({ app }: { app: string }) {
  const t = texts().apps
  const [typed, setTyped] = useState('')
  const [user, setUser] = useState<string>()
  const submit = (event: Event): void => {
    event.preventDefault()
    setUser(typed === '' ? undefined : typed)
  }
  return (
    <Card title={t.parts.people}>
      <p class="hint">{t.peopleLead}</p>
      <form class="search" role="search" onSubmit={submit}>
        <TextField type="search" label={t.user} value={typed} onInput={setTyped} />
        <Button type="submit" kind="main">{t.find}</Button>
        {user !== undefined && offers('revoke_user_keys') && <Button onClick={() => { setTyped(''); setUser(undefined) }}>{t.everyone}</Button>}
      </form>
      {user === undefined && offers('revoke_user_keys') && <Everyone app={app} onChoose={(name) => { setTyped(name); setUser(name) }} />}
      {user !== undefined && <Keys key={user} app={app} user={user} />}
    </Card>
  )
}
