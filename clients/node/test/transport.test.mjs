import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'

import { ConnectionError, Countersign, ProblemError } from '../src/index.js'
import { SYSTEM } from '../src/system.js'
import { API_KEY, connect, eventOf, problem, signingKey, startStub, started } from './support/stub.mjs'

const keysOf = ({ requests }) => requests.map(({ headers }) => headers['idempotency-key'])

test('temporary failures are repeated with one idempotency key', async (t) => {
  const { stub, system, countersign } = await connect(t)
  stub.answers.push(problem(503, 'service_unavailable'), 'drop', started())
  const { confirmationId } = await countersign.confirmations.acquire({ callbackUrl: 'https://shop.example/hook' })
  assert.equal(confirmationId, started().body.confirmationId)
  const [key, ...others] = keysOf(stub)
  assert.match(key, /^[\da-f-]{36}$/)
  assert.deepEqual(others, [key, key])
  assert.deepEqual(system.waits, [500, 1000])
  assert.equal(stub.requests[0].headers['x-api-key'], API_KEY)

  stub.answers.push(started(2))
  await countersign.confirmations.acquire()
  assert.notEqual(keysOf(stub)[3], key)
})

test('waits get longer by chance', async (t) => {
  const { stub, system, countersign } = await connect(t)
  system.random = () => 0.5
  stub.answers.push(problem(500, 'internal_error'), problem(500, 'internal_error'), started())
  await countersign.confirmations.acquire()
  assert.deepEqual(system.waits, [562.5, 1125])
})

test("caller's idempotency key and unknown members are passed on", async (t) => {
  const { stub, countersign } = await connect(t)
  stub.answers.push(started())
  await countersign.confirmations.confirm({ phoneNumber: '+12025550100', country: 'DE', idempotencyKey: 'mine' })
  const [{ method, path, headers, text }] = stub.requests
  assert.deepEqual([method, path, headers['idempotency-key']], ['POST', '/make-confirmation', 'mine'])
  assert.deepEqual(JSON.parse(text), { phoneNumber: '+12025550100', country: 'DE' })
})

test('third failure is thrown', async (t) => {
  const { stub, countersign } = await connect(t)
  for (const status of [429, 500, 502, 503, 504]) {
    stub.requests.length = 0
    stub.answers.push(...Array.from({ length: 3 }, () => problem(status, 'trouble')))
    await assert.rejects(countersign.confirmations.get('cfm_1'), { name: 'ProblemError', status, code: 'trouble' })
    assert.equal(stub.requests.length, 3)
  }
})

test('problems are typed and not repeated', async (t) => {
  const { stub, countersign } = await connect(t)
  const body = { ...problem(422, 'callback_url_not_https').body, detail: 'Use https.', field: '/callbackUrl' }
  stub.answers.push({ status: 422, body })
  const error = await countersign.confirmations.acquire().catch((thrown) => thrown)
  assert.ok(error instanceof ProblemError)
  const { message, ...facts } = error
  assert.deepEqual({ ...facts }, {
    name: 'ProblemError',
    status: 422,
    code: 'callback_url_not_https',
    title: 'About callback_url_not_https',
    detail: 'Use https.',
    field: '/callbackUrl',
    requestId: 'req_1',
    retryAfter: undefined,
  })
  assert.equal(error.message, 'About callback_url_not_https (422 callback_url_not_https)')
  assert.equal(stub.requests.length, 1)

  stub.answers.push({ status: 403, body: { message: 'Forbidden' } })
  await assert.rejects(countersign.confirmations.get('cfm_1'), { name: 'ProblemError', code: 'http_403' })
})

test('redirects are refused', async (t) => {
  const { stub, countersign } = await connect(t)
  for (const status of [301, 302, 307, 308]) {
    stub.requests.length = 0
    stub.answers.push({ status, headers: { location: `${stub.url}/elsewhere` }, body: {} })
    await assert.rejects(countersign.confirmations.get('cfm_1'), ConnectionError)
    assert.equal(stub.requests.length, 1)
  }
})

test('answer that is no JSON is an error of the connection', async (t) => {
  const { stub, countersign } = await connect(t)
  stub.answers.push({ status: 200, body: '<html>' })
  await assert.rejects(countersign.confirmations.get('cfm_1'), { name: 'ConnectionError', status: 200 })
  assert.equal(stub.requests.length, 1)
  stub.answers.push({ status: 502, body: '<html>' }, { status: 200, body: { status: 'open' } })
  assert.deepEqual(await countersign.confirmations.get('cfm_1'), { status: 'open' })
})

test('each try has a deadline', async (t) => {
  const { stub, system, countersign } = await connect(t)
  stub.onRequest = () => system.deadlines.at(-1).controller.abort()
  stub.answers.push('hang', 'hang', 'hang')
  await assert.rejects(countersign.confirmations.get('cfm_1'), {
    name: 'ConnectionError',
    message: `the service at ${stub.url} did not answer in time`,
  })
  const [first, second, last] = system.deadlines.map(({ ms }) => ms)
  assert.deepEqual([first, second], [10_000, 10_000])
  // Two waits have passed, and a little real time.
  assert.ok(last <= 28_500 && last > 28_000, `the last try had ${last} ms`)
})

