// Verification values in a store such as Redis, without rows in the database.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { startInstance } from './support/instance.mjs'

const NUMBER = '+12025550100'

function mapStorage() {
  const values = new Map()
  return {
    get: async (key) => values.get(key) ?? null,
    set: async (key, value) => { values.set(key, value) },
    delete: async (key) => { values.delete(key) },
    getAndDelete: async (key) => {
      const value = values.get(key) ?? null
      values.delete(key)
      return value
    },
    increment: async (key) => {
      const count = Number(values.get(key) ?? 0) + 1
      values.set(key, String(count))
      return count
    },
  }
}

for (const [name, options] of [
  ['secondary storage', () => ({ secondaryStorage: mapStorage() })],
  ['hashed identifiers', () => ({ verification: { storeIdentifier: 'hashed' } })],
]) {
  test(`a text signs in with ${name}`, async (t) => {
    const { auth, service, browser } = await startInstance(t, { options: options() })
    const zoe = browser()
    const [, started] = await zoe.post('/sign-in/text/start', {})
    assert.deepEqual((await zoe.post('/sign-in/text/start', {}))[1], started)
    const deliver = async () => (await auth.handler(service.webhook(started, NUMBER))).status
    assert.deepEqual(await Promise.all([deliver(), deliver(), deliver()]), [200, 200, 200])
    const answers = await Promise.all([1, 2, 3, 4].map(() => zoe.post('/sign-in/text/finish', {})))
    assert.deepEqual(answers.map(([status]) => status).sort(), [200, 404, 404, 404])
    assert.equal(await deliver(), 200)
    assert.equal((await zoe.post('/sign-in/text/finish', {}))[0], 404)
    assert.equal((await zoe.user()).phoneNumber, NUMBER)
  })
}
