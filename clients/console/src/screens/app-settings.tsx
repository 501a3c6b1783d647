import { useEffect, useRef, useState } from 'preact/hooks'

import type { App } from '../api/types.ts'
import { Button } from '../components/button.tsx'
import { Note } from '../components/notes.tsx'
import { Card } from '../components/screen.tsx'
import { fieldText, GROUPS, SETTINGS, valueAt, type Setting } from '../formats/settings.ts'
import { texts } from '../i18n/index.ts'
import { mayChange } from '../shell/facts.ts'
import { offers } from '../shell/offer.ts'
import { CheckLinkHost } from './link-host-check.tsx'
import { SettingEditor } from './setting-editor.tsx'
import { Value } from './setting-value.tsx'
import { wordsOf } from './setting-words.ts'

type RowProps = { app: App, setting: Setting, isOpen: boolean, isSaved: boolean, onOpen: () => void, onClose: (isSaved: boolean) => void }

function Row({ app, setting, isOpen, isSaved, onOpen, onClose }: RowProps) {
  const t = texts().apps
  const { name, what, breaks } = wordsOf(setting)
  const value = valueAt(app, setting.path)
  const row = useRef<HTMLLIElement>(null)
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    // The field that had the focus is gone.
    if (wasOpen.current && !isOpen) row.current?.querySelector('button')?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return (
    <li class="setting" ref={row}>
      <div class="setting-words">
        <h3>{name}</h3>
        {(setting.group !== 'quotas' || isOpen) && <p class="hint">{what}</p>}
      </div>
      {isOpen
        ? <SettingEditor app={app.app} setting={setting} seen={value} breaks={breaks} onClose={onClose} />
        : <p class="setting-value"><Value setting={setting} value={value} prefix={fieldText(valueAt(app, 'codePrefix'))} /></p>}
      {mayChange() && !isOpen && <Button kind="quiet" label={t.changeOf(name)} onClick={onOpen}>{t.change}</Button>}
      <div class="setting-saved" role="status">{isSaved && !isOpen && <Note tone="good">{t.saved}</Note>}</div>
    </li>
  )
}

/** Every setting of an app, in groups. One is changed at a time, so that operators who change different ones never meet. */
export function SettingsPart({ app, onSaved }: { app: App, onSaved: () => void }) {
  const t = texts()
  const [open, setOpen] = useState<string>()
  const [saved, setSaved] = useState<string>()
  return (
    <>
      {GROUPS.map((group) => (
        <Card key={group} title={t.groups[group]}>
          <ul class="settings">
            {SETTINGS.filter((setting) => setting.group === group).map((setting) => (
              <Row
                key={setting.path} app={app} setting={setting} isOpen={open === setting.path} isSaved={saved === setting.path}
                onOpen={() => { setSaved(undefined); setOpen(setting.path) }}
                onClose={(isSaved) => {
                  setOpen(undefined)
                  setSaved(isSaved ? setting.path : undefined)
                  if (isSaved) onSaved()
                }}
              />
            ))}
          </ul>
          {group === 'links' && offers('check_link_host') && valueAt(app, 'login.linkHost') !== null && <CheckLinkHost app={app.app} />}
        </Card>
      ))}
    </>
  )
}