test('redelivery is repeated only if nothing can have acted on it', async (t) => {
  const { stub, countersign } = await connect(t)
  const attempts = async (...answers) => {
    stub.requests.length = 0
    stub.answers.push(...answers)
    const outcome = await countersign.confirmations.redeliver('cfm_1').catch(({ name }) => name)
    stub.answers.length = 0
    return [outcome, stub.requests.length]
  }
  const fine = { status: 202, body: { status: 'verified' } }
  assert.deepEqual(await attempts(problem(429, 'app_rate_exceeded'), fine), [fine.body, 2])
  assert.deepEqual(await attempts(problem(503, 'service_unavailable'), fine), ['ProblemError', 1])
  assert.deepEqual(await attempts('drop', fine), ['ConnectionError', 1])

  const down = await connect(t)
  await down.stub.stop()
  await assert.rejects(down.countersign.confirmations.redeliver('cfm_1'), { name: 'ConnectionError' })
  assert.equal(down.system.waits.length, 2)
})

const page = (ids, nextCursor) => ({
  status: 200,
  body: { confirmations: ids.map((confirmationId) => ({ confirmationId })), nextCursor },
})

test('pages of the list are iterated', async (t) => {
  const { stub, countersign } = await connect(t)
  stub.answers.push(
    page(['cfm_1', 'cfm_2'], 'a/b'),
    page([], 'c'),
    problem(503, 'service_unavailable'),
    page(['cfm_3']),
  )
  const ids = []
  const query = { status: 'verified', lastDigits: '0100', createdFrom: '2026-01-02T03:04:05Z', limit: 2, search: 'x' }
  for await (const { confirmationId } of countersign.confirmations.list(query)) ids.push(confirmationId)
  assert.deepEqual(ids, ['cfm_1', 'cfm_2', 'cfm_3'])
  const cursors = stub.requests.map(({ path }) => {
    const { cursor, ...others } = Object.fromEntries(new URL(path, stub.url).searchParams)
    assert.deepEqual(others, { ...query, limit: '2' })
    return cursor
  })
  assert.deepEqual(cursors, [undefined, 'a/b', 'c', 'c'])
})

test('pages of logins are iterated', async (t) => {
  const { stub, countersign } = await connect(t)
  const sessions = (ids) => ids.map((sessionId) => ({ sessionId }))
  stub.answers.push({ status: 200, body: { sessions: sessions(['qrs_1', 'qrs_2']), nextCursor: 'a/b' } })
  stub.answers.push({ status: 200, body: { sessions: sessions(['qrs_3']) } })
  const ids = []
  const query = { state: 'confirmed', createdFrom: '2026-01-02T03:04:05Z', limit: 2 }
  for await (const { sessionId } of countersign.logins.list(query)) ids.push(sessionId)
  assert.deepEqual(ids, ['qrs_1', 'qrs_2', 'qrs_3'])
  const path = '/qr-sessions?state=confirmed&createdFrom=2026-01-02T03%3A04%3A05Z&limit=2'
  assert.deepEqual(stub.requests.map((request) => request.path), [path, `${path}&cursor=a%2Fb`])
})

test('ids and keys are escaped in paths', async (t) => {
  const { stub, countersign } = await connect(t)
  await assert.rejects(countersign.confirmations.cancel('../x?y'), { code: 'not_found' })
  await assert.rejects(countersign.associationKeys.list({ publicUserId: 'zoe&x=1' }), { code: 'not_found' })
  const paths = stub.requests.map(({ path }) => path)
  assert.deepEqual(paths, ['/confirmations/..%2Fx%3Fy', '/association-keys?publicUserId=zoe%26x%3D1'])
})

test('ids that are none send nothing', async (t) => {
  const { stub, countersign: { confirmations, logins, associationKeys, phoneRegistrations } } = await connect(t)
  for (const id of ['', '.', '..', undefined, null, 7]) {
    await assert.rejects(confirmations.redact(id), TypeError)
    await assert.rejects(logins.cancel(id), TypeError)
    await assert.rejects(associationKeys.revoke(id), TypeError)
    await assert.rejects(phoneRegistrations.get(id), TypeError)
    await assert.rejects(phoneRegistrations.cancel(id), TypeError)
  }
  for (const browserToken of [undefined, null, '', 'line\nfeed']) {
    await assert.rejects(logins.create({ browserToken, origin: 'https://shop.example' }), TypeError)
  }
  assert.equal(stub.requests.length, 0)
})

test('trailing slashes of the URL go', async (t) => {
  const stub = await startStub(t)
  stub.answers.push({ status: 200, body: {} })
  await new Countersign({ url: `${stub.url}//`, apiKey: API_KEY }).confirmations.get('cfm_1')
  assert.equal(stub.requests[0].path, '/confirmations/cfm_1')
})

