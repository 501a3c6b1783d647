// The code of docs/recovery.md with the real service.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { recovery } from '../examples/recovery.mjs'
import { sqlStore } from '../examples/sql-store.mjs'
import { Countersign, RecordMissingError } from '../src/index.js'
import { openSqlite } from './support/databases.mjs'
import { serviceTest, startServer } from './support/server.mjs'

const EXAMPLE = new URL('../examples/recovery.mjs', import.meta.url)
const GUIDE = new URL('../../../docs/recovery.md', import.meta.url)
const DAY = 86_400_000
const [OLD, NEW, RECYCLED] = ['+12025550100', '+12025550111', '+12025550122']

test('guide shows the code that is tested', async () => {
  const lines = (text) => text.split('\n').map((line) => line.trim()).join('\n')
  const example = lines(await readFile(EXAMPLE, 'utf8'))
  const blocks = (await readFile(GUIDE, 'utf8')).split('\n```js\n').slice(1).map((block) => block.split('\n```')[0])
  assert.ok(blocks.length >= 5)
  for (const block of blocks) assert.ok(example.includes(lines(block)), block)
})

/** Creates the tables that the head of the example describes. */
async function createTables(transaction) {
  const head = (await readFile(EXAMPLE, 'utf8')).split('\nimport ')[0]
  const text = head.replaceAll(/^\/\/ ?/gm, '').split(/(?=CREATE TABLE)/).slice(1)
  assert.equal(text.length, 5)
  await transaction(async (connection) => {
    for (const table of text) await connection.query(table, [])
  })
}

