import type { ConfirmationDetails } from '../api/types.ts'
import { LIVE, useAsk } from '../api/use-ask.ts'
import { Badge } from '../components/badge.tsx'
import { CopyBlock, CopyLine } from '../components/copy.tsx'
import { Facts } from '../components/facts.tsx'
import { Link } from '../components/link.tsx'
import { Loading, NotLoaded } from '../components/notes.tsx'
import { Card, Screen } from '../components/screen.tsx'
import { Time } from '../components/time.tsx'
import { Timeline } from '../components/timeline.tsx'
import { texts } from '../i18n/index.ts'
import { to } from '../shell/links.ts'
import { hasScreen } from '../shell/offer.ts'
import { Actions } from './confirmation-actions.tsx'
import { Delivery } from './delivery.tsx'
import { ListLink } from './list-link.tsx'
import { Reveal } from './reveal.tsx'
import { toneOfState } from './tones.ts'

/** Why a confirmation is not verified, and what to tell the customer. */
function Why({ item }: { item: ConfirmationDetails }) {
  const t = texts().confirmations
  if (item.state !== 'open' && item.state !== 'expired') return null
  const { lastMiss } = item
  const own = lastMiss ? t.misses[lastMiss.code] : undefined
  const isOpen = item.state === 'open'
  const sentence = lastMiss ? own?.sentence ?? lastMiss.sentence : isOpen ? t.noMissOpen : t.noMissExpired
  const advice = lastMiss ? own?.advice ?? lastMiss.advice : isOpen ? t.noMissOpenTell : t.noMissExpiredTell
  return (
    <Card title={t.why}>
      <p class="sentence">{sentence}{lastMiss?.at && <span class="soft"> (<Time at={lastMiss.at} />)</span>}</p>
      <div class="tell">
        <h3>{t.tell}</h3>
        <p>{advice}</p>
        {!lastMiss && !isOpen && hasScreen('providers') && <p><Link to={to.screen('providers')}>{t.providers}</Link></p>}
      </div>
    </Card>
  )
}

function Metadata({ item }: { item: ConfirmationDetails }) {
  const t = texts().confirmations
  if (item.redactedAt) return <>{t.redacted} (<Time at={item.redactedAt} />)</>
  const isEmpty = item.metadata === undefined || item.metadata === null || JSON.stringify(item.metadata) === '{}'
  if (isEmpty) return <span class="soft">{t.noMetadata}</span>
  const text = typeof item.metadata === 'string' ? item.metadata : JSON.stringify(item.metadata, null, 2)
  return <pre tabIndex={0} role="region" aria-label={t.metadata} class="metadata">{text}</pre>
}

function Details({ item }: { item: ConfirmationDetails }) {
  const t = texts()
  const number = item.redactedAt
    ? <span class="soft">{t.confirmations.redacted}</span>
    : item.number
      ? <Reveal id={item.id} masked={item.number} />
      : <span class="soft">{item.state === 'open' ? t.confirmations.noNumber : t.confirmations.neverNumber}</span>
  return (
    <Facts facts={[
      [t.confirmations.number, number],
      [t.common.app, <Link to={to.app(item.app)}>{item.app}</Link>],
      [t.confirmations.flow, t.confirmations.flows[item.flow] ?? item.flow],
      [t.confirmations.webhook, <Delivery delivery={item.delivery ?? null} attempts={item.attempts ?? null} />],
      [t.confirmations.callback, item.callbackUrl ? <code>{item.callbackUrl}</code> : null],
      [t.common.created, <Time at={item.createdAt} relative />],
      [t.common.expires, <Time at={item.expiresAt} relative={item.state === 'open'} />],
      [t.confirmations.metadata, <Metadata item={item} />],
      [t.common.id, <CopyLine text={item.id} what={t.common.id} />],
    ]} />
  )
}

/** One confirmation: its story, why it is not verified, and what can be done. */
export function ConfirmationScreen({ id }: { id: string }) {
  const t = texts()
  const { data, error, isLoading, again } = useAsk('show_confirmation', { id }, LIVE)
  const title = data?.number ?? t.confirmations.one
  return (
    <Screen
      title={title} back={<ListLink screen="confirmations" words={t.confirmations.back} />}
      aside={data && (
        <span class="badges">
          <Badge tone={toneOfState(data.state)}>{t.confirmations.states[data.state] ?? data.state}</Badge>
          {data.test && <span title={t.confirmations.testNote}><Badge tone="warn">{t.common.test}</Badge></span>}
        </span>
      )}
    >
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {data && (
        <div class="pair">
          <div>
            <Why item={data} />
            <Card title={t.confirmations.story}><Timeline moments={data.timeline} label={t.confirmations.story} /></Card>
          </div>
          <div>
            <Card title={t.confirmations.facts}>
              <Details item={data} />
              <Actions item={data} onDone={again} />
            </Card>
            <Card title={t.confirmations.curl}>
              <CopyBlock text={data.curl} what={t.confirmations.curl} />
              <p class="hint">{t.confirmations.curlNote}</p>
            </Card>
          </div>
        </div>
      )}
    </Screen>
  )
}
