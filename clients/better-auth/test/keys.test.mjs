import assert from 'node:assert/strict'
import { test } from 'node:test'

import { startInstance } from './support/instance.mjs'

/** Registers a key with the fake service, whose id is its public key. */
const register = (browser, key) => browser.post('/countersign/keys/register', { publicKey: key, signature: 'signature' })
const keyOf = (name) => name.padEnd(43, '_')

test("users see and revoke only their own phones' keys", async (t) => {
  const { browser, service, context } = await startInstance(t)
  const [zoe, ben, stranger] = [browser(), browser(), browser()]
  const { id } = await zoe.signUp('zoe@example.com')
  await ben.signUp('ben@example.com')
  assert.equal((await register(zoe, keyOf('zoe')))[0], 200)
  assert.equal(service.requests.at(-1).body.publicUserId, id)
  assert.deepEqual([(await register(ben, keyOf('zoe')))[0], (await register(ben, keyOf('zoe')))[1].code], [422, 'PHONE_KEY_REFUSED'])
  assert.equal((await register(ben, keyOf('ben')))[0], 200)
  const list = async (each) => (await each.send('/countersign/keys/list', { method: 'GET' })).json.map(({ keyId }) => keyId)
  assert.deepEqual(await list(zoe), [keyOf('zoe')])

  const revoke = (each, key) => each.post('/countersign/keys/revoke', { keyId: keyOf(key) })
  assert.deepEqual([(await revoke(ben, 'zoe'))[0], (await revoke(ben, 'none'))[0], (await revoke(stranger, 'zoe'))[0]], [404, 404, 401])
  assert.ok(!service.requests.some(({ method }) => method === 'DELETE'))
  assert.equal((await revoke(zoe, 'zoe'))[0], 200)
  assert.ok(service.requests.some(({ method, path }) => method === 'DELETE' && path === `/association-keys/${keyOf('zoe')}`))
  assert.deepEqual([await list(zoe), await list(ben)], [[], [keyOf('ben')]])
  assert.equal((await register(stranger, keyOf('stranger')))[0], 401)
  assert.equal((await context.adapter.findMany({ model: 'countersignKey' })).length, 1)
})

test('keys are limited, and need a fresh session', async (t) => {
  const { browser, context } = await startInstance(t)
  const zoe = browser()
  await zoe.signUp('zoe@example.com')
  for (let each = 0; each < 10; each += 1) assert.equal((await register(zoe, keyOf(`key${each}`)))[0], 200)
  assert.deepEqual([(await register(zoe, keyOf('more')))[0], (await register(zoe, keyOf('more')))[1].code], [403, 'TOO_MANY_PHONE_KEYS'])
  const [session] = await context.adapter.findMany({ model: 'session' })
  await context.adapter.update({
    model: 'session', where: [{ field: 'id', value: session.id }], update: { createdAt: new Date(Date.now() - 2 * 86_400_000) },
  })
  assert.equal((await register(zoe, keyOf('late')))[1].code, 'SESSION_NOT_FRESH')
})

test("a user's keys go with the account", async (t) => {
  const { browser, context } = await startInstance(t)
  const zoe = browser()
  const { id } = await zoe.signUp('zoe@example.com')
  await register(zoe, keyOf('zoe'))
  await context.internalAdapter.deleteUser(id)
  assert.deepEqual(await context.adapter.findMany({ model: 'countersignKey' }), [])
})

test('logins by phone need the app key', async (t) => {
  const { browser } = await startInstance(t, { plugin: { appKey: undefined } })
  const zoe = browser()
  const answers = [
    await zoe.post('/sign-in/code/start', { browserToken: 'x'.repeat(43) }),
    await zoe.post('/sign-in/code/finish', { sessionId: 'qrs_1', payload: '', salt: '', proof: '' }),
  ]
  for (const [status, { code }] of answers) assert.deepEqual([status, code], [501, 'LOGIN_NOT_CONFIGURED'])
})
