import { SqliteDialect } from 'kysely'
import Database from 'libsql'

/** Opens a database as a process does, which waits for other processes. */
export function openDatabase(path, onOpened = () => {}) {
  const database = new Database(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 10000')
  onOpened(database)
  // Better Auth's transactions read before they write, which SQLite refuses if another process has written in between.
  const prepare = (sql) => database.prepare(sql === 'begin' ? 'begin immediate' : sql)
  return { dialect: new SqliteDialect({ database: { prepare, close() {} } }), type: 'sqlite', transaction: true }
}
