import { useState } from 'preact/hooks'

import { useChange } from '../api/use-change.ts'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { Failed } from '../components/notes.tsx'
import { texts } from '../i18n/index.ts'

type Check = { name: string, ok: boolean, sentence: string }

/** Checks an app's link host as a phone sees it. It changes nothing, so readers have it too. */
export function LinkHostCheck({ app }: { app: string }) {
  const t = texts().apps
  const [checks, setChecks] = useState<Check[]>()
  const { make, isBusy, error } = useChange('check_link_host')
  const run = async (): Promise<void> => setChecks((await make({ app }))?.checks)
  return (
    <div class="host-check">
      <p class="hint">{t.hostCheckLead}</p>
      <div class="actions"><Button disabled={isBusy} onClick={() => void run()}>{isBusy ? texts().common.busy : t.hostCheck}</Button></div>
      {error && <Failed error={error} />}
      <div role="status">
        {checks && (
          <ul class="checks">
            {checks.map(({ name, ok, sentence }) => (
              <li key={name}><strong>{name}</strong> <Badge tone={ok ? 'good' : 'bad'}>{ok ? t.hostGood : t.hostBad}</Badge> {sentence}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}
