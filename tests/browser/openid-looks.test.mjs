// The appearance of the OpenID provider's pages: in each language, on narrow screens, in the dark, and for screen
// readers; and what happens when the service does not answer.

import assert from 'node:assert/strict'

import { devices } from 'playwright-core'

import { openAuthorize, startClient } from './support/authorize.mjs'
import { assertAccessible } from './support/axe.mjs'
import { fits, keep, openWindow } from './support/page.mjs'
import { ask } from './support/server.mjs'
import { overTheServer } from './support/suite.mjs'

const pageTest = overTheServer()

/** The title in each language. */
const TITLES = {
  ar: 'تسجيل الدخول إلى \u2068demo\u2069',
  de: 'Bei demo anmelden',
  en: 'Log in to demo',
  es: 'Iniciar sesión en demo',
  fr: 'Se connecter à demo',
  it: 'Accedi a demo',
  ja: 'demoにログイン',
  pt: 'Entrar em demo',
}

const height = (page) => page.evaluate(() => document.documentElement.scrollHeight)

pageTest('page and its element speak the language that the site asks for', async (own) => {
  const client = await startClient(own)
  for (const [lang, title] of Object.entries(TITLES)) {
    const { url } = client.url({ ui_locales: `nl ${lang}-XX en` })
    const page = await openAuthorize(own, url, { viewport: { width: 320, height: 800 }, locale: 'en-US' })
    await page.text()
    await page.sees(title)
    const shown = await page.page.evaluate(() => ({
      lang: document.documentElement.lang,
      direction: getComputedStyle(document.body).direction,
      element: document.querySelector('countersign-phone').shadowRoot.querySelector('[part=panel]').lang,
    }))
    assert.deepEqual(shown, { lang, direction: lang === 'ar' ? 'rtl' : 'ltr', element: lang })
    await fits(page.page)
    if (lang === 'ar') await assertAccessible(page.page, 'the page from right to left')
    await keep(page.page, `openid-320-${lang}`)
    await page.close()
  }
})

pageTest('page speaks the language of the browser otherwise', async (own) => {
  const client = await startClient(own)
  const page = await openAuthorize(own, client.url().url, { locale: 'fr-CA' })
  await page.sees(TITLES.fr)
  await page.close()
})

pageTest('page has one height in all states, and each is accessible', async (own) => {
  const client = await startClient(own)
  for (const [name, options] of [['desktop', {}], ['dark', { colorScheme: 'dark' }], ['phone', devices['Pixel 7']]]) {
    const page = await openAuthorize(own, client.url().url, options)
    await page.text()
    const heights = { text: await height(page.page) }
    await keep(page.page, `openid-${name}`)
    for (const scene of ['leaving', 'expired', 'over', 'unknown', 'failed']) {
      await page.page.evaluate((scene) => {
        document.querySelector('main').dataset.shown = scene
        for (const section of document.querySelectorAll('[data-scene]')) section.classList.toggle('off', section.dataset.scene !== scene)
      }, scene)
      heights[scene] = await height(page.page)
      // The states differ in their texts only, so the dark and the phone are checked with one of them.
      if (name === 'desktop' || scene === 'failed') await assertAccessible(page.page, `${scene}, ${name}`)
      await keep(page.page, `openid-${name}-${scene}`)
    }
    assert.equal(new Set(Object.values(heights)).size, 1, `${name}: ${JSON.stringify(heights)}`)
    await page.close()
  }
})

pageTest('page cannot be framed', async (own) => {
  const client = await startClient(own)
  const { url } = client.url()
  const window = await openWindow(own.browser, [own.server.url, own.site.url])
  await window.page.goto(own.site.put(`<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Trap</title><iframe src="${url.replaceAll('&', '&amp;')}"></iframe></html>`))
  const [, frame] = window.page.frames()
  assert.equal(await frame.locator('main').count(), 0)
  await window.close(/frame-ancestors|chrome-error/)
})

pageTest('request that goes back to no site says what to change', async (own) => {
  const client = await startClient(own)
  for (const [name, parameters, expected] of [
    ['client', { client_id: 'cs_app_0000000000000000000000' }, /client_id is not the key of an app/],
    ['missing', { redirect_uri: null }, /redirect_uri is missing/],
    ['unlisted', { redirect_uri: `${client.callback}/` }, /--add-redirect-uri URL/],
  ]) {
    for (const lang of ['en', 'ar']) {
      const { url } = client.url({ ...parameters, ui_locales: lang })
      const page = await openAuthorize(own, url, { viewport: { width: 320, height: 700 } })
      if (lang === 'en') await page.page.getByText(expected).waitFor()
      assert.equal(await page.page.evaluate(() => document.documentElement.dir), lang === 'ar' ? 'rtl' : 'ltr')
      await fits(page.page)
      if (name === 'unlisted') await assertAccessible(page.page, `${name} in ${lang}`)
      await keep(page.page, `openid-refused-${name}-${lang}`)
      await page.close(/status of 400/)
    }
  }
})

pageTest('service that does not answer is asked again', async (own) => {
  const client = await startClient(own)
  const page = await openAuthorize(own, client.url().url)
  let down = true
  let asked = 0
  await page.page.route('**/authorize/finish', (route) => {
    asked += 1
    return down ? route.abort() : route.continue()
  })
  await page.send()
  await page.sees('Something went wrong')
  assert.equal(asked, 4)
  await keep(page.page, 'openid-failed')
  down = false
  await page.press('Try again')
  assert.ok((await page.back()).code)
  await page.close(/ERR_FAILED/)
})

pageTest('browser without the cookie is told so', async (own) => {
  const client = await startClient(own)
  const page = await openAuthorize(own, client.url().url, {
    prepare: (page) => page.route('**/authorize/text', async (route) => {
      const headers = await route.request().allHeaders()
      delete headers.cookie
      await page.context().clearCookies()
      await route.continue({ headers })
    }),
  })
  await page.sees('This page cannot go on in this browser')
  await keep(page.page, 'openid-unknown')
  await page.page.unroute('**/authorize/text')
  await page.press('Start again')
  await page.text()
  await page.close(/status of 400/, /start_refused/)
})

pageTest('strangers can neither keep the page nor learn where it was', async (own) => {
  const client = await startClient(own)
  const answer = await ask(client.url().url)
  assert.equal(answer.status, 200)
  const { headers } = answer
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.equal(headers['x-frame-options'], 'DENY')
  assert.ok(!/unsafe|\*/.test(headers['content-security-policy']), headers['content-security-policy'])
  assert.match(headers['set-cookie'][0], /HttpOnly/)
  assert.match(headers['set-cookie'][0], /SameSite=Lax/)
})
