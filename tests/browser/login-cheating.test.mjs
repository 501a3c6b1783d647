// Dishonest answers of the service, or of an attacker between it and the page.

import assert from 'node:assert/strict'

import { openLogin } from './support/login.mjs'
import { keep } from './support/page.mjs'
import { pageWith } from './support/site.mjs'
import { overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()

const open = ({ browser, server, site }, prepare) => (
  openLogin(browser, server, site.put(pageWith(server)), { prepare })
)

/** Changes the answers to POST requests for a path. */
const changed = (pattern, change) => (page) => page.route(pattern, async (route) => {
  if (route.request().method() !== 'POST') return route.continue()
  const response = await route.fetch()
  return route.fulfill({ response, json: change(await response.json()) })
})

const OTHER = '00112233445566778899aabbccddeeff'

const ANSWERS = {
  'another id': ['wrong_session', ({ url, ...rest }) => (
    { ...rest, url: url.replace(/=.*/, `=qrs_${OTHER}`), sessionId: `qrs_${OTHER}` }
  )],
  'an id without a key': ['wrong_session', ({ url, ...rest }) => (
    { ...rest, url: url.replace(/=.*/, `=qrp_${OTHER}`), sessionId: `qrp_${OTHER}` }
  )],
  'a link to another session': ['bad_link', (answer) => (
    { ...answer, url: answer.url.replace(/=.*/, `=qrs_${OTHER}`) }
  )],
  'a link with a fragment': ['bad_link', (answer) => ({ ...answer, url: `${answer.url}#k=AAAA` })],
  'a link with a second parameter': ['bad_link', (answer) => (
    { ...answer, url: `${answer.url}&sessionId=qrs_${OTHER}` }
  )],
  'a link with user info': ['bad_link', (answer) => ({ ...answer, url: answer.url.replace('://', '://a@') })],
  'a link with another scheme': ['bad_link', (answer) => ({ ...answer, url: answer.url.replace('http', 'https') })],
}

loginTest('no code is drawn for another session than the page\'s own', async (own) => {
  const given = []
  let change
  const login = await open(own, async (page) => {
    await changed(/\/qr-sessions$/, (answer) => change(answer))(page)
    page.on('websocket', (socket) => given.push(`socket ${socket.url()}`))
    page.on('request', (request) => {
      if (request.method() === 'DELETE') given.push(new URL(request.url()).pathname)
    })
    change = () => ({})
  })
  await login.gets('error')
  for (const [what, [expected, changes]] of Object.entries(ANSWERS)) {
    change = changes
    const cancelled = login.page.waitForRequest((request) => request.method() === 'DELETE')
    given.length = 0
    await login.element.evaluate((element) => element.refresh())
    const { code, message } = await login.gets('error')
    assert.equal(code, expected, `${what}: ${message}`)
    assert.equal(await login.link(), null, what)
    assert.equal(await login.code.count(), 0, what)
    await login.sees('The login did not work')
    await login.getsNothing()
    await cancelled
    assert.equal(given.length, 1, `${what}: ${given}`)
    assert.match(given[0], /^\/qr-sessions\/qrs_[0-9a-f]{32}$/, what)
    assert.ok(!given[0].includes(OTHER), what)
  }
  await login.close()
})

loginTest('payload that was not encrypted for the page is an error', async (own) => {
  const payloads = {
    'a readable one': ['not_encrypted', () => ({ payload: 'in the clear', encrypted: false })],
    'a readable one that claims to be encrypted': ['decryption_failed', () => (
      { payload: 'in the clear', encrypted: true }
    )],
    'an altered one': ['decryption_failed', ({ payload, ...rest }) => (
      { ...rest, payload: payload.slice(0, -4) + (payload.endsWith('AAAA') ? 'BBBB' : 'AAAA') }
    )],
  }
  for (const [what, [expected, change]] of Object.entries(payloads)) {
    const login = await open(own, changed(/\/redeem$/, change))
    const { code, err } = await login.phone(await login.shownLink(), '--confirm', '--payload', 'secret')
    assert.equal(code, 0, err)
    await login.gets('scanned')
    const error = await login.gets('error')
    assert.equal(error.code, expected, what)
    assert.ok(!/in the clear|secret/.test(error.message), what)
    await login.sees('The login did not work')
    await login.getsNothing()
    await keep(login.page, 'login-cheating')
    await login.close()
  }
})

loginTest('payload of another login cannot be opened', async (own) => {
  const sealed = []
  const take = changed(/\/redeem$/, (answer) => {
    sealed.push(answer)
    return answer
  })
  const first = await open(own, take)
  assert.equal((await first.phone(await first.shownLink(), '--confirm', '--payload', 'first')).code, 0)
  await first.gets('scanned')
  assert.equal((await first.getsConfirmed()).payload, 'first')
  await first.close()

  const second = await open(own, changed(/\/redeem$/, () => sealed[0]))
  assert.equal((await second.phone(await second.shownLink(), '--confirm', '--payload', 'second')).code, 0)
  await second.gets('scanned')
  assert.equal((await second.gets('error')).code, 'decryption_failed')
  await second.close()
})
