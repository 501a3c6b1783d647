import { fieldText, type Setting } from '../formats/settings.ts'
import { texts } from '../i18n/index.ts'
import { wordsOf } from './setting-words.ts'

/** A code after its letters. */
const SAMPLE = '7K3F9M2QXW4D8R5T'

/** Messages as the phone shows them before they are sent. */
function Messages({ lines, prefix, hasLanguages }: { lines: string[], prefix: string, hasLanguages: boolean }) {
  return (
    <span class="value">
      {lines.map((line) => {
        const [, language, template = line] = hasLanguages ? /^([^=]*)=(.*)$/.exec(line) ?? [] : []
        return (
          <span key={line} class="message-row">
            {language !== undefined && <span class="soft">{language} </span>}
            <span class="message" lang={language} dir="auto">{template.replaceAll('{code}', `${prefix}-${SAMPLE}`)}</span>
          </span>
        )
      })}
    </span>
  )
}

type Props = {
  setting: Setting
  value: unknown
  /** The letters of the app's codes, with which messages are drawn. Without them, a value stands as people type it. */
  prefix?: string
}

/** A setting's value as people read it. */
export function Value({ setting, value, prefix }: Props) {
  const { choices } = wordsOf(setting)
  const text = fieldText(value)
  if (text === '') return <span class="soft">{texts().apps.unset}</span>
  const words = choices[text]
  if (words !== undefined) return <>{words}</>
  if (prefix !== undefined && setting.path.startsWith('messageTemplate')) {
    return <Messages lines={text.split('\n')} prefix={prefix} hasLanguages={setting.kind === 'lines'} />
  }
  return <span class="value">{text.split('\n').map((line) => <code key={line}>{line}</code>)}</span>
}
