import { useState } from 'preact/hooks'

import { ApiError, ask } from '../api/client.ts'
import type { AssociationKey } from '../api/types.ts'
import { useAsk } from '../api/use-ask.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { TextField } from '../components/field.tsx'
import { Empty, Loading, NotLoaded, Note } from '../components/notes.tsx'
import { Card } from '../components/screen.tsx'
import { Table, type Column } from '../components/table.tsx'
import { Time } from '../components/time.tsx'
import { texts } from '../i18n/index.ts'
import { mayChange } from '../shell/facts.ts'

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

type Result = { done: number, of: number }

/** Revokes keys one after the other. Those that fail stay, and the operator may try again. */
async function revokeAll(app: string, keys: AssociationKey[]): Promise<Result> {
  let done = 0
  for (const { keyId } of keys) {
    try {
      await ask('revoke_association_key', { app, key: keyId })
      done += 1
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }
  return { done, of: keys.length }
}

function Keys({ app, user }: { app: string, user: string }) {
  const t = texts().apps
  const { data, error, isLoading, again } = useAsk('list_association_keys', { app, public_user_id: user })
  const [asked, setAsked] = useState<AssociationKey[]>()
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<Result>()
  const keys = data?.items ?? []
  const isLost = asked !== undefined && asked.length === keys.length
  const revoke = async (): Promise<void> => {
    setBusy(true)
    setResult(await revokeAll(app, asked ?? []))
    setBusy(false)
    setAsked(undefined)
    again()
  }
  return (
    <>
      <div role="status">
        {result && (result.done === result.of
          ? <Note tone="good">{t.lostDone(result.done)}</Note>
          : <Note tone="bad">{t.lostPart(result.done, result.of)}</Note>)}
      </div>
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {keys.length > 0 && <Table caption={t.parts.people} columns={columns((key) => setAsked([key]))} rows={keys} keyOf={({ keyId }) => keyId} />}
      {keys.length > 0 && mayChange() && (
        <div class="actions"><Button kind="danger" onClick={() => setAsked(keys)}>{t.lost}</Button></div>
      )}
      {data && keys.length === 0 && result === undefined && <Empty title={t.noPeople}><p>{t.noPeopleWhat}</p></Empty>}
      {asked && (
        <Dialog
          title={isLost ? t.lostTitle : t.revokePersonTitle} action={t.lostDo(asked.length)} isDangerous isBusy={isBusy}
          onDo={() => void revoke()} onClose={() => setAsked(undefined)}
        >
          <p>{isLost ? t.lostWhat(user, asked.length) : t.revokePersonWhat}</p>
        </Dialog>
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
      </form>
      {user !== undefined && <Keys key={user} app={app} user={user} />}
    </Card>
  )
}
