import { fieldText, type Setting } from '../formats/settings.ts'
import { texts } from '../i18n/index.ts'
import { wordsOf } from './setting-words.ts'

/** A code with the letters that this page cannot know: the app's own may be others. */
const SAMPLE = 'CS-7K3F9M2QXW4D8R5T'

/** Messages as the phone shows them before they are sent. */
function Messages({ lines, hasLanguages }: { lines: string[], hasLanguages: boolean }) {
  return (
    <span class="value">
      {lines.map((line) => {
        const [, language, template = line] = hasLanguages ? /^([^=]*)=(.*)$/.exec(line) ?? [] : []
        return (
          <span key={line} class="message-row">
            {language !== undefined && <span class="soft">{language} </span>}
            <span class="message" lang={language} dir="auto">{template.replaceAll('{code}', SAMPLE)}</span>
          </span>
        )
      })}
    </span>
  )
}

/** A setting's value as people read it; a plain one as they type it. */
export function Value({ setting, value, isPlain = false }: { setting: Setting, value: unknown, isPlain?: boolean }) {
  const { choices } = wordsOf(setting)
  const text = fieldText(value)
  if (text === '') return <span class="soft">{texts().apps.unset}</span>
  const words = choices[text]
  if (words !== undefined) return <>{words}</>
  if (!isPlain && setting.path.startsWith('messageTemplate')) return <Messages lines={text.split('\n')} hasLanguages={setting.kind === 'lines'} />
  return <span class="value">{text.split('\n').map((line) => <code key={line}>{line}</code>)}</span>
}
