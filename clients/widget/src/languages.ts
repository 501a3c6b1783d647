import { login, phone } from './english.ts'
import type { Words } from './texts.ts'

/** The script of `<countersign-setup>` adds the texts of that element. */
export const ENGLISH = { login, phone } as { -readonly [Kind in keyof Words]: Words[Kind] }

/** The other languages, each in its own file. Bundlers find the files only by literal paths. */
const OTHERS = {
  ar: () => import('./widget/ar.js'),
  de: () => import('./widget/de.js'),
  es: () => import('./widget/es.js'),
  fr: () => import('./widget/fr.js'),
  it: () => import('./widget/it.js'),
  ja: () => import('./widget/ja.js'),
  pt: () => import('./widget/pt.js'),
} satisfies Record<string, () => Promise<Words>>

/** The primary subtag of a language in which the elements have texts. */
export type Language = keyof typeof OTHERS | 'en'

/** The languages loaded so far. A language that failed to load has English texts. */
const loaded: Partial<Record<Language, Words>> = { en: ENGLISH }

/** Returns the texts in a language; `null` until they are loaded. */
export function wordsIn(language: Language): Words | null {
  return loaded[language] ?? null
}

/** Loads the texts in a language. Without them, the elements use English. */
export async function load(language: Language): Promise<void> {
  if (language !== 'en') loaded[language] ??= await OTHERS[language]().catch(() => ENGLISH)
}

/** An element's texts, with their language and direction. */
export interface Wording<Own> {
  readonly texts: Readonly<Own>
  /** The language of the texts; empty for the page's own. */
  readonly lang: Language | ''
  /** The direction of the texts; empty for the page's own. */
  readonly dir: 'ltr' | 'rtl' | ''
}

/** Returns the language to use for a BCP 47 tag such as `de-AT`; English if there are no texts for it. */
export function languageFor(tag: string): Language {
  const [primary = ''] = tag.toLowerCase().split('-')
  return Object.hasOwn(OTHERS, primary) ? primary as Language : 'en'
}

/**
 * Returns an element's texts in a language, some of them replaced by the page's own; `null` until they are loaded.
 */
export function wordingIn<Kind extends keyof Words>(
  language: Language,
  kind: Kind,
  own: Readonly<Partial<Words[Kind]>>,
): Wording<Words[Kind]> | null {
  const words = wordsIn(language)
  if (!words) return null
  const texts = { ...words[kind], ...own }
  // The page's own texts are in the page's language, whatever it is.
  if (Object.keys(own).length > 0) return { texts, lang: '', dir: '' }
  const lang = words === ENGLISH ? 'en' : language
  return { texts, lang, dir: lang === 'ar' ? 'rtl' : 'ltr' }
}

/** Returns an element's language: its own `lang` or that of the nearest ancestor with one. */
export function languageOf(element: Element): string {
  for (let around: Element | null = element; around; around = outer(around)) {
    const tag = around.getAttribute('lang')
    if (tag !== null) return tag
  }
  return ''
}

/** Returns the name of a country in a language, if the browser knows it. */
export function nameOf(country: string, language: string): string | undefined {
  try {
    return new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }).of(country)
  } catch {
    return undefined
  }
}

/** Returns an element's parent, across shadow roots. */
function outer(element: Element): Element | null {
  const root = element.getRootNode()
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null)
}

/** Inserts a value for `{name}`, isolated so that its direction does not affect the surrounding words. */
export function fill(text: string, name: string, value: string): string {
  return text.replace(`{${name}}`, () => `\u2068${value}\u2069`)
}

/** Texts that replace other texts. */
export type Instead<Own> = { readonly [Name in keyof Own]?: keyof Own }

/** Returns a text, or that from `named` with the app's name, if there is one. */
export function textOf<Own extends Record<keyof Own, string>>(
  texts: Readonly<Own>,
  app: string,
  name: keyof Own,
  named: Instead<Own>,
): string {
  const other = app ? named[name] : undefined
  return other ? fill(texts[other], 'app', app) : texts[name]
}
