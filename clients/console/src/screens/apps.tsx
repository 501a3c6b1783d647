import type { App } from '../api/types.ts'
import { useAsk } from '../api/use-ask.ts'
import { Badge } from '../components/badge.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { Link } from '../components/link.tsx'
import { Empty, LeftOut, Loading, NotLoaded } from '../components/notes.tsx'
import { Screen } from '../components/screen.tsx'
import { Table, type Column } from '../components/table.tsx'
import { Time } from '../components/time.tsx'
import { fieldText, linesOf, valueAt } from '../formats/settings.ts'
import { texts } from '../i18n/index.ts'
import { to } from '../shell/links.ts'

function columns(): Column<App>[] {
  const t = texts()
  const words = (path: string) => (app: App) => fieldText(valueAt(app, path)) || <span class="soft">–</span>
  return [
    {
      name: t.common.app,
      kind: 'main',
      cell: (app) => (
        <>
          <Link to={to.app(app.app)}>{app.app}</Link>
          {(app.webhookSecrets ?? 1) > 1 && <> <Badge tone="warn">{t.apps.secretTitle} ×{app.webhookSecrets}</Badge></>}
          <code class="id">{app.appKey}</code>
        </>
      ),
    },
    { name: t.settings['senders']?.name ?? '', kind: 'wide', cell: (app) => linesOf(app['senders']).join(', ') },
    { name: t.settings['callbackUrl']?.name ?? '', kind: 'wide', cell: words('callbackUrl') },
    { name: t.settings['login.linkHost']?.name ?? '', kind: 'wide', cell: words('login.linkHost') },
    { name: t.common.created, cell: ({ createdAt }) => <Time at={createdAt} form="day" /> },
  ]
}

export function AppsScreen() {
  const t = texts()
  const { data, error, isLoading, again } = useAsk('list_apps', {})
  return (
    <Screen title={t.apps.title} lead={t.apps.lead}>
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {data && <LeftOut n={data.left_out} />}
      {data && data.items.length > 0 && <Table caption={t.apps.title} columns={columns()} rows={data.items} keyOf={({ app }) => app} />}
      {data && data.items.length === 0 && (
        <Empty title={t.apps.empty}>
          <p>{t.apps.emptyWhat}</p>
          <CopyBlock text="countersign app create shop --sender +12025550199" what={t.apps.empty} />
        </Empty>
      )}
    </Screen>
  )
}
