// The page of a link host for users without the app, in their language.

import assert from 'node:assert/strict'

import { assertAccessible } from './support/axe.mjs'
import { fits, keep, openWindow } from './support/page.mjs'
import { overTheServer } from './support/suite.mjs'

const pageTest = overTheServer()

for (const { locale, lang, dir, title } of [
  { locale: 'en-GB', lang: 'en', dir: 'ltr', title: 'Open this link on your phone' },
  { locale: 'de-AT', lang: 'de', dir: 'ltr', title: 'Öffnen Sie diesen Link auf Ihrem Telefon' },
  { locale: 'ja-JP', lang: 'ja', dir: 'ltr', title: 'このリンクはスマートフォンで開いてください' },
  { locale: 'ar-EG', lang: 'ar', dir: 'rtl', title: 'افتح هذا الرابط على هاتفك' },
]) {
  pageTest(`page of a link speaks ${lang}`, async ({ browser, server }) => {
    const url = `http://localhost:${new URL(server.url).port}`
    const { page, close } = await openWindow(browser, [url], { locale, viewport: { width: 390, height: 700 } })
    await page.goto(`${url}/?sessionId=qrs_0123456789abcdef0123456789abcdef`)
    await page.getByRole('heading', { name: title }).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), lang)
    const directions = await page.locator('h1, p, li').evaluateAll((all) => (
      all.map((one) => getComputedStyle(one).direction)
    ))
    assert.deepEqual(directions, directions.map(() => dir))
    assert.match(await page.locator('p').innerText(), /demo/)
    await assertAccessible(page, `the page of links in ${lang}`)
    await fits(page)
    await keep(page, `link-page-${lang}`)
    await close()
  })
}
