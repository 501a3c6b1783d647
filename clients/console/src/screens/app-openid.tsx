import type { App } from '../api/types.ts'
import { useAsk } from '../api/use-ask.ts'
import { useChange } from '../api/use-change.ts'
import { Empty, Note } from '../components/notes.tsx'
import { Card } from '../components/screen.tsx'
import { linesOf, valueAt } from '../formats/settings.ts'
import { texts } from '../i18n/index.ts'
import { Credentials } from './app-credentials.tsx'

function Secrets({ app }: { app: string }) {
  const t = texts().apps
  const issue = useChange('issue_client_secret')
  const revoke = useChange('revoke_client_secret')
  return (
    <Credentials
      words={{
        title: t.clientSecrets, lead: t.clientSecretsLead, id: t.secret, empty: t.secretsEmpty, emptyWhat: t.secretsEmptyWhat,
        issue: t.issueSecret, issueTitle: t.issueSecretTitle, labelHint: t.secretLabelHint, issued: t.newClientSecret, issuedWhat: t.newClientSecretWhat,
        revokeWhat: t.revokeSecretWhat, revokeLast: t.revokeSecretLast, revoked: t.revokeSecretDone,
      }}
      asked={useAsk('list_client_secrets', { app })}
      idOf={({ secretId }) => secretId}
      issue={{ ...issue, make: async (label) => (await issue.make({ app, ...label }))?.clientSecret }}
      revoke={{ ...revoke, make: (secret) => revoke.make({ app, secret }) }}
    />
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
