import { useState } from 'preact/hooks'

import type { App, Redelivered, TestWebhookResult } from '../api/types.ts'
import { useChange } from '../api/use-change.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Choice, TextField } from '../components/field.tsx'
import { Link } from '../components/link.tsx'
import { Failed, Note } from '../components/notes.tsx'
import { Once } from '../components/once.tsx'
import { Card } from '../components/screen.tsx'
import { count } from '../formats/numbers.ts'
import { fieldText } from '../formats/settings.ts'
import { inZone } from '../formats/time.ts'
import { texts } from '../i18n/index.ts'
import { mayChange } from '../shell/facts.ts'
import { to } from '../shell/links.ts'
import { offers } from '../shell/offer.ts'
import { Receivers } from './app-receivers.tsx'

type Step = 'rotate_webhook_secret' | 'retire_webhook_secret'

/** The secret that signs an app's webhooks: rotate, tell the receiver, retire. */
function Secret({ app, onChanged }: { app: App, onChanged: () => void }) {
  const t = texts().apps
  const [asked, setAsked] = useState<Step>()
  const [secret, setSecret] = useState<string>()
  const [isRetired, setRetired] = useState(false)
  const rotate = useChange('rotate_webhook_secret')
  const retire = useChange('retire_webhook_secret')
  const inForce = app.webhookSecrets
  const doRotate = async (): Promise<void> => {
    const answer = await rotate.make({ app: app.app })
    if (answer === undefined) return
    setSecret(answer.webhookSecrets[0])
    setAsked(undefined)
    onChanged()
  }
  const doRetire = async (): Promise<void> => {
    if (await retire.make({ app: app.app }) === undefined) return
    setRetired(true)
    setAsked(undefined)
    onChanged()
  }
  const ask = (step: Step): void => {
    rotate.forget()
    retire.forget()
    setRetired(false)
    setAsked(step)
  }
  return (
    <Card title={t.secretTitle}>
      <p class="hint">{t.secretLead}</p>
      {inForce !== undefined && <Note tone={inForce > 1 ? 'warn' : 'calm'}>{inForce > 1 ? t.secretTwo : t.secretOne}</Note>}
      {secret !== undefined && <Once title={t.newSecret} what={t.newSecretWhat} secret={secret} onClose={() => setSecret(undefined)} />}
      <div role="status">{isRetired && <Note tone="good">{t.retireDone}</Note>}</div>
      {mayChange() && (
        <div class="actions">
          {(inForce === undefined || inForce < 2) && <Button onClick={() => ask('rotate_webhook_secret')}>{t.rotate}</Button>}
          {(inForce === undefined || inForce > 1) && <Button kind="danger" onClick={() => ask('retire_webhook_secret')}>{t.retire}</Button>}
        </div>
      )}
      {asked === 'rotate_webhook_secret' && (
        <Dialog
          title={t.rotateTitle} action={t.rotateDo} isBusy={rotate.isBusy} error={rotate.error}
          onDo={() => void doRotate()} onClose={() => setAsked(undefined)}
        >
          <p>{t.rotateWhat}</p>
        </Dialog>
      )}
      {asked === 'retire_webhook_secret' && (
        <Dialog
          title={t.retireTitle} action={t.retire} isDangerous isBusy={retire.isBusy} error={retire.error}
          onDo={() => void doRetire()} onClose={() => setAsked(undefined)}
        >
          <p>{t.retireWhat}</p>
        </Dialog>
      )}
    </Card>
  )
}

function Result({ result }: { result: TestWebhookResult }) {
  const t = texts().apps
  const { status, answer, failure, durationMs } = result
  if (!status) return <Note tone="bad">{t.testNone(t.failures[failure ?? ''] ?? failure ?? texts().common.unknown, durationMs)}</Note>
  const isWell = status >= 200 && status < 300
  // A receiver that looks the test's id up does not find it.
  const isUnknown = status === 404
  const words = isWell ? t.testWell : isUnknown ? t.testUnknown : t.testBad
  return (
    <>
      <Note tone={isWell ? 'good' : isUnknown ? 'calm' : 'bad'}>{words(status, durationMs)}</Note>
      {answer && <><h3>{t.testAnswer}</h3><pre class="answer">{answer}</pre></>}
    </>
  )
}

