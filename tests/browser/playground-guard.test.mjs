// Access to the playground. Sends requests with a browser's headers, without a browser.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, test } from 'node:test'

import { ask, startServer } from './support/server.mjs'
import { HANG } from './support/suite.mjs'
import { countersign } from './support/tools.mjs'

let server
let confirmation

before(async () => {
  assert.ok(existsSync(countersign()), `there is no ${countersign()}; build it first`)
  server = await startServer()
  const started = await start({ origin: server.url })
  assert.equal(started.status, 200, started.text)
  confirmation = `/playground/confirmations/${started.json().token}`
}, HANG)

after(async () => {
  assert.equal(await server?.stop(), 0)
}, HANG)

function start(headers) {
  const body = JSON.stringify({ flow: 'acquisition' })
  return ask(`${server.url}/playground/confirmations`, { method: 'POST', headers, body })
}

const mutations = () => [
  ['POST', '/playground/confirmations', '{"flow":"acquisition"}'],
  ['POST', `${confirmation}/text`, '{"from":"+12025550100","message":"hello"}'],
  ['POST', `${confirmation}/redeliver`, ''],
  ['DELETE', confirmation, ''],
]

test('pages of other origins are refused', HANG, async () => {
  const { port } = new URL(server.url)
  const foreign = [
    {},
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: `http://evil.example:${port}` },
    { origin: `https://127.0.0.1:${port}` },
    { origin: `http://127.0.0.1:${Number(port) + 1}` },
    { origin: `http://127.0.0.1:${port}.evil.example` },
  ]
  for (const headers of foreign) {
    for (const [method, path, body] of mutations()) {
      const answer = await ask(server.url + path, { method, headers, body })
      const what = `${method} ${path} ${JSON.stringify(headers)}`
      assert.equal(answer.status, 403, what)
      assert.equal(answer.headers['content-type'], 'application/problem+json', what)
      assert.equal(answer.json().code, 'origin_forbidden', what)
      assert.equal(answer.headers['access-control-allow-origin'], undefined, what)
    }
  }
})

test('page is served under any name of loopback', HANG, async () => {
  const { port } = new URL(server.url)
  const host = `localhost:${port}`
  const answer = await start({ host, origin: `http://${host}` })
  assert.equal(answer.status, 200, answer.text)
})

test('foreign host name that resolves to loopback is refused', HANG, async () => {
  const { port } = new URL(server.url)
  for (const host of ['evil.example', `evil.example:${port}`, `localhost.evil.example:${port}`]) {
    const headers = { host, origin: `http://${host}` }
    for (const path of ['/', '/playground.js', confirmation, `${confirmation}/events`]) {
      const answer = await ask(server.url + path, { headers })
      assert.equal(answer.status, 421, `${path} as ${host}`)
    }
    assert.equal((await start(headers)).status, 421)
  }
})

test('page and its parts have a strict content security policy', HANG, async () => {
  const page = await ask(`${server.url}/`)
  assert.equal(page.status, 200)
  assert.match(page.headers['content-type'], /^text\/html/)
  assert.doesNotMatch(page.text, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=/)
  const parts = [...page.text.matchAll(/(?:src|href)="(\/[^"#]*)"/g)].map(([, path]) => path)
  assert.ok(parts.includes('/playground.js') && parts.includes('/playground.css'))
  for (const path of ['/', ...parts.filter((path) => path.startsWith('/playground'))]) {
    const { status, headers } = await ask(server.url + path)
    assert.equal(status, 200, path)
    const policy = headers['content-security-policy']
    assert.match(policy, /default-src 'none'/, path)
    assert.match(policy, /frame-ancestors 'none'/, path)
    assert.doesNotMatch(policy, /unsafe|\*|https?:/, path)
    assert.equal(headers['x-content-type-options'], 'nosniff', path)
    assert.equal(headers['referrer-policy'], 'no-referrer', path)
    assert.equal(headers['cache-control'], 'no-cache', path)
    const again = await ask(server.url + path, { headers: { 'if-none-match': headers.etag } })
    assert.equal(again.status, 304, path)
  }
})

test('forged webhook is refused', HANG, async () => {
  const started = (await start({ origin: server.url })).json()
  const feigned = await ask(started.request.body.callbackUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-signature': 'MEUCIQ==' },
    body: JSON.stringify({ confirmationId: started.confirmation.confirmationId }),
  })
  assert.equal(feigned.status, 403)
  const nobodys = await ask(`${server.url}/playground/webhooks/unknown`, { method: 'POST' })
  assert.equal(nobodys.status, 410)
})

test('wrong requests get a problem', HANG, async () => {
  const own = { origin: server.url }
  for (const [method, path, body, status, code] of [
    ['POST', '/playground/confirmations', 'no JSON', 400, 'malformed_json'],
    ['PUT', '/playground/confirmations', '', 405, 'method_not_allowed'],
    ['GET', '/playground/confirmations/unknown', undefined, 404, 'not_found'],
    ['GET', '/playground/unknown', undefined, 404, 'not_found'],
  ]) {
    const answer = await ask(server.url + path, { method, headers: own, body })
    assert.equal(answer.status, status, path)
    assert.equal(answer.json().code, code, path)
  }
})
