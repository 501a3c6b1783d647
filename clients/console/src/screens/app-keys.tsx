import { useState } from 'preact/hooks'

import type { ApiKey } from '../api/types.ts'
import { useAsk } from '../api/use-ask.ts'
import { useChange } from '../api/use-change.ts'
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

/** A day such as `2026-11-29`, or an instant. */
export function Day({ at }: { at: string }) {
  return /^\d{4}-\d\d-\d\d$/.test(at) ? <time dateTime={at}>{plainDay(at)}</time> : <Time at={at} form="day" relative />
}

function columns(onRevoke: (key: ApiKey) => void): Column<ApiKey>[] {
  const t = texts().apps
  const all: Column<ApiKey>[] = [
    {
      name: t.key,
      kind: 'main',
      cell: ({ keyId, label }) => (
        <>
          {label && <strong>{label}</strong>}
          <code class={label ? 'id' : undefined}>{keyId}</code>
        </>
      ),
    },
    {
      name: t.mode,
      cell: ({ test }) => (
        test === undefined ? t.notKnown : <Badge tone={test ? 'warn' : 'calm'}>{test ? texts().common.test : texts().common.live}</Badge>
      ),
    },
    { name: t.issued, cell: ({ issuedAt }) => <Time at={issuedAt} form="day" /> },
    {
      name: t.lastUsed,
      cell: ({ lastUsedAt }) => (
        lastUsedAt === undefined ? t.notKnown : lastUsedAt === null ? <span class="soft">{t.neverUsed}</span> : <Day at={lastUsedAt} />
      ),
    },
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
    cell: (key) => (
      key.revokedAt ? null : <Button kind="quiet" label={`${t.revoke}: ${key.label ?? key.keyId}`} onClick={() => onRevoke(key)}>{t.revoke}</Button>
    ),
  }]
}

function Issue({ app, onIssued, onClose }: { app: string, onIssued: (secret: string) => void, onClose: () => void }) {
  const t = texts().apps
  const [label, setLabel] = useState('')
  const [isTest, setTest] = useState(false)
  const { make, isBusy, error } = useChange('issue_key')
  const issue = async (): Promise<void> => {
    const made = await make({ app, test: isTest, ...(label.trim() === '' ? {} : { label: label.trim() }) })
    if (made !== undefined) onIssued(made.apiKey)
  }
  return (
    <Dialog title={t.issueTitle} action={t.issueDo} isBusy={isBusy} error={error} onDo={() => void issue()} onClose={onClose}>
      <p>{t.issueWhat}</p>
      <TextField label={t.label} hint={t.labelHint} value={label} onInput={setLabel} />
      <Check label={t.issueTest} isOn={isTest} onChange={setTest} />
    </Dialog>
  )
}

function Revoke({ app, of: key, isLast, onDone, onClose }: { app: string, of: ApiKey, isLast: boolean, onDone: () => void, onClose: () => void }) {
  const t = texts().apps
  const { make, isBusy, error } = useChange('revoke_key')
  const revoke = async (): Promise<void> => {
    if (await make({ app, key: key.keyId }) !== undefined) onDone()
  }
  return (
    <Dialog
      title={t.revokeTitle(key.label ?? key.keyId)} action={t.revoke} isDangerous isBusy={isBusy} error={error}
      onDo={() => void revoke()} onClose={onClose}
    >
      <p>{t.revokeWhat}</p>
      {isLast && <Note tone="warn">{t.revokeLast}</Note>}
    </Dialog>
  )
}

/** The API keys of an app. */
export function KeysPart({ app }: { app: string }) {
  const t = texts().apps
  const { data, error, isLoading, again } = useAsk('list_keys', { app })
  const [isIssuing, setIssuing] = useState(false)
  const [secret, setSecret] = useState<string>()
  const [revoking, setRevoking] = useState<ApiKey>()
  const [isRevoked, setRevoked] = useState(false)
  const active = (data?.items ?? []).filter(({ revokedAt, test }) => !revokedAt && !test)
  // The active ones first, then the newest.
  const rows = [...data?.items ?? []].sort((a, b) => (
    Number(Boolean(a.revokedAt)) - Number(Boolean(b.revokedAt)) || b.issuedAt.localeCompare(a.issuedAt)
  ))
  return (
    <Card title={t.parts.keys} aside={mayChange() && <Button kind="main" onClick={() => setIssuing(true)}>{t.issue}</Button>}>
      <p class="hint">{t.keysLead}</p>
      {secret !== undefined && <Once title={t.newKey} what={t.newKeyWhat} secret={secret} onClose={() => setSecret(undefined)} />}
      <div role="status">{isRevoked && <Note tone="good">{t.revokeDone}</Note>}</div>
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {data && <LeftOut n={data.left_out} />}
      {rows.length > 0 && (
        <Table caption={t.parts.keys} columns={columns((key) => { setRevoked(false); setRevoking(key) })} rows={rows} keyOf={({ keyId }) => keyId} />
      )}
      {data && rows.length === 0 && <Empty title={t.keysEmpty}><p>{t.keysEmptyWhat}</p></Empty>}
      {isIssuing && (
        <Issue app={app} onClose={() => setIssuing(false)} onIssued={(made) => { setSecret(made); setIssuing(false); again() }} />
      )}
      {revoking && (
        <Revoke
          app={app} of={revoking} isLast={!revoking.test && active.length === 1} onClose={() => setRevoking(undefined)}
          onDone={() => { setRevoking(undefined); setRevoked(true); again() }}
        />
      )}
    </Card>
  )
}
