// Looks at an element in all of its states, languages and widths.

import assert from 'node:assert/strict'

import { devices } from 'playwright-core'

import { assertAccessible } from './axe.mjs'
import { readCode } from './codes.mjs'
import { fits, keep } from './page.mjs'

const { defaultBrowserType, ...PIXEL } = devices['Pixel 7']

/** The languages that the elements have texts in. */
const LANGUAGES = ['ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'pt']

/** Where the states are looked at: the options of a window, and the widths that it takes. */
const DEVICES = {
  desktop: { options: {}, widths: [1280, 320, 280] },
  phone: { options: PIXEL, widths: [412, 320, 280] },
}

/** A page's reason that takes several lines. */
export const REASON = 'This number already has an account. Please ask the people at the front desk about it.'

/** Each device in each language: name, attributes of `<html>`, options and widths. */
export const PLACES = Object.entries(DEVICES).flatMap(([device, { options, widths }]) => LANGUAGES.map((lang) => ({
  name: `${device}-${lang}`,
  html: `lang="${lang}"${lang === 'ar' ? ' dir="rtl"' : ''}`,
  options,
  widths,
})))

/** Looks at one element. Its height must depend on nothing but the width of its page. */
export class Looks {
  #one
  #place
  #heights

  /** `one` is a page with an element. */
  constructor(one, place) {
    this.#one = one
    this.#place = place
    this.#heights = place.widths.map(() => ({}))
  }

  /** Asserts that a state fits and is accessible, and that its code, if there is one, contains `content`. */
  async at(state, content) {
    const { element, page, code } = this.#one
    const { name, widths } = this.#place
    for (const [index, width] of widths.entries()) {
      await page.setViewportSize({ width, height: 900 })
      await fits(page)
      this.#heights[index][state] = await element.evaluate((element) => element.getBoundingClientRect().height)
      const what = `${name}-${width}-${state}`
      if (content) assert.equal(readCode(await code.screenshot(), what), content)
      await keep(page, what)
    }
    // The other languages differ only in their words.
    if (content || /-(ar|en)$/.test(name)) await assertAccessible(page, `${name}, ${state}`)
  }

  /** Asserts that all states had the same height, apart from some. */
  assertSteady(apart = /^$/) {
    const odd = this.#heights.flatMap((heights, index) => {
      const steady = Object.entries(heights).filter(([state]) => !apart.test(state)).map(([, height]) => height)
      return new Set(steady).size === 1 ? [] : [`${this.#place.widths[index]}: ${JSON.stringify(heights)}`]
    })
    assert.deepEqual(odd, [], this.#place.name)
  }
}
