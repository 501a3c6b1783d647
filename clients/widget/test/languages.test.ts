import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, test } from 'node:test'

import { LANGUAGES, textOf, wordingFor, type Language } from '../src/languages.ts'
import type { Texts } from '../src/texts.ts'

const all = Object.entries(LANGUAGES) as [Language, Texts][]
const names = Object.keys(LANGUAGES.en) as (keyof Texts)[]

describe('every language', () => {
  test('has a file', () => {
    const files = readdirSync('src/languages').map((file) => file.replace(/\.ts$/, ''))
    assert.deepEqual(files.sort(), Object.keys(LANGUAGES).sort())
    assert.deepEqual(files.sort(), ['ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'pt'])
  })

  for (const [language, texts] of all) {
    test(`has all texts: ${language}`, () => {
      assert.deepEqual(Object.keys(texts).sort(), [...names].sort())
      for (const name of names) {
        assert.match(texts[name], /^\S.*\S$/, name)
        assert.equal(texts[name], texts[name].normalize('NFC'), name)
      }
    })

    test(`names the app where English does, and nowhere else: ${language}`, () => {
      for (const name of names) {
        const places = (text: string) => text.match(/\{[^}]*\}?/g) ?? []
        assert.deepEqual(places(texts[name]), places(LANGUAGES.en[name]), name)
      }
    })

    test(`has words of its own: ${language}`, () => {
      for (const [other, those] of all) {
        const same = names.filter((name) => name !== 'openNamedApp' && texts[name] === those[name])
        if (other !== language) assert.ok(same.length <= 2, `${other}: ${same.join(', ')}`)
      }
    })

    test(`uses its own script: ${language}`, () => {
      const script = { ar: /\p{Script=Arabic}/u, ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u }
      const own = language in script ? script[language as keyof typeof script] : /\p{Script=Latin}/u
      for (const name of names) assert.match(texts[name], own, name)
    })
  }
})

describe('language', () => {
  const chosen = (tag: string) => wordingFor(tag, '', {}).lang

  test('is that of the first subtag, in any case', () => {
    for (const [tag, lang] of [
      ['de', 'de'], ['de-AT', 'de'], ['PT-br', 'pt'], ['ja-Jpan-JP', 'ja'], ['ar-EG', 'ar'], ['en-GB', 'en'],
    ]) {
      assert.equal(chosen(tag!), lang, tag)
    }
  })

  test('is English if there are no texts', () => {
    for (const tag of ['', 'nl', 'zh-Hant', 'constructor', 'deu', 'x-de', '-de', 'toString']) {
      assert.equal(chosen(tag), 'en', tag)
      assert.equal(wordingFor(tag, '', {}).texts.again, 'Try again')
    }
  })

  test('is written from right to left if it is Arabic', () => {
    for (const [language] of all) {
      assert.equal(wordingFor(language, '', {}).dir, language === 'ar' ? 'rtl' : 'ltr')
    }
  })

  test('and the direction are the page\'s own once the page sets texts', () => {
    const { dir, lang, texts } = wordingFor('fr', '', { scan: 'Scan' })
    assert.deepEqual([lang, dir, texts.scan, texts.again], ['', '', 'Scan', 'Réessayer'])
  })
})

describe('name of the app', () => {
  test('is in the texts that lead to the app', () => {
    const wording = wordingFor('de', 'Laden', {})
    assert.equal(textOf(wording, 'scan'), 'Scannen Sie diesen Code mit der App \u2068Laden\u2069')
    assert.equal(textOf(wording, 'onThisPhone'), 'Mit der App \u2068Laden\u2069 auf diesem Smartphone anmelden')
    assert.equal(textOf(wording, 'openApp'), '\u2068Laden\u2069 öffnen')
    assert.equal(textOf(wording, 'again'), 'Erneut versuchen')
  })

  test('is taken literally', () => {
    assert.equal(textOf(wordingFor('en', '$& {app}', {}), 'openApp'), 'Open \u2068$& {app}\u2069')
  })

  test('is in no text without a name', () => {
    for (const [language] of all) {
      const wording = wordingFor(language, '', {})
      for (const name of ['scan', 'onThisPhone', 'openApp'] as const) {
        assert.equal(textOf(wording, name), wording.texts[name])
        assert.doesNotMatch(textOf(wording, name), /[{}\u2068]/)
      }
    }
  })
})
