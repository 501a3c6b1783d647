import { useState } from 'preact/hooks'

import type { LinkHostCheck } from '../api/types.ts'
import { useChange } from '../api/use-change.ts'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { Failed } from '../components/notes.tsx'
import { sentenceOf } from '../formats/sentences.ts'
import { texts } from '../i18n/index.ts'

/** Checks an app's link host as a phone sees it. It changes nothing, so readers have it too. */
export function CheckLinkHost({ app }: { app: string }) {
  const t = texts().apps
  const [checks, setChecks] = useState<LinkHostCheck[]>()
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
            {checks.map((check) => {
              const { text, lang } = sentenceOf(check)
              return (
                <li key={check.name}>
                  <strong>{texts().checkNames[check.name] ?? check.name}</strong>{' '}
                  <Badge tone={check.ok ? 'good' : 'bad'}>{check.ok ? t.hostGood : t.hostBad}</Badge> <span lang={lang}>{text}</span>
                </li>
              )
            })}
          </ul>
        )}
      </div>
    </div>
  )
}
