import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, test } from 'node:test'

import { setup } from '../src/english-setup.ts'
import {
  ENGLISH, fill, languageFor, load, textOf, wordingIn, wordsIn, type Language,
} from '../src/languages.ts'
import type { Texts, Words } from '../src/texts.ts'

const LANGUAGES = ['ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'pt'] as const
await Promise.all(LANGUAGES.map(load))

const wordsOf = (language: Language) => wordsIn(language) as Words
const kinds = ['login', 'phone', 'setup'] as const
ENGLISH.setup = setup
/** The texts of one element in a language, by name. */
const textsOf = (language: Language, kind: keyof Words) => wordsOf(language)[kind] as unknown as Record<string, string>

describe('every language', () => {
  test('has a file', () => {
    const files = readdirSync('src/widget').map((file) => file.replace(/\.ts$/, '')).filter((name) => name !== 'countries' && name !== 'setup')
    assert.deepEqual([...files, 'en'].sort(), [...LANGUAGES])
  })

  for (const kind of kinds) {
    const english = textsOf('en', kind)
    const names = Object.keys(english)
    for (const language of LANGUAGES) {
      const texts = textsOf(language, kind)

      test(`has all texts: ${language}, ${kind}`, () => {
        assert.deepEqual(Object.keys(texts), names)
        for (const name of names) {
          assert.match(texts[name]!, /^\S.*\S$/, name)
          assert.equal(texts[name], texts[name]!.normalize('NFC'), name)
        }
      })

      test(`has places for values where English does, and nowhere else: ${language}, ${kind}`, () => {
        for (const name of names) {
          const places = (text: string) => text.match(/\{[^}]*\}?/g) ?? []
          assert.deepEqual(places(texts[name]!), places(english[name]!), name)
        }
      })

      test(`has words of its own: ${language}, ${kind}`, () => {
        for (const other of LANGUAGES) {
          const those = textsOf(other, kind)
          const same = names.filter((name) => name !== 'openNamedApp' && texts[name] === those[name])
          if (other !== language) assert.ok(same.length <= 2, `${other}: ${same.join(', ')}`)
        }
      })

      test(`uses its own script: ${language}, ${kind}`, () => {
        const script = { ar: /\p{Script=Arabic}/u, ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u }
        const own = language in script ? script[language as keyof typeof script] : /\p{Script=Latin}/u
        for (const name of names) assert.match(texts[name]!, own, name)
      })
    }
  }
})

describe('language', () => {
  test('is that of the first subtag, in any case', () => {
    for (const [tag, lang] of [
      ['de', 'de'], ['de-AT', 'de'], ['PT-br', 'pt'], ['ja-Jpan-JP', 'ja'], ['ar-EG', 'ar'], ['en-GB', 'en'],
    ]) {
      assert.equal(languageFor(tag!), lang, tag)
    }
  })

  test('is English if there are no texts', () => {
    for (const tag of ['', 'nl', 'zh-Hant', 'constructor', 'deu', 'x-de', '-de', 'toString']) {
      assert.equal(languageFor(tag), 'en', tag)
    }
    assert.equal(wordingIn('en', 'login', {})?.texts.again, 'Try again')
  })

  test('is written from right to left if it is Arabic', () => {
    for (const language of LANGUAGES) {
      assert.equal(wordingIn(language, 'phone', {})?.dir, language === 'ar' ? 'rtl' : 'ltr')
    }
  })

  test('and the direction are the page\'s own once the page sets texts', () => {
    const wording = wordingIn('fr', 'login', { scan: 'Scan' })
    assert.deepEqual(
      [wording?.lang, wording?.dir, wording?.texts.scan, wording?.texts.again],
      ['', '', 'Scan', 'Réessayer'],
    )
  })
})

/** The texts of the login with the app's name. */
const NAMED = { scan: 'scanWith', onThisPhone: 'onThisPhoneWith', openApp: 'openNamedApp' } as const

test('texts for the camera name no app', () => {
  const app = /\bapp\b|\bapplication|aplica|تطبيق|アプリ/i
  for (const language of LANGUAGES) {
    const texts = textsOf(language, 'login')
    assert.match(texts['stepOpen']!, app, language)
    const camera = Object.entries(texts).filter(([name]) => name.startsWith('camera'))
    assert.equal(camera.length, 10)
    for (const [name, text] of camera) assert.doesNotMatch(text, app, `${language}: ${name}`)
  }
})

describe('name of the app', () => {
  test('is in the texts that lead to the app', () => {
    const text = (name: keyof Texts) => textOf(wordsOf('de').login, 'Laden', name, NAMED)
    assert.equal(text('scan'), 'Scannen Sie diesen Code mit der App \u2068Laden\u2069')
    assert.equal(text('onThisPhone'), 'Mit der App \u2068Laden\u2069 auf diesem Smartphone anmelden')
    assert.equal(text('openApp'), '\u2068Laden\u2069 öffnen')
    assert.equal(text('again'), 'Erneut versuchen')
  })

  test('is taken literally', () => {
    assert.equal(fill('Open {app}', 'app', '$& {app}'), 'Open \u2068$& {app}\u2069')
  })

  test('is in no text without a name', () => {
    for (const language of LANGUAGES) {
      const texts = wordsOf(language).login
      for (const name of ['scan', 'onThisPhone', 'openApp'] as const) {
        assert.equal(textOf(texts, '', name, NAMED), texts[name])
        assert.doesNotMatch(textOf(texts, '', name, NAMED), /[{}\u2068]/)
      }
    }
  })
})
