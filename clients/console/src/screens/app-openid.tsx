import { useState } from 'preact/hooks'

import type { App, ClientSecret } from '../api/types.ts'
import { useAsk } from '../api/use-ask.ts'
import { useChange } from '../api/use-change.ts'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { TextField } from '../components/field.tsx'
import { Empty, LeftOut, Loading, NotLoaded, Note } from '../components/notes.tsx'
import { Once } from '../components/once.tsx'
import { Card } from '../components/screen.tsx'
import { Table, type Column } from '../components/table.tsx'
import { Time } from '../components/time.tsx'
import { linesOf, valueAt } from '../formats/settings.ts'
import { inZone } from '../formats/time.ts'
import { texts } from '../i18n/index.ts'
import { mayChange } from '../shell/facts.ts'
import { Day } from './app-keys.tsx'

function columns(onRevoke: (secret: ClientSecret) => void): Column<ClientSecret>[] {
  const t = texts().apps
  const all: Column<ClientSecret>[] = [
    {
      name: t.secret,
      kind: 'main',
      cell: ({ secretId, label }) => (
        <>
          {label && <strong>{label}</strong>}
          <code class={label ? 'id' : undefined}>{secretId}</code>
        </>
      ),
    },
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
    cell: (secret) => (
      secret.revokedAt ? null : (
        <Button kind="quiet" label={`${t.revoke}: ${secret.label ?? secret.secretId}`} onClick={() => onRevoke(secret)}>{t.revoke}</Button>
      )
    ),
  }]
}

function Issue({ app, onIssued, onClose }: { app: string, onIssued: (secret: string) => void, onClose: () => void }) {
  const t = texts().apps
  const [label, setLabel] = useState('')
  const { make, isBusy, error } = useChange('issue_client_secret')
  const issue = async (): Promise<void> => {
    const made = await make({ app, ...(label.trim() === '' ? {} : { label: label.trim() }) })
    if (made !== undefined) onIssued(made.clientSecret)
  }
  return (
    <Dialog title={t.issueSecretTitle} action={t.issueDo} isBusy={isBusy} error={error} onDo={() => void issue()} onClose={onClose}>
      <p>{t.issueWhat}</p>
      <TextField label={t.label} hint={t.secretLabelHint} value={label} onInput={setLabel} />
    </Dialog>
  )
}

function Revoke({ app, of: secret, isLast, onDone, onClose }: { app: string, of: ClientSecret, isLast: boolean, onDone: () => void, onClose: () => void }) {
  const t = texts().apps
  const { make, isBusy, error } = useChange('revoke_client_secret')
  const revoke = async (): Promise<void> => {
    if (await make({ app, secret: secret.secretId }) !== undefined) onDone()
  }
  return (
    <Dialog
      title={t.revokeTitle(secret.label ?? secret.secretId)} action={t.revoke} isDangerous isBusy={isBusy} error={error}
      onDo={() => void revoke()} onClose={onClose}
    >
      <p>{t.revokeSecretWhat}</p>
      {isLast && <Note tone="warn">{t.revokeSecretLast}</Note>}
    </Dialog>
  )
}

function Secrets({ app }: { app: string }) {
  const t = texts().apps
  const { data, error, isLoading, again } = useAsk('list_client_secrets', { app })
  const [isIssuing, setIssuing] = useState(false)
  const [secret, setSecret] = useState<string>()
  const [revoking, setRevoking] = useState<ClientSecret>()
  const [isRevoked, setRevoked] = useState(false)
  const active = (data?.items ?? []).filter(({ revokedAt }) => !revokedAt)
  // The active ones first, then the newest.
  const rows = [...data?.items ?? []].sort((a, b) => (
    Number(Boolean(a.revokedAt)) - Number(Boolean(b.revokedAt)) || b.issuedAt.localeCompare(a.issuedAt)
  ))
  return (
    <Card title={t.clientSecrets} aside={mayChange() && <Button kind="main" onClick={() => setIssuing(true)}>{t.issueSecret}</Button>}>
      <p class="hint">{t.clientSecretsLead}</p>
      {secret !== undefined && <Once title={t.newClientSecret} what={t.newClientSecretWhat} secret={secret} onClose={() => setSecret(undefined)} />}
      <div role="status">{isRevoked && <Note tone="good">{t.revokeSecretDone}</Note>}</div>
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {data && <LeftOut n={data.left_out} />}
      {rows.length > 0 && (
        <Table
          caption={t.clientSecrets} columns={columns((one) => { setRevoked(false); setRevoking(one) })} rows={rows}
          keyOf={({ secretId }) => secretId}
        />
      )}
      {data && rows.length === 0 && <Empty title={t.secretsEmpty}><p>{t.secretsEmptyWhat}</p></Empty>}
      {isIssuing && <Issue app={app} onClose={() => setIssuing(false)} onIssued={(made) => { setSecret(made); setIssuing(false); again() }} />}
      {revoking && (
        <Revoke
          app={app} of={revoking} isLast={active.length === 1} onClose={() => setRevoking(undefined)}
          onDone={() => { setRevoking(undefined); setRevoked(true); again() }}
        />
      )}
    </Card>
  )
}

/** An app as a client of the OpenID provider: where people return, and its secrets. */
export function OpenIdPart({ app }: { app: App }) {
  const t = texts().apps
  const uris = linesOf(valueAt(app, 'openid.redirectUris'))
  const isPublic = valueAt(app, 'openid.client') === 'public'
  return (
    <>
      <Card title={t.redirectUris}>
        {uris.length === 0
          ? <Empty title={t.openidOff}><p>{t.openidOffWhat}</p></Empty>
          : <ul>{uris.map((uri) => <li key={uri}><code>{uri}</code></li>)}</ul>}
      </Card>
      {isPublic ? <Note>{t.publicHasNoSecret}</Note> : <Secrets app={app.app} />}
    </>
  )
}
