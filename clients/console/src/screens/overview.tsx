import { useAsk } from '../api/use-ask.ts'
import { CopyLine } from '../components/copy.tsx'
import { Link } from '../components/link.tsx'
import { Loading, NotLoaded, Note } from '../components/notes.tsx'
import { Card, Screen } from '../components/screen.tsx'
import type { Attention } from '../api/types.ts'
import { texts } from '../i18n/index.ts'
import { to, type ScreenName } from '../shell/links.ts'
import { hasScreen, offers } from '../shell/offer.ts'
import { History } from './history.tsx'

const EVERY = 10_000

/** The screens for kinds of trouble. */
const PLACES: [RegExp, ScreenName][] = [
  [/provider|inbound/, 'providers'],
  [/receiver|webhook|deliver/, 'confirmations'],
  [/secret|quota|app/, 'apps'],
  [/store|backup|signing|version|damage/, 'system'],
]

/** Returns the screen where the trouble of a kind is looked at. */
export function placeOf(kind: string): ScreenName | undefined {
  return PLACES.find(([pattern]) => pattern.test(kind))?.[1]
}

function Trouble({ item }: { item: Attention }) {
  const t = texts()
  const place = placeOf(item.kind)
  const address = place === 'confirmations' ? to.confirmationsOf({ failed: '1' }) : place && to.screen(place)
  const isCommand = /^countersign [a-z]/.test(item.step)
  // In another language than the server's, its words with the names and numbers stand below ours.
  const own = t.overview.troubles[item.kind]
  return (
    <li class="trouble">
      <h3>{own?.title ?? item.title}</h3>
      {own ? <p lang="en">{item.title}. {item.detail}</p> : <p>{item.detail}</p>}
      <div class="next-step">
        <span class="soft">{t.overview.step}: </span>
        {isCommand ? <CopyLine text={item.step} what={t.overview.step} /> : own?.step ?? item.step}
        {place && address && hasScreen(place) && <> <Link to={address}>{t.overview.goTo(t.shell.screens[place])}</Link></>}
      </div>
    </li>
  )
}

function Attentions() {
  const t = texts().overview
  const { data, error, isLoading, again } = useAsk('list_attention', {}, EVERY)
  return (
    <Card title={t.attention}>
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {data && data.items.length > 0 && (
        <ul class="troubles">{data.items.map((item) => <Trouble key={`${item.kind} ${item.title}`} item={item} />)}</ul>
      )}
      {data && data.items.length === 0 && <Note tone="good"><strong>{t.nothing}</strong><p>{t.nothingWhat}</p></Note>}
    </Card>
  )
}

export function OverviewScreen({ query }: { query: URLSearchParams }) {
  return (
    <Screen title={texts().overview.title}>
      {offers('list_attention') && <Attentions />}
      {offers('show_history') && <History query={query} />}
    </Screen>
  )
}
