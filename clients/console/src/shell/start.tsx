import { useEffect, useState } from 'preact/hooks'

import { connection } from '../api/client.ts'
import { exchangeCode, type Exchange } from '../api/session.ts'
import { useAsk } from '../api/use-ask.ts'
import { Button } from '../components/button.tsx'
import { CopyLine } from '../components/copy.tsx'
import { Loading, NotLoaded } from '../components/notes.tsx'
import { zone } from '../formats/zone.ts'
import { language, texts } from '../i18n/index.ts'
import { Screens } from '../screens/screens.tsx'
import { facts } from './facts.ts'
import { Frame } from './frame.tsx'
import { useStore } from './store.ts'

/** Milliseconds between looks at what the console is connected to. */
const FACTS = 10_000

/** Asks the operator for a new link. */
function NoSession({ sentence }: { sentence: string }) {
  const t = texts().shell
  return (
    <main class="alone" id="content">
      <img src="/icon.svg" alt="" width="48" height="48" />
      <h1>{t.title}</h1>
      <p role="alert">{sentence}</p>
      <p>{t.endedWhat}</p>
      <CopyLine text="countersign console" what="countersign console" />
    </main>
  )
}

function Session() {
  const t = texts()
  const asked = useAsk('show_console', {}, FACTS)
  const known = useStore(facts)
  useEffect(() => {
    if (asked.data !== undefined) facts.set(asked.data)
  }, [asked.data])
  if (known === null) {
    if (asked.error?.kind === 'ended') return <NoSession sentence={t.shell.ended} />
    return (
      <main class="alone" id="content">
        <h1>{t.shell.title}</h1>
        {asked.error ? <NotLoaded error={asked.error} again={asked.again} /> : <Loading />}
      </main>
    )
  }
  return <Frame><Screens /></Frame>
}

/** Exchanges the code of the link if there is one, and shows the page. */
export function Start() {
  // Every component below reads both while it renders, so all of them render again.
  const chosen = useStore(language)
  useStore(zone)
  const [exchange, setExchange] = useState<Exchange | null>(null)
  const begin = (): void => void exchangeCode().then(setExchange)
  useEffect(begin, [])
  useEffect(() => {
    document.documentElement.lang = chosen
  }, [chosen])
  if (exchange === null) return <main class="alone" id="content"><h1>{texts().shell.title}</h1><Loading /></main>
  if (exchange.refused !== undefined) return <NoSession sentence={texts().shell.refused} />
  if (exchange.unreachable && connection.value === 'well') {
    return (
      <main class="alone" id="content">
        <h1>{texts().shell.title}</h1>
        <p role="alert">{texts().shell.unreachable.replaceAll('`', '')}</p>
        <p>{texts().shell.endedWhat}</p>
        <CopyLine text="countersign console" what="countersign console" />
        <Button onClick={() => location.reload()}>{texts().common.again}</Button>
      </main>
    )
  }
  return <Session />
}