/** Starts a shop with one user, whose phone is registered. */
async function startShop(t) {
  const server = await startServer(t)
  const { url, apiKey, appKey } = server.demo
  const { transaction } = await openSqlite()
  await createTables(transaction)
  const countersign = new Countersign({ url, apiKey, appKey, webhookKeys: 'published', store: sqlStore(transaction) })
  const shop = { time: Date.now(), messages: [], ended: [] }
  const code = recovery({
    countersign,
    transaction,
    notify: (userId, text) => { shop.messages.push(`${userId}: ${text}`) },
    endSessions: (...whose) => { shop.ended.push(whose) },
    origin: url,
    callbackUrl: 'http://127.0.0.1:1/webhook',
    now: () => shop.time,
  })
  const query = (sql, values = []) => transaction(async (connection) => (await connection.query(sql, values)).rows)
  const folder = await mkdtemp(join(tmpdir(), 'countersign-phones-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  /** Runs `countersign phone` as one of several phones. */
  const phone = async (name, userId, ...words) => JSON.parse(await server.command(
    'phone', '--phone', join(folder, name), ...words, '--public-user-id', userId, '--json',
  ))
  const makeKey = (name, userId) => phone(name, userId, 'keys', 'create', '--app-key', appKey)
  /** Adds a phone as the first one is added: other factors have logged the user in. */
  const addFirst = async (name, userId) => {
    const { keyId, publicKey, signature } = await makeKey(name, userId)
    await countersign.associationKeys.register({ publicUserId: userId, publicKey, signature })
    await query('INSERT INTO phones VALUES ($1, $2, $3, $4)', [keyId, userId, name, shop.time])
    return keyId
  }
  await query('INSERT INTO users VALUES ($1, $2, $3, NULL)', ['zoe', OLD, shop.time])
  const first = await addFirst('first', 'zoe')
  shop.time += 30 * DAY
  const started = async (phoneNumber) => {
    const { confirmationId } = await code.startNewNumber('zoe', { phoneNumber, country: 'US' })
    return { confirmationId, phoneNumber }
  }
  const verified = (event) => transaction((connection) => code.newNumberVerified(event, connection))
  return Object.assign(shop, { countersign, code, query, phone, makeKey, addFirst, first, started, verified })
}

/** Requests a new phone, and lets an existing phone decide. */
async function addPhone({ code, phone, makeKey }, name, by, decision = '--confirm') {
  const { publicKey, signature } = await makeKey(name, 'zoe')
  const { id, session } = await code.startNewPhone('zoe', { name, publicKey, signature })
  assert.equal(await code.finishNewPhone('zoe', id), 'pending')
  await phone(by, 'zoe', 'open', session.url, decision)
  return id
}

const keysOf = async ({ countersign }) => (
  (await countersign.associationKeys.list({ publicUserId: 'zoe' })).map(({ keyId }) => keyId)
)

serviceTest('old phone approves a new one, which is added once', async (t) => {
  const shop = await startShop(t)
  const id = await addPhone(shop, 'second', 'first')
  assert.equal(await shop.code.finishNewPhone('yan', id), 'unknown', 'another user may not end it')
  assert.equal(await shop.code.finishNewPhone('zoe', id), 'added')
  assert.equal(await shop.code.finishNewPhone('zoe', id), 'unknown')
  assert.equal((await keysOf(shop)).length, 2)
  assert.deepEqual((await shop.code.phonesOf('zoe')).map(({ name }) => name), ['first', 'second'])
  assert.deepEqual(shop.messages, ['zoe: second was added to your account. If it is not yours, remove it now.'])
})

serviceTest('new phone is not added if the old one denies, or if the new one approves itself', async (t) => {
  const shop = await startShop(t)
  const denied = await addPhone(shop, 'second', 'first', '--deny')
  assert.equal(await shop.code.finishNewPhone('zoe', denied), 'denied')
  assert.equal(await shop.code.finishNewPhone('zoe', denied), 'refused')
  const own = await addPhone(shop, 'third', 'third')
  assert.equal(await shop.code.finishNewPhone('zoe', own), 'denied')
  assert.deepEqual(await keysOf(shop), [shop.first])
  assert.deepEqual(shop.messages, [])
})

serviceTest('lost phone approves nothing from its removal on, not even what it has confirmed', async (t) => {
  const shop = await startShop(t)
  const id = await addPhone(shop, 'second', 'first')
  assert.equal(await shop.code.removePhone('yan', shop.first), 'unknown', 'another user’s phone stays')
  assert.equal(await shop.code.removePhone('zoe', shop.first), 'removed')
  assert.equal(await shop.code.finishNewPhone('zoe', id), 'denied')
  assert.deepEqual(await keysOf(shop), [])
  assert.deepEqual(shop.ended, [['zoe', shop.first]])
  assert.deepEqual(shop.messages, ['zoe: first was removed from your account.'])
})

serviceTest('new phone removes no older one for a week', async (t) => {
  const shop = await startShop(t)
  assert.equal(await shop.code.finishNewPhone('zoe', await addPhone(shop, 'second', 'first')), 'added')
  const { key_id: second } = (await shop.code.phonesOf('zoe'))[1]
  assert.equal(await shop.code.removePhone('zoe', shop.first, second), 'too_early')
  assert.equal((await keysOf(shop)).length, 2)
  shop.time += 7 * DAY
  assert.equal(await shop.code.removePhone('zoe', shop.first, second), 'removed')
  assert.deepEqual(await keysOf(shop), [second])
})

serviceTest('new number replaces the former one, and leaves an account that had it', async (t) => {
  const shop = await startShop(t)
  await shop.query('INSERT INTO users VALUES ($1, $2, $3, NULL)', ['max', NEW, 0])
  const change = await shop.started('(202) 555-0111')
  await assert.rejects(shop.verified({ confirmationId: 'cfm_unknown', phoneNumber: NEW }), RecordMissingError)
  await shop.verified({ ...change, phoneNumber: NEW })
  const users = await shop.query('SELECT id, phone_number FROM users ORDER BY id')
  assert.deepEqual(users, [{ id: 'max', phone_number: null }, { id: 'zoe', phone_number: NEW }])
  assert.deepEqual(shop.messages.splice(0, 2), [
    'zoe: The phone number of your account was changed.',
    'max: Your phone number belongs to another account now. Add your new one.',
  ])
  await shop.code.removePhone('zoe', shop.first)
  assert.deepEqual(await shop.code.openedBy(NEW), { ask: 'another factor', userId: 'zoe' }, 'a new number opens nothing')
  shop.time += 7 * DAY
  assert.deepEqual(await shop.code.openedBy(NEW), { open: 'zoe' })
})

serviceTest('number finds an account, and opens it only if nothing better is there', async (t) => {
  const shop = await startShop(t)
  assert.deepEqual(await shop.code.openedBy(NEW), { open: 'new account' })
  assert.deepEqual(await shop.code.openedBy(OLD), { ask: 'a phone', userId: 'zoe' })
  await shop.query('INSERT INTO users VALUES ($1, $2, $3, NULL)', ['max', RECYCLED, shop.time - 44 * DAY])
  assert.deepEqual(await shop.code.openedBy(RECYCLED), { open: 'max' })
  shop.time += 2 * DAY
  assert.deepEqual(await shop.code.openedBy(RECYCLED), { ask: 'another factor', userId: 'max' })
  await shop.code.notMyAccount(RECYCLED)
  assert.deepEqual(await shop.code.openedBy(RECYCLED), { open: 'new account' })
  assert.deepEqual(await shop.query("SELECT phone_number FROM users WHERE id = 'max'"), [{ phone_number: null }])
})

serviceTest('recovery waits for a week, in which the owner can refuse it', async (t) => {
  const shop = await startShop(t)
  await shop.code.startRecovery('zoe')
  shop.time += 6 * DAY
  // Repeating the request must neither restart the waiting time nor end it.
  await shop.code.startRecovery('zoe')
  assert.equal(await shop.code.finishRecovery('zoe'), 'too_early')
  await shop.code.refuseRecovery('zoe')
  shop.time += DAY
  assert.equal(await shop.code.finishRecovery('zoe'), 'too_early', 'refused')
  assert.deepEqual(await keysOf(shop), [shop.first])
  await shop.code.startRecovery('zoe')
  shop.time += 7 * DAY
  assert.equal(await shop.code.finishRecovery('zoe'), 'recovered')
  assert.deepEqual(await keysOf(shop), [])
  assert.deepEqual(shop.ended, [['zoe']])
  assert.equal(shop.messages.filter((text) => text.includes('asks for a new start')).length, 3)
})
