import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { createAuthClient } from 'better-auth/client'

import { countersignClient } from '../dist/client.js'
import { startInstance } from './support/instance.mjs'

const NUMBER = '+12025550100'

/** Returns a client that sends its requests as this browser. `before` runs before each request. */
function clientOf(browser, before = () => undefined) {
  const customFetchImpl = async (url, { method, body }) => {
    const early = await before(new URL(url).pathname)
    if (early) return early
    const path = new URL(url).pathname.replace('/api/auth', '')
    const { status, json } = await browser.send(path, { method, ...(body ? { body: JSON.parse(body) } : {}) })
    return Response.json(json, { status })
  }
  return createAuthClient({ baseURL: 'http://localhost:3000', plugins: [countersignClient()], fetchOptions: { customFetchImpl } })
}

test('a page signs in, though its server learns about the text later', async (t) => {
  const { auth, service, browser } = await startInstance(t)
  const asked = []
  const zoe = browser()
  const client = clientOf(zoe, async (path) => {
    asked.push(path)
    // Two failures of the network's parts in between.
    if (asked.length === 3 || asked.length === 4) return Response.json({}, { status: 503 })
    if (asked.length === 5) await auth.handler(service.webhook(started, NUMBER))
    return undefined
  })
  const { data: started } = await client.signIn.text.start()
  const { data, error } = await client.countersign.waitForSignIn({ name: 'Zoe' })
  assert.equal(error, null)
  assert.deepEqual([data.status, data.user.phoneNumber, data.user.name, data.isNewUser], ['signed-in', NUMBER, 'Zoe', true])
  assert.deepEqual(asked.slice(0, 5), ['/api/auth/sign-in/text/start', ...Array(4).fill('/api/auth/sign-in/text/finish')])
  const { data: session } = await client.getSession()
  assert.equal(session.user.phoneNumber, NUMBER)
})

test('a refusal ends the wait', async (t) => {
  const { browser } = await startInstance(t)
  let calls = 0
  const client = clientOf(browser(), () => { calls += 1 })
  const { data, error } = await client.countersign.waitForSignIn()
  assert.deepEqual([data, error.code, error.status, calls], [null, 'CONFIRMATION_NOT_FOUND', 404, 1])
  const down = clientOf(browser(), () => {
    calls += 1
    return Response.json({}, { status: 503 })
  })
  assert.equal((await down.countersign.waitForNumber()).error.status, 503)
  assert.equal(calls, 4)
})

test('a login tells the hooks of the session', async (t) => {
  const { auth, service, browser } = await startInstance(t)
  const zoe = browser()
  const client = clientOf(zoe)
  const notified = new Promise((resolve) => { client.$store.listen('$sessionSignal', (value) => { if (value) resolve(value) }) })
  const { data: started } = await client.signIn.text.start()
  await auth.handler(service.webhook(started, NUMBER))
  const { data } = await client.signIn.text.status()
  assert.deepEqual(data, { status: 'verified', phoneNumber: NUMBER })
  await client.signIn.text.finish({})
  assert.equal(await notified, true)
})

test("the plugin's types reach the server's API and the client", () => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const words = ['node_modules/typescript/bin/tsc', '--project', 'test/types']
  const { status, stdout } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' })
  assert.equal(status, 0, stdout)
})
