// Texts that are shown on a screen: everything in them must be visible, with only one possible encoding. The rules are
// those of the service and the mobile SDK (`shared/domain`), with the Unicode version of the engine.

import { byteLength } from './bytes.ts'

const MAX_CONTEXT_BYTES = 1024
const MAX_CONTEXT_LINES = 12
const MAX_USER_CHARACTERS = 256

/** The user id for an unknown user. */
export const ANON = 'ANON'

/** Maximum number of marks on one letter. */
const MAX_MARKS = 8

/** Scripts that write words with joiners inside. */
const JOINED = [
  'Arabic', 'Bengali', 'Devanagari', 'Gujarati', 'Gurmukhi', 'Kannada', 'Khmer', 'Malayalam', 'Mongolian', 'Myanmar', 'Nko',
  'Oriya', 'Sinhala', 'Syriac', 'Tamil', 'Telugu', 'Tibetan',
]

/** Compiled when a text needs them, so that an engine without Unicode's properties can still load the package. */
let compiled: ReturnType<typeof patterns> | undefined
const unicode = () => (compiled ??= patterns())

function patterns() {
  const of = (source: string) => new RegExp(`^${source}$`, 'u')
  return {
    visible: of('(?!\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{N}\\p{P}\\p{S}]'),
    // Surrogates that belong to no pair are hidden, too.
    hidden: of('[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Co}\\p{Cn}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u{fffc}]'),
    ignorable: of('\\p{Default_Ignorable_Code_Point}'),
    mark: of('\\p{M}'),
    emoji: of('\\p{Emoji}'),
    pictogram: of('\\p{Extended_Pictographic}'),
    joined: JOINED.map((name) => of(`\\p{Script=${name}}`)),
    han: of('\\p{Script=Han}'),
    mongolian: of('\\p{Script=Mongolian}'),
    // Arabic number signs and the like, which are drawn although they are format characters.
    prepended: of('[\\u{600}-\\u{605}\\u{6dd}\\u{70f}\\u{890}\\u{891}\\u{8e2}\\u{110bd}\\u{110cd}]'),
    word: /[^\p{Alphabetic}\p{N}]+/u,
    latin: /\p{Script=Latin}/u,
    lookalike: /[\p{Script=Cyrillic}\p{Script=Greek}]/u,
  }
}

/** Returns whether a text can be what a user approves: up to 12 lines that look the same on every screen. */
export function isContext(text: string): boolean {
  const lines = text.split('\n')
  return byteLength(text) <= MAX_CONTEXT_BYTES && lines.length <= MAX_CONTEXT_LINES && showsSomething(text)
    && text === text.normalize('NFC') && lines.every(showsEverything)
}

/** Returns whether a text can be an app's id of a user. */
export function isUserId(text: string): boolean {
  const length = [...text].length
  return length >= 1 && length <= MAX_USER_CHARACTERS && showsSomething(text) && showsEverything(text) && !imitatesLatin(text)
}

function showsSomething(text: string): boolean {
  const { visible } = unicode()
  return [...text].some((c) => visible.test(c) && c !== '\u2800' && c !== '\u{1d159}')
}

/** Returns whether a person sees all of a line, in its order. */
function showsEverything(line: string): boolean {
  const { hidden, mark } = unicode()
  const characters = [...line]
  let marks = 0
  for (const [at, c] of characters.entries()) {
    if (hidden.test(c) && !isNeeded(characters, at)) return false
    marks = mark.test(c) ? marks + 1 : 0
    if (marks > MAX_MARKS || (marks > 0 && at === 0)) return false
  }
  return line === line.normalize('NFC')
}

/** Returns whether a word mixes Latin letters with Cyrillic or Greek ones, many of which look like them. */
function imitatesLatin(text: string): boolean {
  const { word, latin, lookalike } = unicode()
  return text.split(word).some((part) => latin.test(part) && lookalike.test(part))
}

/** Returns whether a hidden character changes the look of its neighbors, as its script or emoji requires. */
function isNeeded(characters: string[], at: number): boolean {
  const { pictogram, joined, emoji, han, mongolian, ignorable, prepended } = unicode()
  const [c = '', last, next] = [characters[at], characters[at - 1], characters[at + 1]]
  if (last === undefined) return prepended.test(c) && next !== undefined
  const point = c.codePointAt(0) ?? 0
  const isIn = (from: number, to: number) => point >= from && point <= to
  if (c === '\u200d' && isAfterPictogram(characters, at)) return next !== undefined && pictogram.test(next)
  if (c === '\u200c' || c === '\u200d') {
    return next !== undefined && joined.some((script) => script.test(last) && script.test(next))
  }
  // Text and emoji presentation.
  if (isIn(0xfe0e, 0xfe0f)) return (emoji.test(last) && last > '\u007f') || next === '\u20e3'
  // Variants of ideographs, and of Mongolian letters.
  if (isIn(0xfe00, 0xfe02) || isIn(0xe0100, 0xe01ef)) return han.test(last)
  if (isIn(0x180b, 0x180d) || point === 0x180f) return mongolian.test(last) && !ignorable.test(last)
  // The flags of England, Scotland and Wales.
  if (isIn(0xe0020, 0xe007f)) return isInFlag(characters, at)
  return prepended.test(c)
}

/** Returns whether a pictogram, possibly with its presentation or a skin color, comes before. */
function isAfterPictogram(characters: string[], at: number): boolean {
  const before = characters.slice(0, at).reverse()
  const base = before.find((c) => !/^[\ufe0f\u{1f3fb}-\u{1f3ff}]$/u.test(c))
  return base !== undefined && unicode().pictogram.test(base)
}

function isInFlag(characters: string[], at: number): boolean {
  const before = characters.slice(0, at).reverse()
  const base = before.findIndex((c) => !/^[\u{e0020}-\u{e007e}]$/u.test(c))
  const isEnd = characters[at] === '\u{e007f}'
  const goesOn = isEnd || /^[\u{e0020}-\u{e007f}]$/u.test(characters[at + 1] ?? '')
  return base >= 0 && before[base] === '\u{1f3f4}' && goesOn && base <= 6 && (!isEnd || base > 0)
}
