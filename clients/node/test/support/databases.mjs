// SQLite and a fake Redis, for the stores in examples/.

import initSqlJs from 'sql.js'

/** Opens a SQLite database in memory. Its transactions wait for each other. */
export async function openSqlite() {
  const { Database } = await initSqlJs()
  const database = new Database()
  database.run('CREATE TABLE countersign_ids (id TEXT PRIMARY KEY, state TEXT NOT NULL, expires_at BIGINT NOT NULL)')
  database.run('CREATE TABLE effects (id TEXT NOT NULL)')
  const connection = {
    async query(sql, values) {
      const statement = database.prepare(sql)
      statement.bind(Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value])))
      const rows = []
      while (statement.step()) rows.push(statement.getAsObject())
      statement.free()
      return { rows }
    },
  }
  let last = Promise.resolve()
  const transaction = (run) => {
    const result = last.then(async () => {
      database.run('BEGIN')
      try {
        const value = await run(connection)
        database.run('COMMIT')
        return value
      } catch (error) {
        database.run('ROLLBACK')
        throw error
      }
    })
    last = result.catch(() => {})
    return result
  }
  return { transaction, effects: () => database.exec('SELECT id FROM effects')[0]?.values.flat() ?? [] }
}

/** A Redis that supports the commands of the store, with the time of a test's system. */
export function fakeRedis({ monotonic }) {
  const entries = new Map()
  const find = (key) => {
    const entry = entries.get(key)
    return entry && monotonic() < entry.expiresAt ? entry : undefined
  }
  return {
    async get(key) { return find(key)?.value ?? null },
    async set(key, value, { NX, XX, EX, KEEPTTL, ...others }) {
      if (Object.keys(others).length > 0) throw new Error('an option that this fake does not know')
      const before = find(key)
      if ((NX && before) || (XX && !before)) return null
      entries.set(key, { value, expiresAt: KEEPTTL && before ? before.expiresAt : monotonic() + EX * 1000 })
      return 'OK'
    },
    async del(key) { return entries.delete(key) ? 1 : 0 },
  }
}
