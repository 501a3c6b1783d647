import { useAsk } from '../api/use-ask.ts'
import { CopyLine } from '../components/copy.tsx'
import { Link } from '../components/link.tsx'
import { Loading, NotLoaded, Note } from '../components/notes.tsx'
import { Card, Screen } from '../components/screen.tsx'
import type { Attention } from '../api/types.ts'
import { troubleOf } from '../formats/sentences.ts'
import { texts } from '../i18n/index.ts'
import { facts } from '../shell/facts.ts'
import { to, type ScreenName } from '../shell/links.ts'
import { hasScreen, offers } from '../shell/offer.ts'
import { History } from './history.tsx'

const EVERY = 10_000

/** Returns where the trouble is looked at: the screen, and its address. */
export function placeOf({ kind, values = {} }: Attention): [ScreenName, string] | undefined {
  const { app, provider } = values
  if (/provider/.test(kind)) return ['providers', provider === undefined ? to.screen('providers') : to.provider(provider)]
  if (/receiver/.test(kind)) return ['confirmations', to.confirmationsOf({ ...(app === undefined ? {} : { app }), failed: '1' })]
  if (app !== undefined) return ['apps', to.app(app, /secret/.test(kind) ? 'webhooks' : undefined)]
  if (/store|backup|signing/.test(kind)) return ['system', to.screen('system')]
  return undefined
}

function Trouble({ item }: { item: Attention }) {
  const t = texts()
  const place = placeOf(item)
  const { title, detail, step, isCommand } = troubleOf(item)
  return (
    <li class="trouble">
      <h3 lang={title.lang}>{title.text}</h3>
      <p lang={detail.lang}>{detail.text}</p>
      <div class="next-step">
        <span class="soft">{t.overview.step}: </span>
        {isCommand ? <CopyLine text={step.text} what={t.overview.step} /> : <span lang={step.lang}>{step.text}</span>}
        {place && hasScreen(place[0]) && <> <Link to={place[1]}>{t.overview.goTo(t.shell.screens[place[0]])}</Link></>}
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
      {data && data.items.length === 0 && <Note tone="good"><strong>{t.nothing}</strong><p>{facts.value?.target === 'table' ? t.nothingOfTable : t.nothingWhat}</p></Note>}
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
