import { fieldText, type Setting } from '../formats/settings.ts'
import { texts } from '../i18n/index.ts'
import { wordsOf } from './setting-words.ts'

/** A setting's value as people read it. */
export function Value({ setting, value }: { setting: Setting, value: unknown }) {
  const { choices } = wordsOf(setting)
  const text = fieldText(value)
  if (text === '') return <span class="soft">{texts().apps.unset}</span>
  const words = choices[text]
  if (words !== undefined) return <>{words}</>
  return <span class="value">{text.split('\n').map((line) => <code key={line}>{line}</code>)}</span>
}
