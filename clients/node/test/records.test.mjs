// The order of the caller's record and the webhook, in which no verified number is lost.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { sqlStore } from '../examples/sql-store.mjs'
import { webhookHandler } from '../src/handlers/index.js'
import { RecordMissingError } from '../src/index.js'
import { openSqlite } from './support/databases.mjs'
import { connect, eventOf, signingKey, started } from './support/stub.mjs'

const ID = started().body.confirmationId

/**
 * Returns a client, and a function that posts the webhook of the first confirmation. The handler uses records as a shop
 * does.
 */
async function shop(t, options = {}) {
  const { stub, countersign } = await connect(t, options)
  const key = signingKey('first')
  stub.keys.push(key)
  const records = new Map()
  const log = []
  const handle = webhookHandler(countersign, {
    log: (message) => log.push(message),
    onVerified({ confirmationId, phoneNumber }) {
      const record = records.get(confirmationId)
      if (!record) throw new RecordMissingError(confirmationId)
      record.verified = phoneNumber
    },
  })
  const deliver = async () => {
    const body = eventOf(ID)
    const { status, body: text } = await handle({ method: 'POST', headers: key.sign(body), body })
    return `${status} ${text}`
  }
  return { stub, countersign, records, deliver, log }
}

for (const call of ['acquire', 'confirm']) {
  test(`${call}: record is written before the call returns and before a webhook is accepted`, async (t) => {
    const { stub, countersign, records, deliver } = await shop(t)
    stub.answers.push(started())
    // The webhook arrives while the record is being written, as that of a test number once did.
    let early
    const onStarted = async ({ confirmationId, phoneNumber }) => {
      early = deliver()
      await new Promise((resolve) => { setImmediate(resolve) })
      records.set(confirmationId, { phoneNumber })
    }
    const session = await countersign.confirmations[call]({ phoneNumber: '(202) 555-0100', country: 'US', onStarted })
    assert.equal(session.confirmationId, ID)
    assert.ok(records.has(ID))
    assert.equal(await early, '200 accepted')
    assert.deepEqual(records.get(ID), { phoneNumber: '+12025550100', verified: '+12025550100' })
    assert.equal('onStarted' in JSON.parse(stub.requests[0].text), false)
  })
}

test('webhook without a record comes again until the record is there', async (t) => {
  const { stub, countersign, records, deliver, log } = await shop(t)
  stub.answers.push(started())
  const { confirmationId } = await countersign.confirmations.acquire()
  assert.equal(await deliver(), '503 record missing')
  assert.match(log[0], new RegExp(`no record of ${ID}: write it in onStarted`))
  records.set(confirmationId, {})
  assert.equal(await deliver(), '200 accepted')
  assert.equal(records.get(ID).verified, '+12025550100')
  assert.equal(await deliver(), '200 already accepted')
})

test('call whose record cannot be written throws, and remembers nothing', async (t) => {
  const { stub, countersign, records, deliver } = await shop(t)
  const trouble = new Error('no database')
  const call = (onStarted) => countersign.confirmations.acquire({ idempotencyKey: 'order-17', onStarted })
  stub.answers.push(started())
  await assert.rejects(call(() => { throw trouble }), trouble)
  assert.equal(await deliver(), '404 unknown confirmation')
  // The call is repeated after the failure, and once more after that.
  let writes = 0
  const write = ({ confirmationId }) => {
    writes += 1
    records.set(confirmationId, {})
  }
  stub.answers.push(started(), started())
  await call(write)
  assert.equal(await deliver(), '200 accepted')
  await call(write)
  assert.equal(writes, 1)
  assert.equal(records.get(ID).verified, '+12025550100')
})

test('record and id are one transaction of the store', async (t) => {
  const { transaction, effects } = await openSqlite()
  const { stub, countersign, deliver } = await shop(t, { store: sqlStore(transaction) })
  const insert = ({ confirmationId }, connection) => connection.query('INSERT INTO effects VALUES ($1)', [confirmationId])
  stub.answers.push(started())
  await assert.rejects(countersign.confirmations.acquire({
    async onStarted(session, connection) {
      await insert(session, connection)
      throw new Error('trouble')
    },
  }), { message: 'trouble' })
  assert.deepEqual(effects(), [])
  assert.equal(await deliver(), '404 unknown confirmation')
  stub.answers.push(started())
  await countersign.confirmations.acquire({ onStarted: insert })
  assert.deepEqual(effects(), [ID])
})

test('store that does not run the act is refused', async (t) => {
  for (const [remember, message] of [
    [async () => {}, /has to return whether the id is new/],
    [async () => true, /await it in remember/],
    [async (_id, _ttl, act) => { act(); return true }, /await it in remember/],
  ]) {
    const { stub, countersign } = await connect(t, { store: { remember, accept: async () => 'unknown' } })
    stub.answers.push(started())
    const onStarted = () => new Promise((resolve) => { setImmediate(resolve) })
    await assert.rejects(countersign.confirmations.acquire({ onStarted }), { name: 'CountersignError', message })
  }
})

test('onStarted that is no function is refused before anything is started', async (t) => {
  const { stub, countersign } = await connect(t)
  for (const onStarted of [null, 'write', {}]) {
    await assert.rejects(countersign.confirmations.acquire({ onStarted }), { name: 'TypeError' })
  }
  assert.equal(stub.requests.length, 0)
})
