import type { PhoneTexts, Texts } from './texts.js';
/** The texts of both elements in one language. */
export interface Words {
    readonly login: Readonly<Texts>;
    readonly phone: Readonly<PhoneTexts>;
}
export declare const ENGLISH: Words;
/** The other languages, each in its own file. Bundlers find the files only by literal paths. */
declare const OTHERS: {
    ar: () => Promise<typeof import("./widget/ar.js")>;
    de: () => Promise<typeof import("./widget/de.js")>;
    es: () => Promise<typeof import("./widget/es.js")>;
    fr: () => Promise<typeof import("./widget/fr.js")>;
    it: () => Promise<typeof import("./widget/it.js")>;
    ja: () => Promise<typeof import("./widget/ja.js")>;
    pt: () => Promise<typeof import("./widget/pt.js")>;
};
/** The primary subtag of a language that the elements have texts in. */
export type Language = keyof typeof OTHERS | 'en';
/** Returns the texts in a language; `null` until they are loaded. */
export declare function wordsIn(language: Language): Words | null;
/** Loads the texts in a language. Without them the elements speak English. */
export declare function load(language: Language): Promise<void>;
/** An element's texts, and how they are written. */
export interface Wording<Own> {
    readonly texts: Readonly<Own>;
    /** The language of the texts; empty for the page's own. */
    readonly lang: Language | '';
    /** The direction of the texts; empty for the page's own. */
    readonly dir: 'ltr' | 'rtl' | '';
}
/** Returns the language with texts for a tag of BCP 47, such as `de-AT`; English if there is none. */
export declare function languageFor(tag: string): Language;
/** Returns an element's texts in a language, with the page's own in place of some; `null` until they are loaded. */
export declare function wordingIn<Kind extends keyof Words>(language: Language, kind: Kind, own: Readonly<Partial<Words[Kind]>>): Wording<Words[Kind]> | null;
/** Returns the language of an element: its own `lang` or that of the nearest one around it. */
export declare function languageOf(element: Element): string;
/** Puts a value in place of `{name}`, isolated so that another direction leaves the words around it in order. */
export declare function fill(text: string, name: string, value: string): string;
/** Returns one of the login's texts, with the app's name where there is one. */
export declare function textOf(texts: Readonly<Texts>, app: string, name: keyof Texts): string;
export {};
