import { useEffect, useState } from 'preact/hooks'

import { useChange } from '../api/use-change.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Choice, TextField } from '../components/field.tsx'
import { texts } from '../i18n/index.ts'
import { mayChange } from '../shell/facts.ts'

/** Milliseconds until a number is hidden again. */
const SHOWN_FOR = 60_000

type Props = { id: string, masked: string }

/** A masked number, which an operator may see for a minute with a reason. It stays in this component only. */
export function Reveal({ id, masked }: Props) {
  const t = texts().confirmations
  const [isAsking, setAsking] = useState(false)
  const [reason, setReason] = useState(t.reasons[0] ?? '')
  const [ownReason, setOwnReason] = useState('')
  const [number, setNumber] = useState<string>()
  const { make, isBusy, error, forget } = useChange('reveal_number')
  useEffect(() => {
    if (number === undefined) return undefined
    const timer = setTimeout(() => setNumber(undefined), SHOWN_FOR)
    return () => clearTimeout(timer)
  }, [number])

  const chosen = reason === '' ? ownReason.trim() : reason
  const show = async (): Promise<void> => {
    const answer = await make({ id, reason: chosen })
    if (answer === undefined) return
    setNumber(answer.phoneNumber)
    setAsking(false)
  }
  if (number !== undefined) {
    return (
      <span class="reveal">
        <strong class="number">{number}</strong>
        <Button kind="quiet" onClick={() => setNumber(undefined)}>{t.hide}</Button>
        <span class="hint" role="status">{t.revealed}</span>
      </span>
    )
  }
  const options = [...t.reasons.map((one) => [one, one]), ['', t.otherReason]] as [string, string][]
  return (
    <span class="reveal">
      <span class="number">{masked}</span>
      {mayChange() && <Button kind="quiet" onClick={() => { forget(); setAsking(true) }}>{t.reveal}</Button>}
      {isAsking && (
        <Dialog
          title={t.revealTitle} action={t.revealDo} isBusy={isBusy} isDisabled={chosen === ''} error={error}
          onDo={() => void show()} onClose={() => setAsking(false)}
        >
          <Choice label={t.reason} hint={t.reasonHint} value={reason} options={options} onChange={setReason} />
          {reason === '' && <TextField label={t.ownReason} value={ownReason} onInput={setOwnReason} isRequired />}
        </Dialog>
      )}
    </span>
  )
}
