import { useEffect, useRef, useState } from 'preact/hooks'

import { ApiError, ask } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Choice, Lines, TextField } from '../components/field.tsx'
import { Failed } from '../components/notes.tsx'
import { change, fieldText, isSame, valueAt, type Setting } from '../formats/settings.ts'
import { texts } from '../i18n/index.ts'
import { Value } from './setting-value.tsx'
import { wordsOf } from './setting-words.ts'

type Props = { app: string, setting: Setting, seen: unknown, breaks: string, onClose: (isSaved: boolean) => void }

/** Another operator's value, and the choice between it and one's own. */
function Conflict({ setting, now, mine, onTheirs, onMine }: {
  setting: Setting, now: unknown, mine: string, onTheirs: () => void, onMine: () => void
}) {
  const t = texts().apps
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <div class="note warn conflict" role="alert" tabIndex={-1} ref={box}>
      <strong>{t.conflict}</strong>
      <p>{t.nothingChanged}</p>
      <dl class="facts">
        <div><dt>{t.conflictNow}</dt><dd><Value setting={setting} value={now} /></dd></div>
        <div><dt>{t.conflictYours}</dt><dd><Value setting={setting} value={mine === '' ? null : mine} /></dd></div>
      </dl>
      <div class="actions">
        <Button onClick={onTheirs}>{t.takeTheirs}</Button>
        <Button kind="danger" onClick={onMine}>{t.takeMine}</Button>
      </div>
    </div>
  )
}

function Input({ setting, text, onInput }: { setting: Setting, text: string, onInput: (text: string) => void }) {
  const t = texts().apps
  const { name, choices } = wordsOf(setting)
  switch (setting.kind) {
    case 'lines': return <Lines label={name} hasHiddenLabel hint={t.oneALine} value={text} onInput={onInput} />
    case 'choice':
    case 'switch': {
      const options = (setting.choices ?? ['true', 'false']).map((value): [string, string] => [value, choices[value] ?? value])
      return <Choice label={name} hasHiddenLabel value={text} options={options} onChange={onInput} />
    }
    default: return <TextField label={name} hasHiddenLabel value={text} onInput={onInput} isRequired={setting.off === undefined} />
  }
}

/**
 * Changes one setting. The value that the operator saw goes with the request: if it is another one by then, nothing changes, and
 * the operator chooses.
 */
export function SettingEditor({ app, setting, seen, breaks, onClose }: Props) {
  const t = texts()
  // The value at the time of the first click, since the list below is renewed.
  const [from, setFrom] = useState(seen)
  const [text, setText] = useState(fieldText(seen))
  const [theirs, setTheirs] = useState<{ now: unknown }>()
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus(), [])

  const save = async (base: unknown): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      // Additions to a list and removals hold beside those of others.
      if (setting.add !== undefined) {
        await ask('update_app', { app, settings: change(setting, text, base) })
      } else {
        const present = valueAt(await ask('show_app', { app }), setting.path)
        if (!isSame(present, base)) {
          setTheirs({ now: present })
          return
        }
        await ask('update_app', { app, settings: change(setting, text, base), seen: { [setting.path]: base ?? null } })
      }
      onClose(true)
    } catch (failure) {
      const known = failure instanceof ApiError ? failure : new ApiError('failed', String(failure))
      if (known.kind === 'refused' && known.now && setting.path in known.now) setTheirs({ now: known.now[setting.path] })
      else setError(known)
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: Event): void => {
    event.preventDefault()
    if (isBusy) return
    if (isSame(text, fieldText(from))) onClose(false)
    else void save(from)
  }
  const overrule = (): void => {
    const now = theirs?.now
    setTheirs(undefined)
    setFrom(now)
    void save(now)
  }
  return (
    <form class="editor" ref={form} onSubmit={submit} onKeyDown={(event) => { if (event.key === 'Escape') onClose(false) }}>
      <Input setting={setting} text={text} onInput={setText} />
      <p class="breaks"><strong>{t.apps.breaks}:</strong> {breaks}</p>
      {theirs && (
        <Conflict setting={setting} now={theirs.now} mine={text} onTheirs={() => onClose(false)} onMine={overrule} />
      )}
      {error && <Failed error={error} />}
      {!theirs && (
        <div class="actions">
          <Button type="submit" kind="main" disabled={isBusy}>{isBusy ? t.common.busy : t.common.save}</Button>
          <Button onClick={() => onClose(false)}>{t.common.cancel}</Button>
          {setting.group === 'quotas' && <Button kind="quiet" onClick={() => setText('default')}>{t.apps.defaultValue}</Button>}
          {setting.off !== undefined && setting.kind !== 'switch' && text !== '' && (
            <Button kind="quiet" onClick={() => setText('')}>{t.apps.remove}</Button>
          )}
        </div>
      )}
    </form>
  )
}
