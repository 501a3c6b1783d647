import { useState } from 'preact/hooks'

import type { ApiError } from '../api/client.ts'
import type { Page } from '../api/types.ts'
import type { Asked } from '../api/use-ask.ts'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Check, TextField } from '../components/field.tsx'
import { Empty, LeftOut, Loading, NotLoaded, Note } from '../components/notes.tsx'
import { Once } from '../components/once.tsx'
import { Card } from '../components/screen.tsx'
import { Table, type Column } from '../components/table.tsx'
import { Time } from '../components/time.tsx'
import { inZone, plainDay } from '../formats/time.ts'
import { texts } from '../i18n/index.ts'
import { mayChange } from '../shell/facts.ts'

/** A secret of an app's server, of which the service stores only a hash. */
type Credential = { issuedAt: string, revokedAt?: string | null, label?: string | null, lastUsedAt?: string | null }

/** A change of `useChange` whose request this component does not know. */
type Action<A extends unknown[], T> = { make: (...given: A) => Promise<T | undefined>, isBusy: boolean, error: ApiError | undefined, forget: () => void }

type Props<T extends Credential> = {
  words: {
    title: string, lead: string, id: string, empty: string, emptyWhat: string
    issue: string, issueTitle: string, labelHint: string, option?: string, issued: string, issuedWhat: string
    revokeWhat: string, revokeLast: string, revoked: string
  }
  asked: Asked<Page<T>>
  idOf: (one: T) => string
  /** Columns after the first one. */
  columns?: Column<T>[]
  /** True if the app's server needs one of these. */
  isNeeded?: (one: T) => boolean
  /** Issues one, with the label and the option, and returns the secret. */
  issue: Action<[label: { label?: string }, hasOption: boolean], string>
  revoke: Action<[id: string], unknown>
}

/** A day such as `2026-11-29`, or an instant. */
function Day({ at }: { at: string }) {
  return /^\d{4}-\d\d-\d\d$/.test(at) ? <time dateTime={at}>{plainDay(at)}</time> : <Time at={at} form="day" relative />
}

function columnsOf<T extends Credential>({ words, idOf, columns = [] }: Props<T>, onRevoke: (one: T) => void): Column<T>[] {
  const t = texts().apps
  const all: Column<T>[] = [
    {
      name: words.id,
      kind: 'main',
      cell: (one) => (
        <>
          {one.label && <strong>{one.label}</strong>}
          <code class={one.label ? 'id' : undefined}>{idOf(one)}</code>
        </>
      ),
    },
    ...columns,
    { name: t.issued, cell: ({ issuedAt }) => <Time at={issuedAt} form="day" /> },
    { name: t.lastUsed, cell: ({ lastUsedAt }) => (lastUsedAt ? <Day at={lastUsedAt} /> : <span class="soft">{t.neverUsed}</span>) },
    {
      name: t.status,
      cell: ({ revokedAt }) => (
        revokedAt ? <span class="soft">{t.revokedAt(inZone(revokedAt, 'day'))}</span> : <Badge tone="good">{t.active}</Badge>
      ),
    },
  ]
  if (!mayChange()) return all
  return [...all, {
    name: t.change,
    cell: (one) => (
      one.revokedAt ? null : <Button kind="quiet" label={`${t.revoke}: ${one.label ?? idOf(one)}`} onClick={() => onRevoke(one)}>{t.revoke}</Button>
    ),
  }]
}

function Issue<T extends Credential>({ words, issue, onIssued, onClose }: Props<T> & { onIssued: (secret: string) => void, onClose: () => void }) {
  const t = texts().apps
  const [label, setLabel] = useState('')
  const [hasOption, setOption] = useState(false)
  const make = async (): Promise<void> => {
    const made = await issue.make(label.trim() === '' ? {} : { label: label.trim() }, hasOption)
    if (made !== undefined) onIssued(made)
  }
  return (
    <Dialog title={words.issueTitle} action={t.issueDo} isBusy={issue.isBusy} error={issue.error} onDo={() => void make()} onClose={onClose}>
      <p>{t.issueWhat}</p>
      <TextField label={t.label} hint={words.labelHint} value={label} onInput={setLabel} />
      {words.option !== undefined && <Check label={words.option} isOn={hasOption} onChange={setOption} />}
    </Dialog>
  )
}

/** The API keys or the client secrets of an app: issued, shown once, and revoked. */
export function Credentials<T extends Credential>(props: Props<T>) {
  const t = texts().apps
  const { words, asked: { data, error, isLoading, again }, idOf, isNeeded = () => true, issue, revoke } = props
  const [isIssuing, setIssuing] = useState(false)
  const [secret, setSecret] = useState<string>()
  const [revoking, setRevoking] = useState<T>()
  const [isRevoked, setRevoked] = useState(false)
  const items = data?.items ?? []
  const needed = items.filter((one) => !one.revokedAt && isNeeded(one))
  // The active ones first, then the newest.
  const rows = [...items].sort((a, b) => (
    Number(Boolean(a.revokedAt)) - Number(Boolean(b.revokedAt)) || b.issuedAt.localeCompare(a.issuedAt)
  ))
  const askToRevoke = (one: T): void => {
    revoke.forget()
    setRevoked(false)
    setRevoking(one)
  }
  const doRevoke = async (one: T): Promise<void> => {
    if (await revoke.make(idOf(one)) === undefined) return
    setRevoking(undefined)
    setRevoked(true)
    again()
  }
  return (
    <Card title={words.title} aside={mayChange() && <Button kind="main" onClick={() => { issue.forget(); setIssuing(true) }}>{words.issue}</Button>}>
      <p class="hint">{words.lead}</p>
      {secret !== undefined && <Once title={words.issued} what={words.issuedWhat} secret={secret} onClose={() => setSecret(undefined)} />}
      <div role="status">{isRevoked && <Note tone="good">{words.revoked}</Note>}</div>
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {data && <LeftOut n={data.left_out} />}
      {rows.length > 0 && <Table caption={words.title} columns={columnsOf(props, askToRevoke)} rows={rows} keyOf={idOf} />}
      {data && rows.length === 0 && <Empty title={words.empty}><p>{words.emptyWhat}</p></Empty>}
      {isIssuing && <Issue {...props} onClose={() => setIssuing(false)} onIssued={(made) => { setSecret(made); setIssuing(false); again() }} />}
      {revoking && (
        <Dialog
          title={t.revokeTitle(revoking.label ?? idOf(revoking))} action={t.revoke} isDangerous isBusy={revoke.isBusy} error={revoke.error}
          onDo={() => void doRevoke(revoking)} onClose={() => setRevoking(undefined)}
        >
          <p>{words.revokeWhat}</p>
          {isNeeded(revoking) && needed.length === 1 && <Note tone="warn">{words.revokeLast}</Note>}
        </Dialog>
      )}
    </Card>
  )
}
