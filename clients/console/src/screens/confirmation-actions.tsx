import { useState } from 'preact/hooks'

import type { ConfirmationDetails } from '../api/types.ts'
import { useChange } from '../api/use-change.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Note } from '../components/notes.tsx'
import { texts } from '../i18n/index.ts'
import { mayChange } from '../shell/facts.ts'

type Name = 'redeliver_webhook' | 'cancel_confirmation' | 'redact_confirmation'

type Words = { button: string, title: string, what: string, action: string, done: string, isDangerous: boolean, leave?: string }

function words(name: Name, item: ConfirmationDetails): Words {
  const t = texts().confirmations
  switch (name) {
    case 'redeliver_webhook': return {
      button: t.redeliver, title: t.redeliverTitle, what: t.redeliverWhat(item.callbackUrl ?? ''), action: t.redeliver, done: t.redeliverDone,
      isDangerous: false,
    }
    case 'cancel_confirmation': return {
      button: t.cancel, title: t.cancelTitle, what: t.cancelWhat, action: t.cancel, done: t.cancelDone, isDangerous: true, leave: t.keep,
    }
    case 'redact_confirmation': return {
      button: t.redact, title: t.redactTitle, what: t.redactWhat, action: t.redactDo, done: t.redactDone, isDangerous: true,
    }
  }
}

/** Returns what may be done with a confirmation in its state. The server decides. */
export function actionsOf(item: Pick<ConfirmationDetails, 'state' | 'delivery' | 'redactedAt'>): Name[] {
  const isRedacted = Boolean(item.redactedAt)
  const names: Name[] = []
  if (item.state === 'verified' && !isRedacted) names.push('redeliver_webhook')
  if (item.state === 'open') names.push('cancel_confirmation')
  if (item.state !== 'open' && !isRedacted && item.delivery !== 'pending') names.push('redact_confirmation')
  return names
}

function Action({ name, item, onDone }: { name: Name, item: ConfirmationDetails, onDone: (sentence: string) => void }) {
  const t = words(name, item)
  const [isAsking, setAsking] = useState(false)
  const { make, isBusy, error, forget } = useChange(name)
  const act = async (): Promise<void> => {
    if (await make({ id: item.id }) === undefined) return
    setAsking(false)
    onDone(t.done)
  }
  return (
    <>
      <Button kind={t.isDangerous ? 'danger' : 'main'} onClick={() => { forget(); setAsking(true) }}>{t.button}</Button>
      {isAsking && (
        <Dialog
          title={t.title} action={t.action} isDangerous={t.isDangerous} isBusy={isBusy} error={error} {...(t.leave === undefined ? {} : { leave: t.leave })}
          onDo={() => void act()} onClose={() => setAsking(false)}
        >
          <p>{t.what}</p>
        </Dialog>
      )}
    </>
  )
}

/** The buttons of a confirmation, without those that its state or the console's mode refuses. */
export function Actions({ item, onDone }: { item: ConfirmationDetails, onDone: () => void }) {
  const [sentence, setSentence] = useState('')
  if (!mayChange()) return null
  const done = (words: string): void => {
    setSentence(words)
    onDone()
  }
  return (
    <>
      <div class="actions">
        {actionsOf(item).map((name) => <Action key={name} name={name} item={item} onDone={done} />)}
      </div>
      <div role="status">{sentence !== '' && <Note tone="good">{sentence}</Note>}</div>
    </>
  )
}
