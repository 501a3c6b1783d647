// The React components, installed from the archive, in both supported versions of React.

import assert from 'node:assert/strict'

import { program } from '../packages/support/workplace.mjs'
import { buildPages, open, projects, rendered } from './support/react.mjs'
import { Registrations, SetupPage } from './support/setup-fake.mjs'
import { overTheFake } from './support/suite.mjs'

const reactTest = overTheFake()
buildPages()

/** Declares a test for each version of React. */
function eachVersion(name, run, versions = ['18', '19']) {
  for (const version of versions) {
    reactTest(`React ${version}: ${name}`, (own) => run({ ...own, fake: Object.assign(own.fake, { seen: [] }) }, version))
  }
}

/** Declares a test of the components' own behavior, without help from React that differs between the versions. */
const newest = (name, run) => eachVersion(name, run, ['19'])

eachVersion('types say what the components take', async (_, version) => {
  await program(projects[version].folder, 'typescript/bin/tsc', '--project', 'src')
})

eachVersion('component starts once in StrictMode, and its handlers get the events', async (own, version) => {
  const phone = await open(own, version)
  const { page } = phone
  await page.evaluate(() => app.show('phone', {
    start: '/sign-up/phone',
    className: 'wide', style: { margin: '1px' }, 'data-shop': 'a', 'aria-hidden': false, hidden: false,
    ...Object.fromEntries(['Started', 'Missed', 'Verified', 'Expired', 'Cancelled', 'Renew', 'Error'].map((name) => [`on${name}`, app.hear(name)])),
  }))
  const detail = await phone.gets('started')
  const { outerHTML } = await phone.element.evaluate(({ outerHTML }) => ({ outerHTML }))
  assert.match(outerHTML, /^<countersign-phone(?=.* class="wide")(?=.* style="margin: ?1px;")(?=.* data-shop="a")(?=.* aria-hidden="false")(?!.* hidden)(?!.* on)/)
  own.fake.miss = 'number_hidden'
  phone.poke()
  await phone.gets('missed')
  own.fake.status = 'expired'
  phone.poke()
  await phone.gets('expired')
  await page.evaluate(() => app.ref.current.refresh())
  await phone.gets('started')
  own.fake.status = 'verified'
  phone.poke()
  const verified = await phone.gets('verified')
  assert.equal(phone.starts(), 2)
  assert.deepEqual(await phone.heard(), [
    ['Started', 'started', detail], ['Missed', 'missed', { reason: 'number_hidden' }], ['Expired', 'expired', null],
    ['Started', 'started', verified], ['Verified', 'verified', verified],
  ])
  await phone.close()
})

newest('page decides about an outcome by the ref', async (own, version) => {
  const phone = await open(own, version)
  await phone.page.evaluate(() => app.show('phone', { start: '/sign-up/phone', onVerified: (event) => event.preventDefault() }))
  await phone.gets('started')
  own.fake.status = 'verified'
  phone.poke()
  await phone.gets('verified')
  await phone.sees('Your text arrived. One moment…')
  await phone.page.evaluate(() => app.ref.current.reject('This number is taken.'))
  await phone.sees('This number is taken.')
  await phone.page.evaluate(() => app.ref.current.accept())
  await phone.sees('Your phone number is verified')
  await phone.close()
})

newest('rendering again starts nothing, and the handlers and the function are the last', async (own, version) => {
  const phone = await open(own, version)
  const { page } = phone
  const show = (count) => page.evaluate((count) => app.show('phone', {
    start: (body) => {
      app.heard.push(['start', count])
      return fetch('/sign-up/phone', { method: 'POST', body: JSON.stringify(body) })
    },
    startOptions: { body: { count } },
    texts: { scan: 'Scan me' },
    onVerified: () => app.heard.push(['verified', count]),
  }), count)
  await show(1)
  await phone.gets('started')
  for (const count of [2, 3]) await show(count)
  await phone.sees('Scan me')
  await page.evaluate(() => app.ref.current.refresh())
  await phone.gets('started')
  await show(4)
  own.fake.status = 'verified'
  phone.poke()
  await phone.gets('verified')
  assert.deepEqual(await phone.heard(), [['start', 1], ['start', 3], ['verified', 4]])
  assert.equal(phone.starts(), 2)
  await phone.close()
})