test('call ends with its total, whatever the service does', async (t) => {
  const stub = await startStub(t)
  const client = (options) => new Countersign({ url: stub.url, apiKey: API_KEY, ...options })
  const late = { name: 'ConnectionError', message: `the service at ${stub.url} did not answer in time` }
  stub.answers.push('hang', 'drip', 'hang')
  await assert.rejects(client({ timeout: 200 }).confirmations.get('cfm_1'), late)
  await assert.rejects(client({ timeout: 200 }).confirmations.get('cfm_1'), late)
  await assert.rejects(client({ maxRetries: 0 }).confirmations.get('cfm_1', { timeout: 200 }), late)
  // Even if the function that sends requests ignores signals.
  const fetch = () => new Promise(() => {})
  await assert.rejects(client({ fetch, timeout: 50 }).confirmations.get('cfm_1'), late)
  assert.equal(stub.requests.length, 3)
})

for (const place of ['client', 'call']) {
  test(`signal of the ${place} ends a try, a wait and what comes after`, async (t) => {
    const reason = new Error('the visitor left')
    const begin = async () => {
      const controller = new AbortController()
      const { signal } = controller
      const { stub, countersign, system } = await connect(t, place === 'client' ? { signal } : {})
      const get = () => countersign.confirmations.get('cfm_1', place === 'call' ? { signal } : undefined)
      return { stub, system, controller, get }
    }
    const trying = await begin()
    trying.stub.answers.push('hang')
    trying.stub.onRequest = () => trying.controller.abort(reason)
    await assert.rejects(trying.get(), reason)
    assert.equal(trying.stub.requests.length, 1)

    const waiting = await begin()
    const { sleep } = waiting.system
    waiting.system.sleep = (...words) => {
      waiting.controller.abort(reason)
      return sleep(...words)
    }
    waiting.stub.answers.push(problem(503, 'x'))
    await assert.rejects(waiting.get(), reason)
    await assert.rejects(waiting.get(), reason)
    assert.equal(waiting.stub.requests.length, 1)
  })
}

test('sleep of the real system ends with a signal', async () => {
  const [first, second] = [new AbortController(), new AbortController()]
  const asleep = SYSTEM.sleep(60_000, [first.signal, second.signal])
  second.abort(new Error('enough'))
  await assert.rejects(asleep, { message: 'enough' })
  await assert.rejects(SYSTEM.sleep(60_000, [second.signal]), { message: 'enough' })
  await SYSTEM.sleep(1, [])
})

test('options of a call are checked', async (t) => {
  const { countersign: { confirmations } } = await connect(t)
  for (const options of [{ timeout: 0 }, { timeout: NaN }, { timeout: '5' }, { maxRetries: 1.5 }, { attempts: 1 }, { signal: {} }, null, 5]) {
    await assert.rejects(confirmations.get('cfm_1', options), TypeError)
  }
})

test('fetch of the options sends all requests', async (t) => {
  const stub = await startStub(t)
  const key = signingKey('first')
  stub.keys.push(key)
  const seen = []
  const given = (url, init) => {
    seen.push([init.method, url.pathname])
    return fetch(url, init)
  }
  const countersign = new Countersign({ url: stub.url, apiKey: API_KEY, fetch: given, webhookKeys: 'published' })
  stub.answers.push(started())
  await countersign.confirmations.acquire()
  const body = eventOf('cfm_1')
  await countersign.webhooks.verify(body, key.sign(body))
  assert.deepEqual(seen, [['POST', '/acquire-phone-number'], ['GET', '/.well-known/jwks.json']])
})

test('errors of the network name the address and the reason', async (t) => {
  const { stub, countersign } = await connect(t, { maxRetries: 0 })
  await stub.stop()
  const unreachable = `the service at ${stub.url} cannot be reached (ECONNREFUSED)`
  await assert.rejects(countersign.confirmations.get('cfm_1'), { name: 'ConnectionError', message: unreachable })
  await assert.rejects(countersign.webhooks.verify(eventOf('cfm_1'), signingKey('first').sign(eventOf('cfm_1'))), {
    name: 'KeysUnavailableError',
    message: `the keys cannot be fetched: ${unreachable}`,
  })
})

test('errors quote no secret', async (t) => {
  const { stub, countersign } = await connect(t)
  const secrets = /cs_live_secret|CS-SECRET|token-of-the-browser|5550100/
  const errors = []
  const keep = (promise) => promise.catch((error) => errors.push(error))
  stub.answers.push({ status: 200, body: '"CS-SECRET' }, 'drop', 'drop', 'drop')
  await keep(countersign.confirmations.acquire())
  await keep(countersign.confirmations.confirm({ phoneNumber: '+12025550100' }))
  await keep(countersign.logins.create({ browserToken: 'token-of-the-browser\n', origin: 'https://shop.example' }))
  await keep(connect(t, { apiKey: 'cs_live_secret\n' }))
  assert.equal(errors.length, 4)
  for (const error of errors) assert.doesNotMatch(inspect(error, { depth: null, showHidden: true }), secrets)
})
