// The operator's console beside pages of other sites and other ports, in the same browser as an open session.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'

import { startConsole } from './support/operator.mjs'
import { startBrowser } from './support/page.mjs'
import { ask, startServer } from './support/server.mjs'
import { HANG } from './support/suite.mjs'
import { chromium, skipped } from './support/tools.mjs'

/** A name of an attacker that leads to this machine. */
const REBOUND = 'evil.example'

/** What a page may try to change. */
const ISSUE = JSON.stringify({ app: 'demo', test: false })

const own = {}

before(async () => {
  if (!chromium()) return
  own.browser = await startBrowser('wide', [`--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`])
  own.server = await startServer()
  own.site = await startAttacker()
}, HANG)

after(async () => {
  await own.browser?.close()
  own.site?.stop()
  await own.server?.stop()
}, HANG)

/** Starts a server of an attacker on another port. It keeps the cookies that it gets. */
async function startAttacker() {
  const cookies = []
  const server = createServer((request, response) => {
    if (request.headers.cookie !== undefined) cookies.push(request.headers.cookie)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end('<!doctype html><title>A game</title><link rel="icon" href="data:,"><h1>A game</h1>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    cookies,
    port: server.address().port,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Declares a test with an operator whose session is open, and with a page of an attacker in the same browser. */
function strangerTest(name, attackers, run) {
  test(name, HANG, async () => {
    if (!chromium()) return skipped(name, 'no Chromium')
    const operator = await startConsole(['--data', own.server.data])
    const context = await own.browser.newContext()
    try {
      const page = await context.newPage()
      await page.goto(operator.link('/confirmations'))
      await page.getByRole('heading', { level: 1, name: 'Confirmations' }).waitFor()
      const before = await audit()
      const attacker = await context.newPage()
      await attacker.goto(`http://${attackers}:${own.site.port}/`)
      await run({ attacker, url: operator.url, context })
      // The session is as it was, and nothing happened.
      await page.getByRole('link', { name: 'Apps', exact: true }).first().click()
      await page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor()
      await page.getByRole('link', { name: 'demo' }).first().waitFor()
      assert.deepEqual(await audit(), before)
    } finally {
      await context.close()
      await operator.stop()
    }
  })
}

async function audit() {
  const { code, out, err } = await own.server.run('audit', '--json')
  assert.equal(code, 0, err)
  return JSON.parse(out)
}

/** Tries, in a page of an attacker, to send requests and to read the answers. Returns what it got, by the way that it tried. */
function tryEverything({ url, body }) {
  const got = {}
  const json = { 'content-type': 'application/json', 'countersign-console': 'x' }
  const attempt = async (name, run) => {
    got[name] = await run().then((value) => value, () => 'refused')
  }
  const read = (path, options) => fetch(url + path, { credentials: 'include', ...options }).then((answer) => answer.text())
  const element = (tag, properties) => new Promise((resolve, reject) => {
    const made = Object.assign(document.createElement(tag), properties)
    made.onload = () => resolve('loaded')
    made.onerror = () => reject(new Error())
    document.body.append(made)
  })
  const socket = (path) => new Promise((resolve, reject) => {
    const opened = new WebSocket(url.replace('http', 'ws') + path)
    opened.onopen = () => resolve('open')
    opened.onerror = () => reject(new Error())
  })
  return (async () => {
    await attempt('reads the page', () => read('/'))
    await attempt('reads the script', () => read('/console.js'))
    await attempt('asks with JSON', () => read('/api/list_apps', { method: 'POST', headers: json, body: '{}' }))
    await attempt('asks with text', () => read('/api/list_apps', { method: 'POST', body: '{}' }))
    await attempt('changes blindly', () => fetch(`${url}/api/issue_key`, { method: 'POST', mode: 'no-cors', credentials: 'include', body }).then(({ type }) => type))
    await attempt('guesses a code', () => fetch(`${url}/session`, { method: 'POST', mode: 'no-cors', body: '{"code":"x"}' }).then(({ type }) => type))
    await attempt('beacon', async () => String(navigator.sendBeacon(`${url}/api/issue_key`, body)))
    await attempt('script', () => element('script', { src: `${url}/console.js` }))
    await attempt('style', () => element('link', { rel: 'stylesheet', href: `${url}/console.css` }))
    await attempt('picture', () => element('img', { src: `${url}/icon.svg` }))
    await attempt('script of data', () => element('script', { src: `${url}/api/list_apps` }))
    await attempt('socket', () => socket('/'))
    await attempt('socket of data', () => socket('/api/find_confirmations'))
    got.cookie = document.cookie
    got.storage = Object.keys(localStorage).join()
    return got
  })()
}

/** What a page of another origin gets: nothing that it can read. */
const NOTHING = {
  'reads the page': 'refused',
  'reads the script': 'refused',
  'asks with JSON': 'refused',
  'asks with text': 'refused',
  'changes blindly': 'refused',
  'guesses a code': 'refused',
  beacon: 'true',
  script: 'refused',
  style: 'refused',
  picture: 'refused',
  'script of data': 'refused',
  socket: 'refused',
  'socket of data': 'refused',
  cookie: '',
  storage: '',
}

for (const [name, host] of [['another site', REBOUND], ['another port', '127.0.0.1']]) {
  strangerTest(`a page of ${name} reads nothing and changes nothing`, host, async ({ attacker, url }) => {
    const got = await attacker.evaluate(tryEverything, { url, body: ISSUE })
    assert.deepEqual(got, NOTHING)
  })

  strangerTest(`a form of ${name} changes nothing`, host, async ({ attacker, url }) => {
    for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      for (const path of ['/api/issue_key', '/session']) {
        await attacker.goto(`http://${host}:${own.site.port}/`)
        const answer = attacker.waitForResponse((response) => response.url() === url + path)
        await attacker.evaluate(({ action, type, body }) => {
          const form = Object.assign(document.createElement('form'), { method: 'post', action, enctype: type })
          form.append(Object.assign(document.createElement('input'), { name: `${body.slice(0, -1)},"x":"`, value: '"}' }))
          document.body.append(form)
          form.submit()
        }, { action: url + path, type: enctype, body: ISSUE })
        assert.equal((await answer).status(), 403, `${enctype} ${path}`)
        await attacker.waitForURL(url + path)
      }
    }
  })

  strangerTest(`a window and a frame of ${name} are out of reach`, host, async ({ attacker, url, context }) => {
    const opening = context.waitForEvent('page')
    await attacker.evaluate((target) => { globalThis.opened = window.open(`${target}/confirmations`) }, url)
    const opened = await opening
    await opened.getByRole('heading', { level: 1 }).first().waitFor()
    assert.equal(await opened.evaluate(() => window.opener), null)
    assert.equal(await attacker.evaluate(() => globalThis.opened.closed), true)
    const frame = await attacker.evaluate((target) => new Promise((resolve) => {
      const made = Object.assign(document.createElement('iframe'), { src: target })
      made.onload = () => {
        try {
          resolve(made.contentDocument === null ? 'foreign' : made.contentDocument.body.innerText)
        } catch {
          resolve('foreign')
        }
      }
      document.body.append(made)
    }), url)
    assert.equal(frame, 'foreign')
    const shown = attacker.frames().find((one) => one !== attacker.mainFrame())
    assert.ok(!shown.url().startsWith(url), shown.url())
  })
}

strangerTest('the cookie that another port gets opens nothing', '127.0.0.1', async ({ attacker, url }) => {
  await attacker.goto(`http://127.0.0.1:${own.site.port}/`)
  // Browsers send cookies to each port of a host.
  const stolen = own.site.cookies.findLast((cookie) => cookie.includes('countersign-console-'))
  assert.ok(stolen, 'the browser sent no cookie')
  const value = stolen.split('=')[1]
  for (const headers of [{}, { 'countersign-console': value }, { 'countersign-console': 'x' }]) {
    for (const name of ['list_apps', 'show_console', 'issue_key']) {
      const answer = await ask(`${url}/api/${name}`, {
        method: 'POST',
        headers: { origin: url, 'content-type': 'application/json', cookie: stolen, ...headers },
        body: ISSUE,
      })
      assert.equal(answer.status, 401, `${name} ${Object.keys(headers)}`)
    }
  }
})

strangerTest('a name that is bound to this machine gets not even the page', '127.0.0.1', async ({ attacker, url }) => {
  const rebound = url.replace('127.0.0.1', REBOUND)
  const page = await attacker.goto(`${rebound}/`)
  assert.equal(page.status(), 421)
  // For the browser, this page has the console's origin.
  const statuses = await attacker.evaluate(async (body) => {
    const ask = (path, options) => fetch(path, options).then(({ status }) => status)
    const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    return [await ask('/'), await ask('/console.js'), await ask('/api/list_apps', json), await ask('/session', json)]
  }, ISSUE)
  assert.deepEqual(statuses, [421, 421, 421, 421])
})
