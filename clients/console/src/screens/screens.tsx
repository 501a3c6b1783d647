import { Empty } from '../components/notes.tsx'
import { Screen } from '../components/screen.tsx'
import { texts } from '../i18n/index.ts'
import { SCREENS, type ScreenName } from '../shell/links.ts'
import { hasScreen } from '../shell/offer.ts'
import { route } from '../shell/route.ts'
import { useStore } from '../shell/store.ts'
import { AppScreen } from './app.tsx'
import { AppsScreen } from './apps.tsx'
import { AuditScreen } from './audit.tsx'
import { ConfirmationScreen } from './confirmation.tsx'
import { ConfirmationsScreen } from './confirmations.tsx'
import { LoginScreen } from './login.tsx'
import { LoginsScreen } from './logins.tsx'
import { OverviewScreen } from './overview.tsx'
import { ProviderScreen } from './provider.tsx'
import { ProvidersScreen } from './providers.tsx'
import { SystemScreen } from './system.tsx'

function NotFound() {
  const t = texts().shell
  return <Screen title={t.notFound}><Empty title={t.notFoundWhat} /></Screen>
}

/** Says that the target lacks a screen, to which an address of another console may lead. */
function NotOffered({ name }: { name: ScreenName }) {
  const t = texts().shell
  return <Screen title={t.screens[name]}><Empty title={t.notOffered}><p>{t.notOfferedWhat}</p></Empty></Screen>
}

/** The screen that the address names. */
export function Screens() {
  const { path, query } = useStore(route)
  const [screen, name, part, ...rest] = path
  if (rest.length > 0 || (part !== undefined && screen !== 'apps')) return <NotFound />
  const known = SCREENS.find((one) => one === screen)
  if (known !== undefined && !hasScreen(known)) return <NotOffered name={known} />
  switch (screen) {
    case undefined: return hasScreen('overview') ? <OverviewScreen query={query} /> : <ConfirmationsScreen query={query} />
    case 'confirmations': return name === undefined ? <ConfirmationsScreen query={query} /> : <ConfirmationScreen key={name} id={name} />
    case 'logins': return name === undefined ? <LoginsScreen query={query} /> : <LoginScreen key={name} id={name} />
    case 'apps': return name === undefined ? <AppsScreen /> : <AppScreen key={name} name={name} part={part ?? 'settings'} />
    case 'providers': return name === undefined ? <ProvidersScreen /> : <ProviderScreen key={name} name={name} />
    case 'audit': return name === undefined ? <AuditScreen query={query} /> : <NotFound />
    case 'system': return name === undefined ? <SystemScreen /> : <NotFound />
    default: return <NotFound />
  }
}
