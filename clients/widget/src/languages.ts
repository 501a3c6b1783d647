import { ARABIC } from './languages/ar.ts'
import { ENGLISH } from './languages/en.ts'
import { FRENCH } from './languages/fr.ts'
import { GERMAN } from './languages/de.ts'
import { ITALIAN } from './languages/it.ts'
import { JAPANESE } from './languages/ja.ts'
import { PORTUGUESE } from './languages/pt.ts'
import { SPANISH } from './languages/es.ts'
import type { Texts } from './texts.ts'

export const LANGUAGES = {
  ar: ARABIC,
  de: GERMAN,
  en: ENGLISH,
  es: SPANISH,
  fr: FRENCH,
  it: ITALIAN,
  ja: JAPANESE,
  pt: PORTUGUESE,
} satisfies Record<string, Texts>

/** The primary subtag of a language that the element has texts in. */
export type Language = keyof typeof LANGUAGES

/** The element's texts, and how they are written. */
export interface Wording {
  readonly texts: Readonly<Texts>
  /** The app's name; empty if the page does not give it. */
  readonly app: string
  /** The language of the texts; empty for the page's own. */
  readonly lang: Language | ''
  /** The direction of the texts; empty for the page's own. */
  readonly dir: 'ltr' | 'rtl' | ''
}

/**
 * Returns the texts in a language (a tag of BCP 47, such as `de-AT`), with the page's own texts in
 * place of some. Without texts in that language, they are English.
 */
export function wordingFor(tag: string, app: string, own: Readonly<Partial<Texts>>): Wording {
  const [primary = ''] = tag.toLowerCase().split('-')
  const lang = isLanguage(primary) ? primary : 'en'
  const wording = { app, texts: { ...LANGUAGES[lang], ...own } }
  // The page's own texts are in the page's language, whichever that is.
  if (Object.keys(own).length > 0) return { ...wording, lang: '', dir: '' }
  return { ...wording, lang, dir: lang === 'ar' ? 'rtl' : 'ltr' }
}

function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text)
}

/** Returns the language of an element: its own `lang` or that of the nearest one around it. */
export function languageOf(element: Element): string {
  for (let around: Element | null = element; around; around = outer(around)) {
    const tag = around.getAttribute('lang')
    if (tag !== null) return tag
  }
  return ''
}

/** Returns the element around another, across shadow roots. */
function outer(element: Element): Element | null {
  const root = element.getRootNode()
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null)
}

/** The texts that replace others if the app has a name. */
const NAMED: { readonly [Name in keyof Texts]?: keyof Texts } = {
  scan: 'scanWith',
  onThisPhone: 'onThisPhoneWith',
  openApp: 'openNamedApp',
}

/** Returns one of the texts, with the app's name where there is one. */
export function textOf({ app, texts }: Wording, name: keyof Texts): string {
  const other = app ? NAMED[name] : undefined
  // Isolated, so that a name in another direction leaves the words around it in order.
  return other ? texts[other].replace('{app}', () => `\u2068${app}\u2069`) : texts[name]
}
