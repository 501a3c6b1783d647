// The element for phone numbers with failing servers, a broken network, a strict policy, or no time left.

import assert from 'node:assert/strict'

import { keep } from './support/page.mjs'
import { linksOf, MESSAGE, openPhone } from './support/phone-element.mjs'
import { overTheFake } from './support/suite.mjs'

const phoneTest = overTheFake()

const open = ({ browser, fake }, page, options) => openPhone(browser, fake, page, options)

/** Installs a clock in the page that tests can advance. It also runs by itself. */
const onItsOwnClock = { prepare: (page) => page.clock.install() }

/** Sets the element's session, as a page does. */
const set = (phone, session) => phone.element.evaluate((element, session) => { element.session = session }, session)

phoneTest('start is a request of the page\'s own, and the token goes to the service alone', async (own) => {
  const phone = await open(own)
  const { confirmationId } = await phone.gets('started')
  await phone.element.getByText('Waiting for your text…').waitFor()
  const start = own.fake.seen.find(({ path }) => path === '/sign-up/phone')
  const { 'content-type': type, origin } = start.headers
  assert.deepEqual([start.method, type, origin], ['POST', 'application/json', own.fake.url])
  const asked = own.fake.seen.find(({ path, method }) => path.startsWith('/confirmations/') && method === 'GET')
  assert.deepEqual([asked.headers.authorization, asked.headers.cookie], ['Bearer token-1', undefined])
  assert.deepEqual(phone.hellos, [{ confirmationId, token: 'token-1' }])
  await phone.close()
})

phoneTest('answer that is no confirmation is an error with a remedy, without the secret', async (own) => {
  const { fake } = own
  const phone = await open(own)
  await phone.gets('started')
  for (const [answer, message, expected = 'bad_session'] of [
    [[422, { code: 'broken' }], 'The page\'s server answered 422 (broken).', 'start_refused'],
    [[404, 'nothing', 'text/html'], 'The page\'s server answered 404 (http_404).', 'start_refused'],
    [[403, { code: 'csrf' }], 'The page\'s server answered 403 (csrf).', 'start_refused'],
    [[200, '<h1>Log in</h1>', 'text/html'], 'The page\'s server answered 200 (bad_answer).'],
    [[200, {}], 'The confirmation\'s expiresIn is missing or wrong.'],
    [[200, { ...fake.started(), confirmationUri: { ...linksOf(MESSAGE), sms: 'javascript:alert(1)' } }],
      'The confirmation\'s sms is missing or wrong.'],
  ]) {
    fake.interfere = ({ path }, send) => path === '/sign-up/phone' && (send(...answer), true)
    await phone.element.evaluate((element) => element.refresh())
    const { code, message: said, remedy } = await phone.gets('error')
    assert.deepEqual([code, said], [expected, message])
    assert.match(remedy, expected === 'bad_session' ? /unchanged/ : /POST \/sign-up\/phone.* and at its log/)
    await phone.sees('Your number could not be checked')
    assert.deepEqual(await phone.element.evaluate(({ error }) => error.code), code)
    assert.ok(phone.reports.every((report) => !report.includes('CS-')))
    fake.interfere = () => false
    await phone.page.getByRole('button', { name: 'Try again' }).click()
    await phone.gets('started')
    assert.equal(await phone.element.evaluate(({ error }) => error), null)
  }
  await phone.close(/422|40[34]/)
  const other = await open(own, { attributes: 'start="https://other.example/start"' })
  const { code, message } = await other.gets('error')
  assert.equal(code, 'start_refused')
  assert.match(message, /attribute start/)
  await other.close()
})

phoneTest('listener that is added late still gets the error', async (own) => {
  own.fake.interfere = ({ path }, send) => path === '/sign-up/phone' && (send(403, {}), true)
  const phone = await open(own)
  await phone.gets('error')
  const code = await phone.element.evaluate((element) => new Promise((resolve) => {
    element.addEventListener('error', ({ detail }) => resolve(detail.code))
  }))
  assert.equal(code, 'start_refused')
  await phone.close(/403/)
})

phoneTest('page can set a session that it has, and another after its end', async (own) => {
  const phone = await open(own, { attributes: '' })
  await phone.sees('Preparing your text…')
  const session = own.fake.started()
  await set(phone, session)
  assert.deepEqual(await phone.gets('started'), { confirmationId: session.confirmationId })
  own.fake.status = 'expired'
  phone.poke()
  await phone.gets('expired')
  await phone.sees('Time ran out before your text arrived')
  assert.equal(await phone.page.getByRole('button').count(), 0)
  await keep(phone.page, 'phone-expired')
  await set(phone, own.fake.started())
  await phone.gets('started')
  await set(phone, null)
  await phone.sees('Preparing your text…')
  await phone.getsNothing()
  await phone.close()
})

phoneTest('element that is removed asks no more', async (own) => {
  const phone = await open(own)
  await phone.gets('started')
  await phone.element.evaluate((element) => element.remove())
  own.fake.status = 'verified'
  phone.poke()
  await phone.page.waitForFunction(() => true)
  await phone.getsNothing()
  await phone.close()
})

