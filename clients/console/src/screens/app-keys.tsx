import { useAsk } from '../api/use-ask.ts'
import { useChange } from '../api/use-change.ts'
import { Badge } from '../components/badge.tsx'
import { texts } from '../i18n/index.ts'
import { Credentials } from './app-credentials.tsx'

/** The API keys of an app. */
export function KeysPart({ app }: { app: string }) {
  const { apps: t, common } = texts()
  const issue = useChange('issue_key')
  const revoke = useChange('revoke_key')
  return (
    <Credentials
      words={{
        title: t.parts.keys, lead: t.keysLead, id: t.key, empty: t.keysEmpty, emptyWhat: t.keysEmptyWhat,
        issue: t.issue, issueTitle: t.issueTitle, labelHint: t.labelHint, option: t.issueTest, issued: t.newKey, issuedWhat: t.newKeyWhat,
        revokeWhat: t.revokeWhat, revokeLast: t.revokeLast, revoked: t.revokeDone,
      }}
      asked={useAsk('list_keys', { app })}
      idOf={({ keyId }) => keyId}
      columns={[{ name: t.mode, cell: ({ test }) => <Badge tone={test ? 'warn' : 'calm'}>{test ? common.test : common.live}</Badge> }]}
      isNeeded={({ test }) => !test}
      issue={{ ...issue, make: async (label, test) => (await issue.make({ app, test, ...label }))?.apiKey }}
      revoke={{ ...revoke, make: (key) => revoke.make({ app, key }) }}
    />
  )
}