eachVersion('other props change the element, and removed ones are gone', async (own, version) => {
  const phone = await open(own, version)
  const { page } = phone
  const show = (kind, props) => page.evaluate(([kind, props]) => app.show(kind, props), [kind, props])
  await page.evaluate(() => app.show('phone', { start: () => fetch('/sign-up/phone', { method: 'POST' }), texts: { scan: 'Scan me' } }))
  await phone.gets('started')
  await phone.sees('Scan me')
  await show('phone', { start: '/sign-up/phone' })
  await phone.gets('started')
  await phone.sees('Scan this code with your phone, and send the text that it opens')
  assert.equal(await phone.element.evaluate(({ start }) => start), '/sign-up/phone')
  const session = own.fake.started()
  await show('phone', { session })
  assert.deepEqual(await phone.gets('started'), { confirmationId: session.confirmationId })
  await show('phone', { session: { ...session } })
  await show('phone', { start: '/sign-up/phone', mode: 'confirm', country: 'DE' })
  await phone.sees('Type your phone number')
  await show('phone', { mode: undefined, start: '/sign-up/phone' })
  await phone.gets('started')
  await show(null)
  await phone.element.waitFor({ state: 'detached' })
  await show('phone', { start: '/sign-up/phone' })
  await phone.gets('started')
  await phone.getsNothing()
  await phone.close()
})

eachVersion('page that its server rendered is hydrated, and starts once', async (own, version) => {
  for (const start of ['/sign-up/phone', 'function']) {
    own.fake.seen = []
    const html = await rendered(version, 'phone', { start, className: 'wide', mode: null, texts: { scan: 'Scan me' } })
    assert.match(html, start === 'function' ? /^<countersign-phone class="wide"><\/countersign-phone>$/ : /start="\/sign-up\/phone"/)
    const phone = await open(own, version, { html })
    await phone.page.evaluate((start) => app.show('phone', {
      start: start === 'function' ? () => fetch('/sign-up/phone', { method: 'POST' }) : start,
      className: 'wide', mode: null, texts: { scan: 'Scan me' },
      onStarted: app.hear('Started'), onVerified: app.hear('Verified'),
    }, { hydrate: true }), start)
    await phone.gets('started')
    await phone.sees('Scan me')
    own.fake.status = 'verified'
    phone.poke()
    await phone.gets('verified')
    assert.deepEqual((await phone.heard()).map(([name]) => name), ['Started', 'Verified'])
    assert.equal(phone.starts(), 1)
    await phone.close()
  }
})

newest('confirmation that the page has is shown, and its start is heard', async (own, version) => {
  const phone = await open(own, version)
  const session = own.fake.started()
  await phone.page.evaluate((session) => app.show('phone', { session, onStarted: app.hear('Started'), onRenew: app.hear('Renew') }), session)
  await phone.gets('started')
  own.fake.status = 'expired'
  phone.poke()
  await phone.gets('expired')
  await phone.page.getByRole('button', { name: 'New code' }).click()
  await phone.gets('renew')
  assert.deepEqual((await phone.heard()).map(([name]) => name), ['Started', 'Renew'])
  await phone.close()
})

