// A Redis store, for `createClient()` of the package `redis`. Redis has no transaction that includes the effects of
// `act`: if the process dies between the two, `act` runs again. Make `act` harmless to repeat, or use SQL.

/** Longer than any `act` takes. If a process dies during one, another may try after this time. */
const LOCK_SECONDS = 60

export function redisStore(client, prefix = 'countersign:') {
  async function alone(id, run) {
    const lock = `${prefix}lock:${id}`
    // The error makes the service send the webhook again, after the other process has succeeded or failed.
    const locked = await client.set(lock, '1', { NX: true, EX: LOCK_SECONDS })
    if (!locked) throw new Error('another process is acting on it')
    try {
      return await run(await client.get(prefix + id))
    } finally {
      await client.del(lock)
    }
  }
  return {
    remember: (id, ttlSeconds, act) => alone(id, async (state) => {
      if (state !== null) return false
      await act()
      await client.set(prefix + id, 'pending', { EX: ttlSeconds })
      return true
    }),
    accept: (id, act) => alone(id, async (state) => {
      if (state !== 'pending') return state === 'accepted' ? 'repeated' : 'unknown'
      await act()
      await client.set(prefix + id, 'accepted', { XX: true, KEEPTTL: true })
      return 'accepted'
    }),
  }
}
