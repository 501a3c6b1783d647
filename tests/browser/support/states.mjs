// Inspects an element in all of its states, languages and widths.

import assert from 'node:assert/strict'

import { devices } from 'playwright-core'

import { assertAccessible } from './axe.mjs'
import { readCode } from './codes.mjs'
import { keep, keeping } from './page.mjs'

const { defaultBrowserType, ...PIXEL } = devices['Pixel 7']

/**
 * The languages in which the elements have texts. When a test requests a state, the page has the first one.
 */
const LANGUAGES = ['en', 'ar', 'de', 'es', 'fr', 'it', 'ja', 'pt']

/** The languages in which codes are read: one from left to right, and one from right to left. */
const DIRECTIONS = ['en', 'ar']

/**
 * Where the states are inspected: the window's options, its widths, and the language for the accessibility checks.
 * Accessibility depends on the device and on the direction, but not on their combination.
 */
export const PLACES = [
  { name: 'desktop', options: {}, widths: [1280, 320, 280], checked: 'en' },
  { name: 'phone', options: PIXEL, widths: [412, 320, 280], checked: 'ar' },
]

/** A page's reason that fills several lines. */
export const REASON = 'This number already has an account. Please ask the people at the front desk about it.'

/**
 * Inspects one element in all languages. Its height must depend only on the language and the width of its page. With
 * `accessible: false`, accessibility is not checked, because it does not depend on the font.
 */
export class Looks {
  #one
  #place
  #accessible
  /** Heights by width, language and state. */
  #heights = {}

  /** `one` is a page with an element. */
  constructor(one, place, { accessible = true } = {}) {
    this.#one = one
    this.#place = place
    this.#accessible = accessible
  }

  /** Asserts that a state fits and is accessible, and that its code, if there is one, contains `content`. */
  async at(state, content) {
    const { page, code } = this.#one
    const { name, widths, checked } = this.#place
    for (const width of widths) {
      const what = (lang) => `${name}-${lang}-${width}-${state}`
      await page.setViewportSize({ width, height: 900 })
      for (const { lang, height, excess } of await this.#measure(LANGUAGES)) {
        assert.equal(excess, 0, `${what(lang)} is too wide`)
        const heights = this.#heights[`${width} ${lang}`] ??= {}
        heights[state] = height
      }
      for (const lang of keeping() ? LANGUAGES : content ? DIRECTIONS : []) {
        await this.#measure([lang])
        if (content && DIRECTIONS.includes(lang)) assert.equal(readCode(await code.screenshot(), what(lang)), content)
        await keep(page, what(lang))
      }
    }
    if (this.#accessible) {
      await this.#measure([checked])
      await assertAccessible(page, `${name}-${checked}, ${state}`)
    }
    await this.#measure([LANGUAGES[0]])
  }

  /** Asserts that all states had the same height, apart from some. */
  assertSteady(apart = /^$/) {
    const odd = Object.entries(this.#heights).flatMap(([where, heights]) => {
      const steady = Object.entries(heights).filter(([state]) => !apart.test(state)).map(([, height]) => height)
      return new Set(steady).size === 1 ? [] : [`${where}: ${JSON.stringify(heights)}`]
    })
    assert.deepEqual(odd, [], this.#place.name)
  }

  /**
   * Gives the page one language after another, and returns the element's height in each, and by how much the page is
   * too wide.
   */
  #measure(languages) {
    return this.#one.element.evaluate(async (element, languages) => {
      const root = document.documentElement
      const panel = element.shadowRoot.querySelector('[part=panel]')
      const found = []
      for (const lang of languages) {
        Object.assign(root, { lang, dir: lang === 'ar' ? 'rtl' : '' })
        if (panel.lang !== lang) {
          await new Promise((resolve) => {
            const drawn = (_, observer) => {
              if (panel.lang !== lang) return
              observer.disconnect()
              resolve()
            }
            new MutationObserver(drawn).observe(panel, { attributeFilter: ['lang'] })
          })
        }
        found.push({ lang, height: element.getBoundingClientRect().height, excess: root.scrollWidth - root.clientWidth })
      }
      return found
    }, languages)
  }
}