eachVersion('phone is set up: its events are heard once, also in a page that its server rendered', async (own, version) => {
  for (const hydrate of [false, true]) {
    const registrations = new Registrations()
    const registration = registrations.start()
    const { service } = own.fake
    const html = hydrate ? await rendered(version, 'setup', { registration, service, className: 'wide' }) : ''
    if (hydrate) assert.match(html, /^<countersign-setup(?=.* class="wide")(?=.* service="http:)(?!.* registration)[^>]*><\/countersign-setup>$/)
    const setup = await open(own, version, { html, kind: SetupPage, answer: (...words) => registrations.answer(...words) })
    const show = (value, options) => setup.page.evaluate(([props, options]) => app.show('setup', {
      ...props, ...Object.fromEntries(['Opened', 'Completed', 'Failed', 'Renew'].map((name) => [`on${name}`, app.hear(name)])),
    }, options), [{ registration: value, service, className: 'wide' }, options])
    await show(registration, { hydrate })
    assert.equal(await setup.readCode('the set-up'), registration.url)
    // Another object with the same content is the same registration.
    await show({ ...registration })
    const { registrationId } = registration
    registrations.state = 'signed'
    const opened = { registrationId, browser: 'Safari on iOS', location: 'Berlin, DE' }
    assert.deepEqual(await setup.gets('opened'), opened)
    await setup.typeDigits('42')
    assert.deepEqual(await setup.gets('completed'), { registrationId })
    assert.deepEqual(registrations.typed, [registrationId])
    const next = registrations.start()
    await show(next)
    assert.equal(await setup.readCode('the next set-up'), next.url)
    registrations.state = 'failed'
    const failed = { registrationId: next.registrationId, reason: 'cancelled' }
    assert.deepEqual(await setup.gets('failed'), failed)
    await setup.page.getByRole('button', { name: 'Try again' }).click()
    await setup.gets('renew')
    assert.deepEqual(await setup.heard(), [
      ['Opened', 'opened', opened], ['Completed', 'completed', { registrationId }], ['Failed', 'failed', failed], ['Renew', 'renew', null],
    ])
    await setup.page.evaluate(() => app.show(null))
    await setup.element.waitFor({ state: 'detached' })
    await setup.close()
  }
})

eachVersion('an error is heard once, and false is off', async (own, version) => {
  const login = await open(own, version, {
    prepare: (page) => page.addInitScript(() => Object.defineProperty(crypto, 'subtle', { value: undefined })),
  })
  const { page } = login
  const element = page.locator('countersign-login')
  for (const props of [{}, { allowUnencrypted: false }, { allowUnencrypted: undefined }]) {
    await page.evaluate(([service, props]) => {
      app.heard = []
      app.show('login', { appKey: 'cs_app_x', appName: 'Shop', service, ...props, onError: ({ detail }) => app.heard.push(detail.code) })
    }, [own.fake.service, props])
    await page.waitForFunction(() => app.heard.length > 0)
    assert.deepEqual(await login.heard(), ['insecure_context'], JSON.stringify(props))
    assert.equal(await element.evaluate((element) => element.hasAttribute('allow-unencrypted')), false)
    await page.evaluate(() => app.show(null))
    await element.waitFor({ state: 'detached' })
  }
  const asked = page.waitForRequest((request) => request.method() === 'POST' && request.url().startsWith(own.fake.service))
  await page.evaluate((service) => app.show('login', { appKey: 'cs_app_x', service, allowUnencrypted: true }), own.fake.service)
  await asked
  assert.equal(await element.evaluate((element) => element.hasAttribute('allow-unencrypted') && element.appKey), 'cs_app_x')
  const reports = login.reports.splice(0)
  assert.equal(reports.filter((report) => report.includes('insecure_context')).length, 3)
  await login.close(/./)
})

eachVersion('elements without the components take what React writes', async (own, version) => {
  for (const late of [false, true]) {
    own.fake.seen = []
    const phone = await open(own, version, {
      prepare: (page) => page.addInitScript(() => {
        Object.defineProperty(crypto, 'subtle', { value: undefined })
        // This test's listener would otherwise handle it.
        addEventListener('verified', (event) => event.stopImmediatePropagation(), true)
      }),
    })
    const { page } = phone
    const warnings = []
    page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()))
    await page.evaluate(async ([late, service]) => {
      const shared = { error: null, refresh: () => {} }
      if (!late) await app.load()
      app.show('plain-login', { 'app-key': 'cs_app_x', service, 'allow-unencrypted': false, ...shared })
    }, [late, own.fake.service])
    await page.locator('countersign-login').waitFor({ state: 'attached' })
    if (late) await page.evaluate(() => app.load())
    await page.waitForFunction(() => document.querySelector('countersign-login')?.error?.code === 'insecure_context')
    assert.equal(await page.locator('countersign-login').evaluate((element) => typeof element.refresh), 'function')
    await page.evaluate(() => app.show('plain-phone', {
      start: '/sign-up/phone', texts: { scan: 'Scan me' }, error: null, refresh: () => {}, onVerified: () => {},
    }))
    assert.equal((await phone.event()).name, 'error')
    await phone.gets('started')
    const scans = await phone.element.getByText('Scan me', { exact: true }).count()
    assert.equal(scans + warnings.filter((text) => text.includes('cannot be read')).length, 1, warnings.join())
    own.fake.status = 'verified'
    const warned = page.waitForEvent('console', (message) => message.text().includes('Nothing listens for the event verified'))
    phone.poke()
    // React 18 has no such event, and React 19 calls it `Verified`.
    await warned
    phone.reports.splice(0)
    await page.context().close()
  }
})
