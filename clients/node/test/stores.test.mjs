import assert from 'node:assert/strict'
import { test } from 'node:test'

import { redisStore } from '../examples/redis-store.mjs'
import { sqlStore } from '../examples/sql-store.mjs'
import { MemoryStore } from '../src/store.js'
import { fakeRedis, openSqlite } from './support/databases.mjs'
import { fakeSystem } from './support/system.mjs'

const STORES = {
  memory: (system) => new MemoryStore(system),
  SQL: async () => sqlStore((await openSqlite()).transaction),
  Redis: (system) => redisStore(fakeRedis(system)),
}

for (const [name, open] of Object.entries(STORES)) {
  test(`${name} store accepts once what it remembers`, async () => {
    const store = await open(fakeSystem())
    let acts = 0
    const act = () => { acts += 1 }
    assert.equal(await store.accept('cfm_1', act), 'unknown')
    await store.remember('cfm_1', 60, () => {})
    assert.equal(await store.accept('cfm_2', act), 'unknown')
    assert.equal(await store.accept('cfm_1', act), 'accepted')
    assert.equal(await store.accept('cfm_1', act), 'repeated')
    await store.remember('cfm_1', 60, () => {})
    assert.equal(await store.accept('cfm_1', act), 'repeated')
    assert.equal(acts, 1)
  })

  test(`${name} store keeps an id pending if its act throws`, async () => {
    const store = await open(fakeSystem())
    await store.remember('cfm_1', 60, () => {})
    const trouble = new Error('trouble')
    await assert.rejects(async () => store.accept('cfm_1', async () => { throw trouble }), trouble)
    await assert.rejects(async () => store.accept('cfm_1', () => { throw trouble }), trouble)
    assert.equal(await store.accept('cfm_1', () => {}), 'accepted')
  })
}

for (const [name, open] of Object.entries(STORES)) {
  test(`${name} store remembers nothing if its act throws, and acts once`, async () => {
    const store = await open(fakeSystem())
    const trouble = new Error('trouble')
    await assert.rejects(async () => store.remember('cfm_1', 60, async () => { throw trouble }), trouble)
    await assert.rejects(async () => store.remember('cfm_1', 60, () => { throw trouble }), trouble)
    assert.equal(await store.accept('cfm_1', () => {}), 'unknown')
    let acts = 0
    const act = async () => { acts += 1 }
    assert.equal(await store.remember('cfm_1', 60, act), true)
    assert.equal(await store.remember('cfm_1', 60, act), false)
    assert.equal(await store.accept('cfm_1', () => {}), 'accepted')
    assert.equal(await store.remember('cfm_1', 60, act), false)
    assert.equal(acts, 1)
  })
}

for (const name of ['memory', 'SQL']) {
  test(`${name} store accepts nothing before the act of remember has ended`, async () => {
    const store = await STORES[name](fakeSystem())
    const order = []
    let release
    const written = new Promise((resolve) => { release = resolve })
    const remembered = store.remember('cfm_1', 60, () => written.then(() => order.push('written')))
    const again = store.remember('cfm_1', 60, () => order.push('written again'))
    const accepted = store.accept('cfm_1', () => order.push('accepted'))
    release()
    assert.deepEqual([await remembered, await again, await accepted], [true, false, 'accepted'])
    assert.deepEqual(order, ['written', 'accepted'])
  })

  test(`${name} store lets concurrent calls wait for the one that acts`, async () => {
    const store = await STORES[name](fakeSystem())
    await store.remember('cfm_1', 60, () => {})
    let acts = 0
    // The first two fail after others have started.
    const act = async () => {
      acts += 1
      await new Promise((resolve) => { setImmediate(resolve) })
      if (acts <= 2) throw new Error('trouble')
    }
    const calls = await Promise.allSettled(Array.from({ length: 8 }, () => store.accept('cfm_1', act)))
    const outcomes = calls.map(({ value }) => value ?? 'failed')
    assert.deepEqual(outcomes, ['failed', 'failed', 'accepted', ...Array(5).fill('repeated')])
    assert.equal(acts, 3)
  })
}

test('Redis store has concurrent calls tried again later', async () => {
  const store = redisStore(fakeRedis(fakeSystem()))
  await store.remember('cfm_1', 60, () => {})
  let release
  const first = store.accept('cfm_1', () => new Promise((resolve) => { release = resolve }))
  await assert.rejects(store.accept('cfm_1', () => {}), { message: 'another process is acting on it' })
  release()
  assert.equal(await first, 'accepted')
  assert.equal(await store.accept('cfm_1', () => {}), 'repeated')
})

for (const name of ['memory', 'Redis']) {
  test(`${name} store forgets ids after their time`, async () => {
    const system = fakeSystem()
    const store = await STORES[name](system)
    await store.remember('cfm_1', 600, () => {})
    await store.remember('cfm_2', 60, () => {})
    system.advance(120_000)
    await store.remember('cfm_3', 600, () => {})
    assert.equal(await store.accept('cfm_2', () => {}), 'unknown')
    assert.equal(await store.accept('cfm_1', () => {}), 'accepted')
    system.advance(470_000)
    assert.equal(await store.accept('cfm_1', () => {}), 'repeated')
    system.advance(20_000)
    assert.equal(await store.accept('cfm_1', () => {}), 'unknown')
  })
}

test('SQL store writes the record and the id together', async () => {
  const { transaction, effects } = await openSqlite()
  const store = sqlStore(transaction)
  const act = async (connection) => { await connection.query('INSERT INTO effects VALUES ($1)', ['record']) }
  await assert.rejects(store.remember('cfm_1', 60, async (connection) => {
    await act(connection)
    throw new Error('trouble')
  }), { message: 'trouble' })
  assert.deepEqual(effects(), [])
  await store.remember('cfm_1', 60, act)
  assert.deepEqual(effects(), ['record'])
})

test('SQL store writes the effects and the mark together', async () => {
  const { transaction, effects } = await openSqlite()
  const store = sqlStore(transaction)
  await store.remember('cfm_1', 60, () => {})
  const act = async (connection) => { await connection.query('INSERT INTO effects VALUES ($1)', ['cfm_1']) }
  await assert.rejects(store.accept('cfm_1', async (connection) => {
    await act(connection)
    throw new Error('trouble')
  }), { message: 'trouble' })
  assert.deepEqual(effects(), [])
  assert.equal(await store.accept('cfm_1', act), 'accepted')
  assert.deepEqual(effects(), ['cfm_1'])
})
