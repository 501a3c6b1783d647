// Elements send requests to the page's server: with the headers of its framework, again after temporary failures, and
// through a function.

import assert from 'node:assert/strict'

import { openLogin } from './support/login.mjs'
import { openPhone } from './support/phone-element.mjs'
import { pageWith } from './support/site.mjs'
import { overTheFake, overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()
const phoneTest = overTheFake()

/** Refuses requests to the route without a token, as frameworks do against cross-site request forgery. */
function guarded(fake, status = 403) {
  fake.interfere = ({ path }, send) => {
    if (path !== '/sign-up/phone') return false
    const asked = fake.seen.at(-1)
    if (asked.headers['x-csrf-token'] === 'secret') return false
    send(status, '<h1>Forbidden</h1>', 'text/html')
    return true
  }
}

const started = (fake) => fake.seen.filter(({ path }) => path === '/sign-up/phone')

phoneTest('a route that wants a CSRF token gets it from the page, and the remedy says so', async ({ browser, fake }) => {
  for (const status of [403, 419, 422]) {
    guarded(fake, status)
    const refused = await openPhone(browser, fake)
    const { code, remedy } = await refused.gets('error')
    assert.equal(code, 'start_refused')
    assert.match(remedy, /CSRF/)
    await refused.element.evaluate((element) => {
      element.startOptions = { headers: { 'X-CSRF-Token': 'secret' } }
      element.refresh()
    })
    await refused.gets('started')
    await refused.close(new RegExp(status))
  }
  const options = JSON.stringify({ headers: { 'X-CSRF-Token': 'secret' }, body: { plan: 'pro' } })
  fake.seen = []
  const phone = await openPhone(browser, fake, { attributes: `start="/sign-up/phone" start-options='${options}'` })
  await phone.gets('started')
  const [{ headers }] = started(fake)
  assert.equal(headers.accept, 'application/json')
  assert.equal(headers['content-type'], 'application/json')
  await phone.close()
})

phoneTest('the body has what the page adds, and cookies go as the page says', async ({ browser, fake }) => {
  for (const [options, body, cookie] of [[{}, '{}', 'a=1'], [{ body: { plan: 'pro' }, credentials: 'omit' }, '{"plan":"pro"}', undefined]]) {
    let sent
    const phone = await openPhone(browser, fake, { attributes: `start="/sign-up/phone" start-options='${JSON.stringify(options)}'` }, {
      prepare: (page) => {
        page.on('request', (request) => { if (request.url().endsWith('/sign-up/phone')) sent = request.postData() })
        return page.context().addCookies([{ name: 'a', value: '1', url: fake.url }])
      },
    })
    await phone.gets('started')
    assert.equal(sent, body)
    assert.equal(started(fake).at(-1).headers.cookie, cookie)
    await phone.close()
  }
})

phoneTest('a function of the page starts, with a response or with what is in it', async ({ browser, fake }) => {
  for (const source of [
    `(body) => fetch('/sign-up/phone', { method: 'POST', headers: { 'x-csrf-token': 'secret' }, body: JSON.stringify(body) })`,
    `async () => (await fetch('/sign-up/phone', { method: 'POST', headers: { 'x-csrf-token': 'secret' } })).json()`,
  ]) {
    guarded(fake)
    const phone = await openPhone(browser, fake, { attributes: '' })
    await phone.sees('Preparing your text…')
    await phone.element.evaluate((element, source) => { element.start = (0, eval)(source) }, source)
    await phone.gets('started')
    fake.status = 'expired'
    phone.poke()
    await phone.gets('expired')
    await phone.page.getByRole('button', { name: 'New code' }).click()
    await phone.gets('started')
    await phone.close()
  }
})

/** Advances the page's clock until something has happened, each time until a start request has ended with an event. */
async function forwardUntil({ page }, happened, event) {
  let done = false
  const end = happened.then(() => { done = true })
  const predicate = (ended) => ended.url().endsWith('/sign-up/phone')
  while (!done) {
    const again = page.waitForEvent(event, { predicate, timeout: 0 }).catch(() => {})
    await page.clock.fastForward(10_000)
    await Promise.race([end, again])
  }
}

phoneTest('failures that pass are tried again, and those that stay are an error', async ({ browser, fake }) => {
  const failures = [[500, {}], [502, '<h1>Bad gateway</h1>', 'text/html'], [503, {}], [200, '<h1>Wait</h1>', 'text/html'], [408, {}]]
  const answer = (failure) => {
    fake.interfere = ({ path }, send) => path === '/sign-up/phone' && failure && (send(...failure), true)
  }
  const phone = await openPhone(browser, fake, {}, { prepare: (page) => page.clock.install() })
  await phone.gets('started')
  for (const failure of failures) {
    answer(failure)
    await phone.element.evaluate((element) => element.refresh())
    await phone.sees('The service does not answer. Trying again…')
    answer(null)
    await phone.page.clock.fastForward(1_500)
    await phone.gets('started')

    answer(failure)
    fake.seen = []
    await phone.element.evaluate((element) => element.refresh())
    await phone.sees('The service does not answer. Trying again…')
    const failed = phone.gets('error')
    await forwardUntil(phone, failed, 'response')
    const { code } = await failed
    assert.equal(code, failure[0] === 200 ? 'bad_session' : 'start_refused')
    assert.ok(started(fake).length >= 5)
  }
  await phone.close(/50\d|408|unreachable/)
})

phoneTest('a request that never gets an answer names what may be in the way, and goes on', async ({ browser, fake }) => {
  fake.interfere = ({ path }, send, response) => path === '/sign-up/phone' && (response.destroy(), true)
  const phone = await openPhone(browser, fake, {}, { prepare: (page) => page.clock.install() })
  await phone.sees('The service does not answer. Trying again…')
  const remedy = phone.element.getByText(/An ad blocker or this network may be in the way/)
  await forwardUntil(phone, remedy.first().waitFor(), 'requestfailed')
  fake.interfere = () => false
  await phone.page.clock.fastForward(20_000)
  await phone.gets('started')
  await phone.close(/EMPTY|unreachable/)
})

phoneTest('page with a session of its own hears that the user wants another', async ({ browser, fake }) => {
  const phone = await openPhone(browser, fake, { attributes: '' })
  const set = (session) => phone.element.evaluate((element, session) => { element.session = session }, session)
  await phone.element.evaluate((element) => element.addEventListener('renew', () => { globalThis.renewed = true }))
  await set(fake.started())
  await phone.gets('started')
  fake.status = 'expired'
  phone.poke()
  await phone.gets('expired')
  await phone.page.getByRole('button', { name: 'New code' }).click()
  await phone.gets('renew')
  await phone.sees('Preparing your text…')
  assert.equal(await phone.page.evaluate(() => globalThis.renewed), true)
  await set(fake.started())
  await phone.gets('started')
  await phone.close()
})

loginTest('login starts by a function, which gets what the server needs', async ({ browser, server, site }) => {
  const body = (element) => element.replace('>', ' start="/nowhere">')
  const login = await openLogin(browser, server, site.put(pageWith(server, { body })), {
    prepare: (page) => page.addInitScript(() => addEventListener('DOMContentLoaded', () => {
      document.querySelector('countersign-login').start = (body) => { globalThis.asked = Object.keys(body) }
    })),
  })
  await login.shownLink()
  assert.deepEqual(await login.page.evaluate(() => globalThis.asked), ['browserToken', 'browserPublicKey'])
  await login.close()
})
