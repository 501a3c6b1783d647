// A store in Redis, for `createClient()` of the package `redis`.

/** Longer than any `act` takes. If a process dies in one, another may try after this time. */
const LOCK_SECONDS = 60

export function redisStore(client, prefix = 'countersign:') {
  return {
    async remember(id, ttlSeconds) {
      await client.set(prefix + id, 'pending', { NX: true, EX: ttlSeconds })
    },
    async accept(id, act) {
      const lock = `${prefix}lock:${id}`
      // The error makes the service try again, when the other process has succeeded or failed.
      const locked = await client.set(lock, '1', { NX: true, EX: LOCK_SECONDS })
      if (!locked) throw new Error('another process is acting on it')
      try {
        const state = await client.get(prefix + id)
        if (state !== 'pending') return state === 'accepted' ? 'repeated' : 'unknown'
        await act()
        await client.set(prefix + id, 'accepted', { XX: true, KEEPTTL: true })
        return 'accepted'
      } finally {
        await client.del(lock)
      }
    },
  }
}