function Trial({ app }: { app: App }) {
  const t = texts().apps
  const [url, setUrl] = useState('')
  const [result, setResult] = useState<TestWebhookResult>()
  const { make, isBusy, error } = useChange('test_webhook')
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (isBusy) return
    setResult(undefined)
    setResult(await make({ app: app.app, ...(url.trim() === '' ? {} : { url: url.trim() }) }))
  }
  return (
    <Card title={t.test}>
      <p class="hint">{t.testLead}</p>
      {mayChange() && (
        <form class="search" onSubmit={(event) => void submit(event)}>
          <TextField type="url" label={t.testUrl} hint={t.testUrlHint} placeholder={fieldText(app['callbackUrl'])} value={url} onInput={setUrl} />
          <Button type="submit" kind="main" disabled={isBusy}>{isBusy ? texts().common.busy : t.testSend}</Button>
        </form>
      )}
      <div role="status">{result && <Result result={result} />}</div>
      {error && <Failed error={error} />}
    </Card>
  )
}

const HOURS = ['1', '24', '168']

/** Sends what failed since a time again, in a bounded number. */
function Resend({ app, onSent }: { app: App, onSent: () => void }) {
  const t = texts().apps
  const [hours, setHours] = useState('24')
  const [since, setSince] = useState<string>()
  const [result, setResult] = useState<Redelivered>()
  const { make, isBusy, error, forget } = useChange('redeliver_failed')
  const begin = (): void => {
    forget()
    setResult(undefined)
    setSince(new Date(Date.now() - Number(hours) * 3_600_000).toISOString())
  }
  const send = async (): Promise<void> => {
    const answer = await make({ app: app.app, since: since ?? '' })
    if (answer === undefined) return
    setResult(answer)
    setSince(undefined)
    onSent()
  }
  return (
    <Card title={t.failedTitle}>
      <p class="hint">{t.failedLead}</p>
      <p><Link to={to.confirmationsOf({ app: app.app, failed: '1' })}>{t.seeFailed}</Link></p>
      {mayChange() && (
        <div class="search">
          <Choice label={t.since} value={hours} options={HOURS.map((one): [string, string] => [one, t.sinces[one] ?? one])} onChange={setHours} />
          <Button onClick={begin}>{t.resend}</Button>
        </div>
      )}
      <div role="status">
        {result && (
          <Note tone={result.leftOut || result.complete === false ? 'warn' : 'good'}>
            {[
              t.resent(count(result.redelivered)),
              result.skipped ? t.resentSkipped(count(result.skipped)) : '',
              result.leftOut ? t.resentMore(count(result.leftOut)) : '',
              result.complete === false && !result.leftOut ? t.resentPart(count(result.examined ?? 0)) : '',
            ].join(' ')}
          </Note>
        )}
      </div>
      {since !== undefined && (
        <Dialog title={t.resendTitle} action={t.resend} isBusy={isBusy} error={error} onDo={() => void send()} onClose={() => setSince(undefined)}>
          <p>{t.resendWhat(app.app, inZone(since, 'minute'))}</p>
        </Dialog>
      )}
    </Card>
  )
}

export function WebhooksPart({ app, onChanged }: { app: App, onChanged: () => void }) {
  const [round, setRound] = useState(0)
  return (
    <>
      {offers('show_webhooks') && <Receivers key={round} app={app.app} />}
      {offers('test_webhook') && <Trial app={app} />}
      {offers('redeliver_failed') && <Resend app={app} onSent={() => setRound(round + 1)} />}
      <Secret app={app} onChanged={onChanged} />
    </>
  )
}
