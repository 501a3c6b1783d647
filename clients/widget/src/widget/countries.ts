import { CALLING_CODES } from '../calling-codes.ts'
import { digitsOf } from '../digits.ts'
import { nameOf } from '../languages.ts'

/** A country that has phone numbers. */
interface Country {
  /** Two letters (ISO 3166-1). */
  readonly region: string
  readonly code: string
}

/** Countries with the same calling code are adjacent, the main one first. */
const COUNTRIES: readonly Country[] = CALLING_CODES.split(' ').flatMap((line) => {
  const code = parseInt(line).toString()
  return (line.match(/[A-Z]{2}/g) ?? []).map((region) => ({ region, code }))
})

/** Returns the countries with their names and calling codes, in the sort order of a language. */
export function listCountries(language: string): Option[] {
  const named = COUNTRIES.map(({ region, code }): Option => ({ region, text: `${nameOf(region, language) ?? region} (\u200e+${code})` }))
  return named.sort((one, other) => one.text.localeCompare(other.text, language || undefined))
}

/** A choice in the list of countries. */
export interface Option {
  readonly region: string
  readonly text: string
}

/**
 * Returns the probable country of a user's number, based on their languages, the most important first; empty if
 * unknown.
 */
export function countryOf(languages: readonly string[]): string {
  for (const complete of [false, true]) {
    for (const tag of languages) {
      const region = regionOf(tag, complete)
      if (COUNTRIES.some((country) => country.region === region)) return region
    }
  }
  return ''
}

/** Returns the region in a language tag, or the one where the language is mostly spoken; empty if there is none. */
function regionOf(tag: string, complete: boolean): string {
  try {
    const locale = new Intl.Locale(tag)
    return (complete ? locale.maximize() : locale).region ?? ''
  } catch {
    // The page may write anything into `lang`.
    return ''
  }
}

/**
 * Returns the country of a number in international format, preferably this one; `null` if the number has another
 * format.
 */
export function countryOfNumber(number: string, preferred: string): string | null {
  if (!/^[^\p{Nd}]*[+＋]/u.test(number)) return null
  const digits = digitsOf(number)
  const same = COUNTRIES.filter(({ code }) => digits.startsWith(code))
  return (same.find(({ region }) => region === preferred) ?? same[0])?.region ?? null
}
