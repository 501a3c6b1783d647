// A store in any SQL database that supports ON CONFLICT, such as PostgreSQL and SQLite:
//
//   CREATE TABLE countersign_ids (id TEXT PRIMARY KEY, state TEXT NOT NULL, expires_at BIGINT NOT NULL)
//
// Delete rows whose time, in seconds since 1970, has passed; once a day is enough.

/**
 * `transaction(run)` belongs to your database: it calls `run` with a connection, commits, and returns the result of
 * `run`, or rolls back if `run` throws. Callbacks get the connection, as in `onStarted(started, connection)` and
 * `onVerified(event, connection)`: whatever they write with it is committed together with the mark.
 */
export function sqlStore(transaction) {
  return {
    remember: (id, ttlSeconds, act) => transaction(async (connection) => {
      const insert = "INSERT INTO countersign_ids VALUES ($1, 'pending', $2) ON CONFLICT (id) DO NOTHING RETURNING id"
      const values = [id, Math.floor(Date.now() / 1000) + ttlSeconds]
      if ((await connection.query(insert, values)).rows.length === 0) return false
      await act(connection)
      return true
    }),
    accept: (id, act) => transaction(async (connection) => {
      // Locks the row, so that another process waits here and then finds the id accepted.
      const accept = "UPDATE countersign_ids SET state = 'accepted' WHERE id = $1 AND state = 'pending' RETURNING id"
      if ((await connection.query(accept, [id])).rows.length === 1) {
        await act(connection)
        return 'accepted'
      }
      const { rows } = await connection.query('SELECT id FROM countersign_ids WHERE id = $1', [id])
      return rows.length === 1 ? 'repeated' : 'unknown'
    }),
  }
}