phoneTest('confirmation without a client is shown, and reported with what to change', async (own) => {
  own.fake.other = { client: undefined }
  const phone = await open(own, {}, onItsOwnClock)
  await phone.gets('started')
  assert.match(phone.reports.join(), /no_client: .*"clientChannel": true/)
  assert.equal(await phone.element.getByText('Waiting for your text').count(), 0)
  assert.equal(await phone.element.evaluate(({ error }) => error.code), 'no_client')
  await phone.page.clock.fastForward(301_000)
  await phone.gets('expired')
  await phone.close()
})

phoneTest('time counts down, and the service decides when it is up', async (own) => {
  const phone = await open(own, {}, onItsOwnClock)
  await phone.gets('started')
  await phone.page.clock.fastForward(60_000)
  await phone.element.getByRole('timer').getByText(/3:5\d/).waitFor()
  await phone.page.clock.fastForward(239_000)
  await phone.sees('Time is up. Checking whether your text arrived…')
  assert.equal(await phone.code.count(), 0)
  await keep(phone.page, 'phone-ending')
  own.fake.status = 'expired'
  await phone.page.clock.fastForward(3_000)
  await phone.gets('expired')
  await phone.page.getByRole('button', { name: 'New code' }).click()
  await phone.gets('started')
  await phone.close()
})

phoneTest('page that comes back asks at once', async (own) => {
  const phone = await open(own)
  await phone.gets('started')
  own.fake.status = 'verified'
  await phone.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await phone.gets('verified')
  await phone.close()
})

phoneTest('page can wait with the tick, and refuse the number', async (own) => {
  const phone = await open(own)
  await phone.gets('started')
  await phone.element.evaluate((element) => element.addEventListener('verified', (event) => event.preventDefault()))
  own.fake.status = 'verified'
  phone.poke()
  await phone.gets('verified')
  await phone.sees('Your text arrived. One moment…')
  await phone.element.evaluate((element) => element.reject('This number already has an account.'))
  await phone.sees('This number already has an account.')
  await keep(phone.page, 'phone-rejected')
  await phone.close()
})

phoneTest('element says that it is offline, and that a server does not answer or asks to wait', async (own) => {
  const { fake } = own
  const phone = await open(own)
  await phone.gets('started')
  await phone.page.context().setOffline(true)
  await phone.sees('You are offline. This continues when you are back online.')
  await keep(phone.page, 'phone-offline')
  fake.status = 'verified'
  await phone.page.context().setOffline(false)
  await phone.gets('verified')
  await phone.close(/ERR_INTERNET_DISCONNECTED/)

  fake.interfere = ({ path }, send, response) => {
    if (path !== '/sign-up/phone') return false
    response.setHeader('retry-after', '1')
    send(429, {})
    return true
  }
  const busy = await open(own)
  await busy.sees('Too many attempts. This continues in a moment.')
  fake.interfere = () => false
  await busy.gets('started')
  await busy.close(/429/)

  fake.interfere = ({ path }, send, response) => path === '/sign-up/phone' && (response.destroy(), true)
  const away = await open(own)
  await away.sees('The service does not answer. Trying again…')
  fake.interfere = () => false
  await away.gets('started')
  await away.close(/ERR_EMPTY_RESPONSE/)
})

phoneTest('strict policy allows all of it, and one that forbids the service is named', async (own) => {
  const { fake } = own
  const policy = (connect) => `<meta http-equiv="content-security-policy" content="default-src 'none'; script-src 'self'; `
    + `img-src data:; require-trusted-types-for 'script'; connect-src ${connect}">`
  const all = `'self' ${fake.service} ${fake.service.replace('http', 'ws')}`
  const phone = await open(own, { html: 'lang="de"', head: policy(all) })
  await phone.gets('started')
  await phone.sees('Scannen Sie diesen Code, und senden Sie die SMS, die sich dann öffnet')
  fake.status = 'verified'
  phone.poke()
  await phone.gets('verified')
  await phone.close()

  const blocked = await open(own, { head: policy("'self'") }, onItsOwnClock)
  const code = () => blocked.element.evaluate(({ error }) => error?.code)
  for (const confirmation of [1, 2]) {
    await blocked.gets('started')
    await blocked.sees('The service does not answer. Trying again…')
    for (let poll = 0; poll < 5; poll += 1) {
      const polled = blocked.page.waitForEvent('console', (message) => /^policy violated: .*status$/.test(message.text()))
      await blocked.page.clock.fastForward(20_000)
      await polled
    }
    assert.equal(await code(), 'blocked_by_policy')
    assert.equal(blocked.reports.length, confirmation, 'one report for each confirmation')
    assert.match(blocked.reports.at(-1), new RegExp(`blocked_by_policy: .*Add ${fake.service} `))
    if (confirmation === 1) await blocked.element.evaluate((element) => element.refresh())
  }
  await blocked.close(/policy|Refused|Fetch API cannot load|violates/i)
})
