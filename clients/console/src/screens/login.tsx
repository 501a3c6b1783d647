import { useState } from 'preact/hooks'

import type { LoginDetails } from '../api/types.ts'
import { LIVE, useAsk } from '../api/use-ask.ts'
import { useChange } from '../api/use-change.ts'
import { Badge, type Tone } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { CopyBlock, CopyLine } from '../components/copy.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Facts } from '../components/facts.tsx'
import { Link } from '../components/link.tsx'
import { Loading, NotLoaded, Note } from '../components/notes.tsx'
import { Card, Screen } from '../components/screen.tsx'
import { Time } from '../components/time.tsx'
import { Timeline } from '../components/timeline.tsx'
import { texts } from '../i18n/index.ts'
import { mayChange } from '../shell/facts.ts'
import { to } from '../shell/links.ts'
import { offers } from '../shell/offer.ts'
import { Delivery } from './delivery.tsx'
import { ListLink } from './list-link.tsx'
import { toneOfState } from './tones.ts'

/** The states that the server can still cancel. */
const UNDER_WAY = ['created', 'scanned', 'confirmed']

const RISKS: Record<string, Tone> = { clear: 'good', warn: 'warn', deny: 'bad' }

function side(client: LoginDetails['browser']): string | null {
  const parts = [client?.name, client?.place, client?.address].filter(Boolean)
  return parts.length === 0 ? null : parts.join(' · ')
}

/** The button that ends a login under way. */
function Cancel({ item, onDone }: { item: LoginDetails, onDone: () => void }) {
  const t = texts().logins
  const [isAsking, setAsking] = useState(false)
  const [isDone, setDone] = useState(false)
  const { make, isBusy, error, forget } = useChange('cancel_login')
  const cancel = async (): Promise<void> => {
    if (await make({ id: item.id }) === undefined) return
    setAsking(false)
    setDone(true)
    onDone()
  }
  return (
    <>
      {UNDER_WAY.includes(item.state) && (
        <div class="actions"><Button kind="danger" onClick={() => { forget(); setAsking(true) }}>{t.cancel}</Button></div>
      )}
      <div role="status">{isDone && <Note tone="good">{t.cancelDone}</Note>}</div>
      {isAsking && (
        <Dialog
          title={t.cancelTitle} action={t.cancel} leave={t.keep} isDangerous isBusy={isBusy} error={error}
          onDo={() => void cancel()} onClose={() => setAsking(false)}
        >
          <p>{t.cancelWhat}</p>
        </Dialog>
      )}
    </>
  )
}

function Details({ item, onDone }: { item: LoginDetails, onDone: () => void }) {
  const t = texts()
  return (
    <Card title={t.confirmations.facts}>
      <Facts facts={[
        [t.common.app, <Link to={to.app(item.app)}>{item.app}</Link>],
        [t.logins.user, item.publicUserId ? <CopyLine text={item.publicUserId} what={t.logins.user} /> : null],
        [t.logins.origin, item.origin ?? null],
        [t.logins.risk, item.risk ? <Badge tone={RISKS[item.risk] ?? 'plain'}>{t.logins.risks[item.risk] ?? item.risk}</Badge> : null],
        [t.logins.browser, side(item.browser)],
        [t.logins.phone, side(item.phone)],
        [t.confirmations.webhook, item.delivery ? <Delivery delivery={item.delivery} attempts={item.attempts ?? null} /> : null],
        [t.common.created, <Time at={item.createdAt} relative />],
        [t.common.expires, <Time at={item.expiresAt} />],
        [t.common.id, <CopyLine text={item.id} what={t.common.id} />],
      ]} />
      {mayChange() && offers('cancel_login') && <Cancel item={item} onDone={onDone} />}
    </Card>
  )
}

export function LoginScreen({ id }: { id: string }) {
  const t = texts()
  const { data, error, isLoading, again } = useAsk('show_login', { id }, LIVE)
  return (
    <Screen
      title={data?.publicUserId ?? t.logins.one} back={<ListLink screen="logins" words={t.confirmations.back} />}
      aside={data && <Badge tone={toneOfState(data.state)}>{t.logins.states[data.state] ?? data.state}</Badge>}
    >
      {isLoading && <Loading />}
      {error && data === undefined && <NotLoaded error={error} again={again} />}
      {data && (
        <div class="pair">
          <Card title={t.confirmations.story}><Timeline moments={data.timeline} label={t.confirmations.story} /></Card>
          <div>
            <Details item={data} onDone={again} />
            {data.curl && (
              <Card title={t.confirmations.curl}>
                <CopyBlock text={data.curl} what={t.confirmations.curl} />
                <p class="hint">{t.confirmations.curlNote}</p>
              </Card>
            )}
          </div>
        </div>
      )}
    </Screen>
  )
}
