// Both elements on styled pages and with browser extensions: a page's text styles must not affect the
// elements' texts and codes.

import assert from 'node:assert/strict'

import { devices } from 'playwright-core'

import { readCode } from './support/codes.mjs'
import { openLogin } from './support/login.mjs'
import { fits, keep } from './support/page.mjs'
import { MESSAGE, openPhone } from './support/phone-element.mjs'
import { pageWith } from './support/site.mjs'
import { overTheFake, overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()
const phoneTest = overTheFake()

const openOne = ({ browser, server, site, fake }, page, options) => (
  fake ? openPhone(browser, fake, page, options) : openLogin(browser, server, site.put(pageWith(server, page)), options)
)

/** Declares the same test for each element. */
function eachTest(name, run) {
  loginTest(`login: ${name}`, run)
  phoneTest(`phone number: ${name}`, run)
}

const style = (rules) => `<style>${rules}</style>`

/** Returns the sizes of an element's parts, in CSS pixels. */
const sizes = ({ element }) => element.evaluate(({ shadowRoot }) => {
  const all = [...shadowRoot.querySelectorAll('*')].filter((one) => one.checkVisibility() && one.getClientRects().length > 0)
  const says = (one) => [...one.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim())
  return {
    text: Math.min(...all.filter(says).map((one) => parseFloat(getComputedStyle(one).fontSize))),
    code: shadowRoot.querySelector('[part=code]')?.getBoundingClientRect().width,
    touch: Math.min(...all.filter((one) => one.matches('button, a, input')).map((one) => one.getBoundingClientRect().height)),
  }
})

/** Asserts that nothing inside an element is wider than its panel. */
const assertInside = async ({ element }, what) => {
  const odd = await element.evaluate(({ shadowRoot }) => {
    const panel = shadowRoot.querySelector('[part=panel]').getBoundingClientRect()
    return [...shadowRoot.querySelectorAll('.body *')].filter((one) => {
      const { left, right, width } = one.getBoundingClientRect()
      return width > 1 && (left < panel.left - 0.5 || right > panel.right + 0.5 || one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1)
    }).map((one) => one.className)
  })
  assert.deepEqual(odd, [], what)
}

/**
 * The effect of Dark Reader and other extensions on a drawing: rules of the highest priority in every style sheet that
 * they reach.
 */
const DARK = `
  * { background-color: #181a1b !important; color: #181a1b !important; border-color: #181a1b !important; }
  [fill], path, rect, svg { fill: #181a1b !important; stroke: #181a1b !important; }
`

eachTest('a code stays readable when an extension paints the page dark', async (own) => {
  for (const colorScheme of ['light', 'dark']) {
    const one = await openOne(own, {}, { colorScheme })
    await one.code.waitFor()
    await one.element.evaluate(({ shadowRoot }, rules) => {
      for (const root of [document, shadowRoot]) {
        const sheet = new CSSStyleSheet()
        sheet.replaceSync(rules)
        root.adoptedStyleSheets.push(sheet)
        const text = document.createElement('style')
        text.textContent = rules
        ;(root.head ?? root).append(text)
      }
    }, DARK)
    assert.ok(readCode(await one.code.screenshot(), `painted dark, ${colorScheme}`))
    await keep(one.page, `${own.fake ? 'phone' : 'login'}-painted-${colorScheme}`)
    await one.close()
  }
})

/** Opens a page whose styles a test changes. */
async function openStyled(own, options) {
  const one = await openOne(own, { head: '<style id="rules"></style>' }, options)
  await one.code.waitFor()
  const under = (rules) => one.page.evaluate((rules) => { document.getElementById('rules').textContent = rules }, rules)
  return { one, under }
}

eachTest('sizes follow the font around the element, and are never too small', async (own) => {
  const { one, under } = await openStyled(own)
  const at = async (rules) => {
    await under(rules)
    await assertInside(one, rules)
    await fits(one.page)
    await keep(one.page, `${own.fake ? 'phone' : 'login'}-font-${rules.replace(/\W+/g, '-')}`)
    return sizes(one)
  }
  const plain = await at('')
  assert.deepEqual(plain, { text: 14, code: 240, touch: 44 })
  for (const rules of [
    'html { font-size: 62.5% }', 'html { font-size: 10px } body { font-size: 1.6rem }', 'body { font-size: 9px }', 'html { font-size: 50% }',
  ]) {
    assert.deepEqual(await at(rules), plain, rules)
  }
  const large = await at('html { font-size: 24px }')
  const larger = await at('html { font-size: 62.5% } main { font-size: 2.4rem }')
  for (const found of [large, larger]) assert.deepEqual(found, { text: plain.text * 1.5, code: 360, touch: 66 })
  await one.page.setViewportSize({ width: 280, height: 900 })
  assert.equal((await at('html { font-size: 24px }')).text, large.text)
  await one.close()
})

/** Page styles for all texts, or for the texts around the element. */
const INHERITED = [
  'white-space: nowrap', 'white-space: pre', 'white-space: break-spaces', 'text-transform: uppercase', 'letter-spacing: 0.5em',
  'word-spacing: 3em', 'text-indent: 8em', 'text-align-last: right', 'word-break: break-all', 'line-break: anywhere',
  'text-shadow: 0 0 9px red', '-webkit-text-fill-color: transparent', 'font-style: italic', 'font-variant: small-caps',
  'line-height: 4', 'writing-mode: vertical-rl', 'text-wrap: nowrap', 'hyphens: auto', 'text-emphasis: circle',
  '-webkit-text-stroke: 3px red', 'font-weight: 900', 'font-feature-settings: "smcp"',
]

/** Returns the typography of each text in an element. */
const looks = ({ element }) => element.evaluate(({ shadowRoot }) => (
  [...shadowRoot.querySelectorAll('.body :is(p, a, button, span, bdi)')].filter((one) => one.getClientRects().length > 0).map((one) => {
    const { left, top, width, height } = one.getBoundingClientRect()
    const origin = shadowRoot.querySelector('[part=panel]').getBoundingClientRect()
    const set = getComputedStyle(one)
    const names = ['textShadow', 'webkitTextFillColor', 'webkitTextStrokeWidth', 'fontStyle', 'textTransform', 'textEmphasisStyle', 'hyphens']
    return [one.className, left - origin.left, top - origin.top, width, height, ...names.map((name) => set[name])].join(' ')
  })
))

/** Replaces the part that changes by itself: the time left. */
const still = { prepare: (page) => page.clock.install().then(() => page.clock.pauseAt(Date.now() + 60_000)) }

eachTest('what the texts around the element inherit does not reach its texts', async (own) => {
  const { one, under } = await openStyled(own, still)
  const expected = await looks(one)
  for (const rule of INHERITED) {
    for (const selector of ['html', 'main *']) {
      await under(`${selector} { ${rule} }`)
      assert.deepEqual(await looks(one), expected, `${selector} { ${rule} }`)
    }
  }
  await one.close()
})

phoneTest('number and text are copied as they are, whatever the page does to its texts', async (own) => {
  const message = 'Sign in to Shop:  two  spaces CS-7Q2M0XK4V9T1BHNE'
  own.fake.other = { confirmationMessage: message }
  const rules = 'body { text-transform: uppercase; letter-spacing: 1em }'
  const options = { permissions: ['clipboard-read', 'clipboard-write'], ...devices['Desktop Chrome'] }
  const phone = await openPhone(own.browser, own.fake, { head: style(rules) }, options)
  await phone.gets('started')
  const value = phone.element.locator('[part=value]').nth(1)
  const copied = () => phone.page.evaluate(() => navigator.clipboard.readText())
  // Translation extensions replace the text that is shown.
  for (const spoil of [false, true]) {
    if (spoil) await value.evaluate((one) => { one.textContent = 'Melden Sie sich an' })
    await phone.page.evaluate(() => navigator.clipboard.writeText(''))
    await value.evaluate((one) => getSelection().selectAllChildren(one))
    await phone.page.keyboard.press('Control+C')
    assert.equal(await copied(), message)
    await phone.page.evaluate(() => navigator.clipboard.writeText(''))
    await phone.page.getByRole('button', { name: 'Copy the text' }).click()
    await phone.page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' })
    assert.equal(await copied(), message)
  }
  await phone.close()
})

phoneTest('a value never breaks after the first letters of its code', async (own) => {
  for (const message of ['CS-7Q2M0XK4V9T1BHNE', MESSAGE, 'x'.repeat(20) + ' CS-7Q2M0XK4V9T1BHNE']) {
    own.fake.other = { confirmationMessage: message }
    const phone = await openPhone(own.browser, own.fake)
    await phone.gets('started')
    const broken = await phone.element.evaluate(({ shadowRoot }) => {
      const [, value] = shadowRoot.querySelectorAll('[part=value]')
      const range = document.createRange()
      const top = (offset) => {
        const walker = document.createTreeWalker(value, NodeFilter.SHOW_TEXT)
        let left = offset
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          if (left < node.length) {
            range.setStart(node, left)
            range.setEnd(node, left + 1)
            return range.getBoundingClientRect().top
          }
          left -= node.length
        }
      }
      const hyphen = value.textContent.indexOf('-')
      const found = []
      for (let width = 180; width < 410; width += 5) {
        document.querySelector('main').style.inlineSize = `${width}px`
        const tops = [hyphen - 1, hyphen, hyphen + 1].map(top)
        if (new Set(tops).size !== 1) found.push(`${width}: ${tops}`)
      }
      return found
    })
    assert.deepEqual(broken, [], message)
    for (let width = 180; width < 410; width += 25) {
      await phone.page.evaluate((width) => { document.querySelector('main').style.inlineSize = `${width}px` }, width)
      await assertInside(phone, `${message} at ${width}`)
    }
    await phone.close()
  }
})
