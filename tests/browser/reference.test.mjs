// The page of the API reference: GET /reference.

import assert from 'node:assert/strict'

import { assertAccessible } from './support/axe.mjs'
import { fits, keep, openPlayground, openWindow } from './support/page.mjs'
import { overTheServer } from './support/suite.mjs'

const pageTest = overTheServer()

/** Opens the page. Its errors and refused resources fail the test. */
async function open(browser, server, place, options) {
  const window = await openWindow(browser, [server.url], options)
  await window.page.goto(`${server.url}/reference${place}`)
  return window
}

/** Returns whether the heading with this id is at the top of the visible part. */
const isInView = (page, id) => page.locator(`[id="${id}"]`).evaluate((heading) => {
  const { top } = heading.getBoundingClientRect()
  return top >= 0 && top < innerHeight / 2
})

// The colors do not depend on the width.
for (const { name, width, colorScheme } of [
  { name: 'wide', width: 1280, colorScheme: 'light' },
  { name: 'narrow-dark', width: 320, colorScheme: 'dark' },
]) {
  pageTest(`reference is accessible and fits: ${name}`, async ({ browser, server }) => {
    const { page, close } = await open(browser, server, '', { viewport: { width, height: 800 }, colorScheme })
    await page.getByRole('heading', { level: 1, name: 'Countersign API' }).waitFor()
    await fits(page)
    await keep(page, `reference-${name}`, { fullPage: false })
    // Folded parts must also follow the rules.
    await page.locator('details').evaluateAll((all) => all.forEach((one) => { one.open = true }))
    await fits(page)
    await assertAccessible(page, `the reference, ${name}`)
    const [text, ground] = await page.evaluate(() => {
      const { color, backgroundColor } = getComputedStyle(document.body)
      return [color, backgroundColor].map((value) => Number(/\d+/.exec(value)[0]))
    })
    assert.equal(text > ground, colorScheme === 'dark')
    await close()
  })
}

pageTest('reference is read by keyboard', async ({ browser, server }) => {
  const { page, close } = await open(browser, server, '', { viewport: { width: 1280, height: 800 } })
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: 'Skip to the content' })
  assert.ok(await skip.evaluate((link) => link === document.activeElement && link.getBoundingClientRect().top >= 0))
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'content')
  await page.getByRole('navigation').getByRole('link', { name: 'Start a confirmation' }).press('Enter')
  assert.ok(await isInView(page, 'makeConfirmation'))
  const route = page.getByRole('article', { name: 'Start a confirmation' })
  const problems = route.locator('summary')
  await problems.press('Enter')
  const problem = route.getByRole('link', { name: 'phone_number_not_possible', exact: true })
  await problem.press('Enter')
  assert.ok(await isInView(page, 'phone_number_not_possible'))
  await keep(page, 'reference-problem', { fullPage: false })
  await close()
})

pageTest('nothing in the reference has to be scrolled sideways, and text cannot become markup', async ({ browser, server }) => {
  const { page, close } = await open(browser, server, '#createSession', { viewport: { width: 320, height: 800 } })
  assert.ok(await isInView(page, 'createSession'))
  await keep(page, 'reference-narrow-route', { fullPage: false })
  const wide = await page.locator('pre, dl, table, code').evaluateAll((all) => (
    all.filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0).map((one) => one.outerHTML.slice(0, 80))
  ))
  assert.deepEqual(wide, [])
  const markup = await page.evaluate(() => {
    try {
      document.body.innerHTML = '<p>markup</p>'
      return 'allowed'
    } catch ({ name }) {
      return name
    }
  })
  assert.equal(markup, 'TypeError', 'trusted types refuse markup from text')
  await close(/Content Security Policy|policy violated|TrustedHTML/)
})

pageTest('type of a problem leads a browser to its place', async ({ browser, server }) => {
  const window = await openWindow(browser, [server.url], {})
  await window.page.goto(`${server.url}/problems/callback_url_not_https`)
  assert.equal(window.page.url(), `${server.url}/reference#callback_url_not_https`)
  assert.ok(await isInView(window.page, 'callback_url_not_https'))
  await window.close()
})

pageTest('playground links to the reference', async ({ browser, server }) => {
  const playground = await openPlayground(browser, server)
  await playground.page.getByRole('link', { name: 'API reference' }).click()
  await playground.page.getByRole('heading', { level: 1, name: 'Countersign API' }).waitFor()
  await playground.close()
})
