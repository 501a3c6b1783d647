import { useAsk } from '../api/use-ask.ts'
import { CopyLine } from '../components/copy.tsx'
import { Link } from '../components/link.tsx'
import { Empty, Loading, NotLoaded } from '../components/notes.tsx'
import { Screen } from '../components/screen.tsx'
import { texts } from '../i18n/index.ts'
import { to } from '../shell/links.ts'
import { KeysPart } from './app-keys.tsx'
import { OpenIdPart } from './app-openid.tsx'
import { PeoplePart } from './app-people.tsx'
import { SettingsPart } from './app-settings.tsx'
import { WebhooksPart } from './app-webhooks.tsx'

const PARTS = ['settings', 'keys', 'people', 'webhooks', 'openid'] as const

/** Milliseconds between looks at an app, which other operators may change. */
const EVERY = 10_000

/** One app, in parts. */
export function AppScreen({ name, part }: { name: string, part: string }) {
  const t = texts()
  const { data, error, isLoading, again } = useAsk('show_app', { app: name }, EVERY)
  return (
    <Screen title={name} back={<Link to={to.screen('apps')}>{t.apps.back}</Link>}>
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {data && (
        <>
          <p class="app-key" title={t.apps.appKeyWhat}>
            <span class="soft">{t.apps.appKey}</span> <CopyLine text={data.appKey} what={t.apps.appKey} />
          </p>
          <nav class="parts" aria-label={t.apps.partsOf(name)}>
            {PARTS.map((one) => (
              <Link key={one} to={to.app(name, one === 'settings' ? undefined : one)} current={part === one}>{t.apps.parts[one]}</Link>
            ))}
          </nav>
          {part === 'settings' && <SettingsPart app={data} onSaved={again} />}
          {part === 'keys' && <KeysPart app={name} />}
          {part === 'people' && <PeoplePart app={data} />}
          {part === 'openid' && <OpenIdPart app={data} />}
          {part === 'webhooks' && <WebhooksPart app={data} onChanged={again} />}
          {!PARTS.some((one) => one === part) && <Empty title={t.shell.notFound} />}
        </>
      )}
    </Screen>
  )
}
