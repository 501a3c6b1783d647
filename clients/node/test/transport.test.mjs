import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'

import { ConnectionError, Countersign, ProblemError } from '../src/index.js'
import { API_KEY, connect, problem, startStub, started } from './support/stub.mjs'

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

test('Retry-After of up to thirty seconds is obeyed, and a longer one is reported', async (t) => {
  const { stub, system, countersign } = await connect(t)
  const date = 'Fri, 02 Jan 2026 03:04:05 GMT'
  stub.answers.push(
    problem(429, 'app_rate_exceeded', { 'retry-after': '30' }),
    problem(503, 'storage_low', { 'retry-after': 'Fri, 02 Jan 2026 03:04:12 GMT', date }),
    started(),
  )
  await countersign.confirmations.acquire()
  assert.deepEqual(system.waits, [30_000, 7000])

  stub.requests.length = 0
  stub.answers.push(problem(429, 'app_rate_exceeded', { 'retry-after': '31' }))
  await assert.rejects(countersign.confirmations.acquire(), { code: 'app_rate_exceeded', retryAfter: 31 })
  assert.equal(stub.requests.length, 1)
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
  await assert.rejects(countersign.confirmations.get('cfm_1'), { message: 'the service did not answer in time' })
  assert.deepEqual(system.deadlines.map(({ ms }) => ms), [10_000, 10_000, 10_000])
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

test('ids and keys are escaped in paths', async (t) => {
  const { stub, countersign } = await connect(t)
  await assert.rejects(countersign.confirmations.cancel('../x?y'), { code: 'not_found' })
  await assert.rejects(countersign.associationKeys.list({ publicUserId: 'zoe&x=1' }), { code: 'not_found' })
  const paths = stub.requests.map(({ path }) => path)
  assert.deepEqual(paths, ['/confirmations/..%2Fx%3Fy', '/association-keys?publicUserId=zoe%26x%3D1'])
})

test('URL must be https or name this machine', () => {
  const create = (url) => new Countersign({ url, apiKey: API_KEY })
  for (const url of [
    'https://countersign.example',
    'http://127.0.0.1:8787',
    'http://[::1]:8787',
    'http://localhost',
  ]) create(url)
  for (const url of [
    'http://countersign.example',
    'http://127.0.0.1.example',
    'ftp://127.0.0.1',
    'https://user@countersign.example',
    'https://countersign.example?x',
    'countersign.example',
    '',
  ]) assert.throws(() => create(url), TypeError, url)
  assert.throws(() => new Countersign({ url: 'https://countersign.example' }), { message: 'apiKey is missing' })
})

test('trailing slashes of the URL go', async (t) => {
  const stub = await startStub(t)
  stub.answers.push({ status: 200, body: {} })
  await new Countersign({ url: `${stub.url}//`, apiKey: API_KEY }).confirmations.get('cfm_1')
  assert.equal(stub.requests[0].path, '/confirmations/cfm_1')
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
