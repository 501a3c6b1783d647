// Every screen of the operator's console over a real server: full, empty, narrow, dark, in German and for one who only reads.

import { NARROW, overTheServersConsole } from './support/console.mjs'
import { createApp, FOREIGN, registerKey, startLogin } from './support/console-data.mjs'

const APP = [
  '--sender', '+12025550199', '--sender', 'DE=+4915735990000', '--callback-url', 'https://hooks.shop.example/countersign',
  '--message-template', 'My code for the shop is {code}. Send it unchanged.', '--message-template-in', 'de=Mein Code für den Laden: {code}',
  '--link-host', 'login.shop.example', '--origin', 'https://shop.example', '--origin', 'https://www.shop.example',
  '--add-return-page', 'https://shop.example/login', '--ios', 'ABCDE12345.com.example.shop', '--refuse-number-type', 'premium-rate',
]

/** Starts confirmations in every state that needs no waiting, and logins. */
async function fill({ server, receiver }) {
  const shop = await createApp(server, 'shop', ...APP)
  const bank = await createApp(server, 'bank-example', '--sender', '+12025550199')
  const { url } = receiver
  const ids = {}
  for (let index = 0; index < 12; index += 1) await shop.verified(`${url}/204`, `+1202555010${index % 10}`, 'delivered')
  ids.verified = await shop.verified(`${url}/204`, '+12025550100', 'delivered', { order: 4711, note: FOREIGN, cart: ['tea', 'cups'] })
  ids.failed = await shop.verified(`${url}/410`, '+442079460018', 'failed')
  const pending = await shop.start(`${url}/500`)
  await shop.text(pending, '+33612345678')
  ids.pending = pending.confirmationId
  const missed = await bank.start(`${url}/204`, '+4917012345678')
  await bank.text(missed, '+12025550100')
  ids.missed = missed.confirmationId
  ids.open = (await bank.start(`${url}/204`)).confirmationId
  const key = await registerKey(server, 'shop', 'user-1')
  ids.login = await startLogin(server, '--confirm')
  await startLogin(server, '--deny')
  await startLogin(server)
  return { ids, key }
}

const consoleTest = overTheServersConsole(fill)

/** Addresses of the screens. */
const screensOf = ({ ids }) => ({
  overview: '/',
  'overview-split': '/?range=7d&by=app',
  'overview-days': '/?range=90d&by=country&measure=verified',
  confirmations: '/confirmations',
  walk: '/confirmations?failed=1',
  verified: `/confirmations/${ids.verified}`,
  failed: `/confirmations/${ids.failed}`,
  pending: `/confirmations/${ids.pending}`,
  missed: `/confirmations/${ids.missed}`,
  open: `/confirmations/${ids.open}`,
  logins: '/logins',
  login: `/logins/${ids.login}`,
  apps: '/apps',
  app: '/apps/shop',
  keys: '/apps/shop/keys',
  people: '/apps/shop/people',
  webhooks: '/apps/shop/webhooks',
  providers: '/providers',
  provider: '/providers/twilio',
  audit: '/audit',
  system: '/system',
  nowhere: '/no/such/page',
})

/** Looks at each screen, loaded. */
async function lookAtAll(open, data, name, options = {}) {
  const console = await open('/', options)
  await console.loaded()
  for (const [screen, path] of Object.entries(screensOf(data))) {
    await console.to(path)
    await console.loaded()
    await console.looks(`real-${name}-${screen}`)
  }
}

consoleTest('each screen', ({ open, data }) => lookAtAll(open, data, 'full'))
consoleTest('each screen on a phone', ({ open, data }) => lookAtAll(open, data, 'narrow', NARROW))
consoleTest('each screen in the dark', ({ open, data }) => lookAtAll(open, data, 'dark', { colorScheme: 'dark' }))
consoleTest('each screen in German', ({ open, data }) => (
  lookAtAll(open, data, 'german', { locale: 'de-DE', timezoneId: 'Europe/Berlin' })
))
consoleTest('each screen in German on a phone', ({ open, data }) => (
  lookAtAll(open, data, 'german-narrow', { ...NARROW, locale: 'de-DE', timezoneId: 'Europe/Berlin' })
))
consoleTest('each screen for one who only reads', ({ open, data }) => lookAtAll(open, data, 'reading', { options: ['--read-only'] }))
