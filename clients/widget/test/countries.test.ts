import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { countryOf, countryOfNumber, listCountries } from '../src/widget/countries.ts'

describe('list of countries', () => {
  test('has each country once, with its name and its calling code', () => {
    const list = listCountries('de')
    assert.equal(new Set(list.map(({ region }) => region)).size, list.length)
    assert.ok(list.length > 240, `${list.length}`)
    const textOf = (region: string) => list.find((one) => one.region === region)?.text.replace('\u200e', '')
    assert.equal(textOf('DE'), 'Deutschland (+49)')
    assert.equal(textOf('CA'), 'Kanada (+1)')
    assert.equal(textOf('XK'), 'Kosovo (+383)')
    for (const { region, text } of list) assert.match(text, /^\S.* \(\u200e\+\d{1,3}\)$/, region)
  })

  test('is in the order of the language', () => {
    const names = (language: string) => listCountries(language).map(({ text }) => text)
    const german = names('de')
    assert.ok(german.findIndex((text) => text.startsWith('Österreich')) < german.findIndex((text) => text.startsWith('Pakistan')))
    const swedish = names('sv')
    assert.match(swedish.at(-1)!, /^Ö/)
    assert.equal(names('').length, german.length)
  })
})

describe('country', () => {
  test('is that of the first language with one, or where the first language is mostly spoken', () => {
    for (const [languages, country] of [
      [['de-AT', 'en-US'], 'AT'], [['de', 'en-GB'], 'GB'], [['de'], 'DE'], [['pt'], 'BR'], [['zh-Hant-HK'], 'HK'], [['es-419'], ''],
      [['es-419', 'es-MX'], 'MX'], [['', 'ja-JP'], 'JP'], [['no region', 'x-private', 'fr-CH'], 'CH'], [[], ''], [['de-AQ'], ''], [['en-UK'], 'GB'],
    ] as const) {
      assert.equal(countryOf(languages), country, languages.join())
    }
  })

  test('is that of a number in international form', () => {
    for (const [number, preferred, country] of [
      ['+49 151 12345678', 'AT', 'DE'], ['+1 416 555 0100', 'CA', 'CA'], ['+1 416 555 0100', 'DE', 'US'], ['＋４４ 7911', 'DE', 'GB'],
      ['\u202a+٤٩ ١٥١', 'US', 'DE'], ['tel:+33612345678', 'US', 'FR'], ['(+7) 701', 'KZ', 'KZ'], ['0151 12345678', 'AT', null],
      ['0049 151', 'AT', null], ['+', 'AT', null], ['+999', 'AT', null], ['', 'AT', null], ['12+49', 'AT', null],
    ] as const) {
      assert.equal(countryOfNumber(number, preferred), country, number)
    }
  })
})
