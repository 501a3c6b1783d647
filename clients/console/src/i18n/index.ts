import { keep, kept } from '../shell/kept.ts'
import { Store } from '../shell/store.ts'
import { de } from './de/index.ts'
import { en, type Texts } from './en/index.ts'

export type Language = 'en' | 'de'

const NAME = 'countersign-console-language'
const ALL: Record<Language, Texts> = { en, de }

function start(): Language {
  const before = kept(NAME)
  if (before === 'en' || before === 'de') return before
  const wanted = typeof navigator === 'undefined' ? 'en' : navigator.language
  return wanted.startsWith('de') ? 'de' : 'en'
}

export const language = new Store<Language>(start())

/** Returns the texts in the language that the operator chose. */
export function texts(): Texts {
  return ALL[language.value]
}

export function chooseLanguage(name: Language): void {
  language.set(name)
  keep(NAME, name)
}
