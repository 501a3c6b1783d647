// Retries, limits, and requests with `fetch`.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'

import { fetchHttp } from '../dist/http.js'
import { World, failure } from './support/world.mjs'

const busy = (status, retryAfter) => ({ status, retryAfter, body: { title: 'Busy', code: 'rate_limited' } })

test('attempts are repeated with growing waits, and then end', async () => {
  const world = await World.of()
  world.fates = Array(6).fill('unsent')
  assert.equal((await failure(world.open())).code, 'network')
  assert.deepEqual([world.calls.length, world.time], [6, 7750])
})

test('service says how long to wait, unless that is too long for a user', async () => {
  for (const [fate, time, count] of [
    [busy(429, '3'), 3000, 2], [busy(503, ' 7 '), 7000, 2], [busy(503, 'soon'), 250, 2], [busy(503, undefined), 250, 2], [busy(429, '11'), 0, 1],
  ]) {
    const world = await World.of()
    world.fates = [fate]
    const end = await world.open().then(() => 'opened', ({ code }) => code)
    assert.deepEqual([end, world.time, world.calls.length], [count === 2 ? 'opened' : 'problem', time, count], fate.retryAfter)
  }
})

test('refusals are not repeated', async () => {
  for (const status of [400, 401, 403, 404, 500]) {
    const world = await World.of()
    world.fates = [busy(status, '1')]
    await failure(world.open())
    assert.equal(world.calls.length, 1)
  }
})

test('attempt without an answer ends', async () => {
  const world = await World.of()
  world.fates = ['silent']
  await world.open()
  assert.deepEqual([world.routes(), world.time], [['initiate', 'initiate'], 10_250])
})

test('answers are sent until the login expires', async () => {
  const world = await World.of()
  world.options.retries = { delays: Array(100).fill(50_000 / 8) }
  const session = await world.open()
  world.fates = Array(100).fill('unsent')
  // Nothing is sent after the end: 180 seconds have 28 waits of 6.25.
  assert.equal((await failure(session.confirm('a token'))).code, 'network')
  assert.equal(world.calls.length, 1 + 29 - 0)
  world.time += 6250
  world.fates = ['unsent']
  assert.equal((await failure(session.confirm('a token'))).code, 'expired')
})

/** Serves one answer, and returns the received request and what `fetchHttp` makes of it. */
async function served(t, respond, request = {}) {
  const seen = []
  const server = createServer((incoming, response) => {
    const { method, url, headers } = incoming
    let body = ''
    incoming.on('data', (text) => { body += text })
    incoming.on('end', () => {
      seen.push({ method, url, headers, body })
      respond(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => { server.closeAllConnections(); server.close() })
  const url = `http://127.0.0.1:${server.address().port}/initiate`
  const signal = new AbortController().signal
  const answer = await fetchHttp({ url, headers: { authorization: 'Bearer x' }, body: '{}', signal, ...request }).catch((error) => error)
  return { answer, seen }
}

test('fetch sends a request, and reads status, wait and body', async (t) => {
  const { answer, seen } = await served(t, (response) => response.writeHead(503, { 'retry-after': '3' }).end('"Zoë"'))
  assert.deepEqual(answer, { status: 503, retryAfter: '3', body: '"Zoë"' })
  const [{ method, url, headers, body }] = seen
  assert.deepEqual([method, url, headers.authorization, body], ['POST', '/initiate', 'Bearer x', '{}'])
})

test('fetch follows no redirect', async (t) => {
  const { answer, seen } = await served(t, (response) => response.writeHead(307, { location: '/elsewhere' }).end())
  assert.deepEqual([answer.status, seen.length], [307, 1])
})

test('fetch stops reading an endless answer', async (t) => {
  const { answer } = await served(t, (response) => {
    response.writeHead(200)
    const write = () => { while (!response.destroyed && response.write('x'.repeat(10_000))) { /* until the buffer is full */ } }
    response.on('drain', write)
    write()
  })
  assert.equal(answer.kind, 'answer_too_long')
})

test('fetch does not say why, since engines quote requests', async (t) => {
  const { answer } = await served(t, () => {}, { url: 'http://127.0.0.1:1/' })
  assert.deepEqual([answer.kind, answer.message, answer.cause], ['temporary', 'the service cannot be reached', undefined])
})
