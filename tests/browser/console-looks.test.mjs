// Every screen of the operator's console: full, empty, failing, read-only, narrow, dark and in German.

import { NARROW, overTheConsole, refused } from './support/console.mjs'

const consoleTest = overTheConsole()

/** Addresses of the screens, with a text that stands there when they are loaded. */
async function screensOf({ fake }) {
  const items = fake.size > 0 ? fake.find_confirmations({ limit: 100 }).items : []
  const known = (state, more = () => true) => items.find((item) => item.state === state && more(fake.find(item.id)))
  const [login] = fake.find_logins({}).items
  const screens = {
    overview: '/',
    confirmations: '/confirmations',
    logins: '/logins',
    apps: '/apps',
    providers: '/providers',
    provider: '/providers/twilio',
    'provider-off': '/providers/telnyx',
    audit: '/audit',
    system: '/system',
  }
  if (fake.size > 1) {
    Object.assign(screens, {
      verified: `/confirmations/${known('verified').id}`,
      failed: `/confirmations/${known('verified', ({ delivery }) => delivery === 'failed').id}`,
      missed: `/confirmations/${known('expired', ({ miss }) => miss === 'wrong_sender').id}`,
      untexted: `/confirmations/${known('expired', ({ miss }) => miss === null).id}`,
      walk: '/confirmations?failed=1',
      login: `/logins/${login.id}`,
      app: '/apps/shop',
      keys: '/apps/shop/keys',
      people: '/apps/shop/people',
      webhooks: '/apps/bank-example/webhooks',
      'overview-split': '/?range=7d&by=app',
      'overview-days': '/?range=90d&by=country&measure=verified',
    })
  }
  return screens
}

/** Looks at each screen, loaded. */
async function lookAtAll(open, server, name, options = {}) {
  const console = await open(server, '/', options)
  await console.page.getByRole('heading', { level: 1 }).waitFor()
  for (const [screen, path] of Object.entries(await screensOf(server))) {
    await console.to(path)
    await console.page.locator('main h1').waitFor()
    await console.page.waitForFunction(() => document.querySelector('.loading') === null)
    await console.looks(`${name}-${screen}`)
  }
  return console
}

consoleTest('each screen with 100,000 confirmations', async ({ serve, open }) => {
  await lookAtAll(open, await serve({ size: 100_000 }), 'full')
})

consoleTest('each screen with one confirmation', async ({ serve, open }) => {
  await lookAtAll(open, await serve({ size: 1 }), 'one')
})

consoleTest('each screen without any data', async ({ serve, open }) => {
  await lookAtAll(open, await serve({ size: 0 }), 'empty')
})

consoleTest('each screen on a phone', async ({ serve, open }) => {
  await lookAtAll(open, await serve({ size: 500 }), 'narrow', NARROW)
})

consoleTest('each screen in the dark', async ({ serve, open }) => {
  await lookAtAll(open, await serve({ size: 500, local: true }), 'dark', { colorScheme: 'dark' })
})

consoleTest('each screen in German', async ({ serve, open }) => {
  await lookAtAll(open, await serve({ size: 500, readOnly: true }), 'german', { locale: 'de-DE', timezoneId: 'Europe/Berlin' })
})

consoleTest('each screen while the server has stopped', async ({ serve, open, expect }) => {
  const server = await serve({ size: 500 })
  const screens = await screensOf(server)
  const console = await open(server)
  await console.page.getByRole('heading', { name: 'Overview' }).waitFor()
  server.fake.isStopped = true
  for (const screen of ['overview', 'confirmations', 'verified', 'app', 'providers', 'system']) {
    await console.to(screens[screen])
    await console.page.getByRole('alert').first().waitFor()
    await console.looks(`stopped-${screen}`)
  }
  expect(refused(503))
})
