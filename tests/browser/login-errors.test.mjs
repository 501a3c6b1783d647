// Errors of the login element: in the console, in `element.error`, and for late listeners.

import assert from 'node:assert/strict'

import { openLogin } from './support/login.mjs'
import { pageWith, startSite } from './support/site.mjs'
import { overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()

const error = ({ element }) => element.evaluate(({ error }) => error)

/** Adds a listener for `error` to the element, and returns what it receives next. */
const lateListener = ({ element }) => element.evaluate(async (element) => {
  const got = []
  element.addEventListener('error', ({ detail, target }) => got.push([detail.code, target === element]))
  await null
  return got
})

loginTest('console says once how to allow the origin of the page', async ({ browser, server }) => {
  const stranger = await startSite()
  try {
    const login = await openLogin(browser, server, stranger.put(pageWith(server)))
    const { code, message, remedy } = await login.gets('error')
    assert.ok(remedy.endsWith(`countersign app update APP --add-origin ${stranger.url}`), remedy)
    assert.equal(login.reports.length, 1)
    assert.ok(login.reports[0].endsWith(remedy))
    assert.deepEqual(await error(login), { code, message, remedy })

    assert.equal((await server.run('app', 'update', 'demo', '--add-origin', stranger.url)).code, 0)
    await login.page.getByRole('button', { name: 'Try again' }).click()
    await login.shownLink()
    assert.equal(await error(login), null)
    await login.getsNothing()
    await login.close(/status of 403/)
  } finally {
    stranger.stop()
  }
})

loginTest('listener that comes after the error gets it, and only the first does', async (own) => {
  const body = () => '<countersign-login></countersign-login>'
  const login = await openLogin(own.browser, own.server, own.site.put(pageWith(own.server, { body })))
  await login.gets('error')
  assert.deepEqual(await lateListener(login), [['app_key_missing', true]])
  assert.deepEqual(await lateListener(login), [])
  await login.getsNothing()
  await login.element.evaluate((element) => element.refresh())
  await login.gets('error')
  await login.close()
})

loginTest('policy that forbids requests to the service is named', async (own) => {
  const { browser, server, site } = own
  const policy = `connect-src 'self'; script-src ${server.url}`
  const url = site.put(pageWith(server), { 'content-security-policy': policy })
  const login = await openLogin(browser, server, url)
  const { code, remedy } = await login.gets('error')
  assert.equal(code, 'blocked_by_policy')
  assert.ok(remedy.includes(server.url), remedy)
  await login.sees('The login did not work')
  await login.getsNothing()
  assert.equal(login.reports.length, 1, login.reports.join('\n'))
  await login.close(/policy/i)
})

loginTest('service that does not answer is reported once, without an event, until it answers', async (own) => {
  const { browser, server, site } = own
  let away = true
  const prepare = (page) => page.route(/\/qr-sessions$/, (route) => (
    away ? route.abort('connectionrefused') : route.continue()
  ))
  const login = await openLogin(browser, server, site.put(pageWith(server)), { prepare })
  await login.sees('The service does not answer. Trying again…')
  await login.page.waitForEvent('requestfailed')
  assert.equal((await error(login)).code, 'unreachable')
  assert.deepEqual(await lateListener(login), [])
  away = false
  await login.shownLink()
  assert.equal(await error(login), null)
  assert.equal(login.reports.length, 1)
  await login.getsNothing()
  await login.close(/ERR_CONNECTION_REFUSED/)
})
