// The examples of docs/quickstart.md, started as described there.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

import { countersign, find, ROOT } from './tools.mjs'

const PYTHON = process.env.COUNTERSIGN_PYTHON ?? 'python3'

/** The examples, each with a way to find out whether this machine can run it. */
export const EXAMPLES = {
  node: () => (
    existsSync(join(ROOT, 'examples/node/node_modules/@countersign/server')) ? null : 'no npm ci in examples/node'
  ),
  python: () => (
    spawnSync(PYTHON, ['-c', 'import countersign.flask']).status === 0 ? null : 'no Python with countersign and Flask'
  ),
  go: () => find('go') ? null : 'no go',
}

/** Returns what the example of the plugin for Better Auth lacks on this machine. */
export const missingForBetterAuth = () => (
  existsSync(join(ROOT, 'clients/better-auth/dist/index.js')) ? null : 'clients/better-auth has not been built'
)

/** Starts an example next to a server. */
export async function startExample(language, server) {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const child = spawn('make', ['-C', ROOT, 'example', `IN=${language}`], {
    // A separate group, because make does not pass signals on.
    detached: true,
    env: {
      ...process.env,
      COUNTERSIGN_BIN: countersign(),
      COUNTERSIGN_DATA: server.data,
      COUNTERSIGN_PYTHON: PYTHON,
      PORT: port,
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Once nothing holds its output open any more, all processes of the group have ended.
  const ended = once(child, 'close')
  let log = ''
  const ready = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        log += text
        if (log.includes(` on ${url}`)) resolve(true)
      })
    }
  })
  if (await Promise.race([ready, ended]) !== true) throw new Error(`the example did not start:\n${log}`)
  return {
    url,
    log: () => log,
    async stop() {
      process.kill(-child.pid)
      await ended
    },
  }
}

/** Returns a port below the range for outgoing connections, so that no other process gets it in the meantime. */
export async function freePort() {
  for (let port = 20_000 + process.pid % 10_000; ; port += 1) {
    const server = createServer().listen(port, '127.0.0.1')
    const free = await once(server, 'listening').then(() => true, () => false)
    if (!free) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
