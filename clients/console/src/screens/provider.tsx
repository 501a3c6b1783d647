import { useState } from 'preact/hooks'

import type { AnswerOf, ProviderCall, ProviderDetails } from '../api/types.ts'
import { useAsk } from '../api/use-ask.ts'
import { useChange } from '../api/use-change.ts'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { CopyBlock, CopyLine } from '../components/copy.tsx'
import { Link } from '../components/link.tsx'
import { Empty, Failed, Loading, NotLoaded, Note } from '../components/notes.tsx'
import { Card, Screen } from '../components/screen.tsx'
import { Table, type Column } from '../components/table.tsx'
import { Time } from '../components/time.tsx'
import { count } from '../formats/numbers.ts'
import { sentenceOf } from '../formats/sentences.ts'
import { isLocal, splitSteps } from '../formats/steps.ts'
import { language, texts } from '../i18n/index.ts'
import { mayChange } from '../shell/facts.ts'
import { to } from '../shell/links.ts'
import { offers } from '../shell/offer.ts'
import { toneOfResult } from './tones.ts'

/** Milliseconds between looks at a provider: the operator sends a text and waits for it here. */
const EVERY = 2000

function Address({ item }: { item: ProviderDetails }) {
  const t = texts().providers
  const { steps, notes } = splitSteps(item.steps)
  return (
    <Card title={item.topic ? t.topic : t.url}>
      {item.topic && <CopyLine text={item.topic} what={t.topic} />}
      {!item.topic && item.url && <CopyLine text={item.url} what={t.url} />}
      {!item.topic && !item.url && <Note tone="warn">{t.noUrl}</Note>}
      {item.url && isLocal(item.url) && <Note tone="warn">{t.localUrl}</Note>}
      <h3>{t.steps}</h3>
      {language.value !== 'en' && <p class="hint">{t.stepsLanguage}</p>}
      <ol class="steps" lang="en">
        {steps.map((step) => <li key={step}>{step}</li>)}
      </ol>
      {notes.map((note) => <p key={note} class="hint" lang="en">{note}</p>)}
    </Card>
  )
}

function Trial({ item }: { item: ProviderDetails }) {
  const t = texts().providers
  const [result, setResult] = useState<AnswerOf<'test_provider'>>()
  const said = result && sentenceOf(result)
  const { make, isBusy, error } = useChange('test_provider')
  const run = async (): Promise<void> => {
    setResult(undefined)
    setResult(await make({ provider: item.name }))
  }
  return (
    <Card title={t.trial}>
      {item.soleSigner || !offers('test_provider')
        ? <p>{item.soleSigner ? t.sole(item.soleSigner) : texts().common.missing}</p>
        : (
          <>
            <p>{t.trialWhat}</p>
            {mayChange() && (
              <div class="actions">
                <Button kind="main" disabled={isBusy} onClick={() => void run()}>{isBusy ? texts().common.busy : t.trialDo}</Button>
              </div>
            )}
            <div role="status">{said && <Note tone={result.accepted ? 'good' : 'bad'}><span lang={said.lang}>{said.text}</span></Note>}</div>
            {error && <Failed error={error} />}
          </>
        )}
    </Card>
  )
}

function Calls({ item }: { item: ProviderDetails }) {
  const t = texts().providers
  const elsewhere = item.callsElsewhere && sentenceOf(item.callsElsewhere)
  const calls = item.calls ?? (item.lastCall ? [item.lastCall] : [])
  const columns: Column<ProviderCall>[] = [
    { name: texts().audit.at, kind: 'wide', cell: ({ at }) => <Time at={at} form="short" /> },
    { name: texts().audit.result, cell: ({ result }) => <Badge tone={toneOfResult(result)}>{t.results[result] ?? result}</Badge> },
    { name: t.reason, kind: 'wide', cell: ({ reason }) => (reason ? t.reasons[reason] ?? reason : <span class="soft">–</span>) },
  ]
  return (
    <Card title={t.calls}>
      {item.accepted !== undefined && item.accepted !== null && (
        <p class="hint">{t.counted(count(item.accepted), count(item.refused ?? 0), count(item.ignored ?? 0))}</p>
      )}
      {elsewhere ? <Note><span lang={elsewhere.lang}>{elsewhere.text}</span></Note> : calls.length > 0
        ? <Table caption={t.calls} columns={columns} rows={calls} keyOf={({ at, result, reason }) => `${at} ${result} ${reason}`} />
        : <Empty title={t.callsEmpty}><p>{t.callsEmptyWhat}</p></Empty>}
    </Card>
  )
}

/** One provider: what to paste, whether its calls are accepted, and why not. */
export function ProviderScreen({ name }: { name: string }) {
  const t = texts().providers
  const { data, error, isLoading, again } = useAsk('show_provider', { provider: name }, EVERY)
  return (
    <Screen
      title={data?.title ?? name} back={<Link to={to.screen('providers')}>{t.back}</Link>}
      aside={data && <Badge tone={data.on ? 'good' : 'plain'}>{data.on ? t.on : t.off}</Badge>}
    >
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {data && (
        <div class="pair">
          <div>
            {!data.on && (
              <Card>
                <p>{t.off_what}</p>
                <CopyBlock text={`countersign provider add ${name}`} what={t.off} />
              </Card>
            )}
            {(data.on || data.lastCall) && <Calls item={data} />}
            {data.on && <Trial item={data} />}
          </div>
          <Address item={data} />
        </div>
      )}
    </Screen>
  )
}
