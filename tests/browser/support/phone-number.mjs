// The samples that prove phone numbers, run as programs, and relays that see what they receive and send.

import { existsSync } from 'node:fs'
import { spawn, spawnSync } from 'node:child_process'
import { EventEmitter, on, once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'

import { ask } from './server.mjs'
import { ROOT } from './tools.mjs'

const SAMPLES = join(ROOT, 'docs/receivers')
const PYTHON = process.env.COUNTERSIGN_PYTHON ?? 'python3'

/** The samples: the program and file that run each, and how to find out whether this machine can. */
export const LANGUAGES = {
  'Node.js': {
    words: [process.execPath, join(SAMPLES, 'node/phone-number.mjs')],
    missing: () => (
      existsSync(join(SAMPLES, 'node/node_modules/@countersign/server')) ? null : 'no npm ci in docs/receivers/node'
    ),
  },
  Python: {
    words: [PYTHON, join(SAMPLES, 'python/phone_number.py')],
    missing: () => (
      spawnSync(PYTHON, ['-c', 'import countersign']).status === 0 ? null : 'no Python with countersign'
    ),
  },
}

/** Starts a sample that uses a server. Its webhooks pass through `relay`, and its requests through `service`. */
export async function startSample({ words: [program, file] }, server, env = {}) {
  const relay = await startRelay()
  const service = await startRelay()
  service.target = server.url
  const child = spawn(program, [file], {
    env: {
      ...process.env,
      PORT: '0',
      COUNTERSIGN_URL: service.url,
      COUNTERSIGN_API_KEY: server.demo.apiKey,
      CALLBACK_URL: `${relay.url}/webhook`,
      PYTHONDONTWRITEBYTECODE: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = new EventEmitter()
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      log += text
      said.emit('line')
    })
  }
  const ended = once(child, 'exit').then(() => { throw new Error(`the sample ended:\n${log}`) })
  ended.catch(() => {})
  /** Waits until the log matches, and returns the match. */
  const logged = async (pattern) => {
    for (;;) {
      const match = pattern.exec(log)
      if (match) return match
      await Promise.race([once(said, 'line'), ended])
    }
  }
  const [, url] = await logged(/^listening on (\S+)$/m)
  relay.target = url
  return {
    url,
    relay,
    service,
    log: () => log,
    logged,
    stop() {
      child.kill()
      relay.stop()
      service.stop()
    },
  }
}

/** Starts a relay to `target`, which keeps requests and their answers. */
async function startRelay() {
  const events = new EventEmitter()
  const exchanges = on(events, 'exchange')
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const { host: _, ...headers } = request.headers
    const asked = { method: request.method, headers, body: Buffer.concat(chunks) }
    await relay.held
    let answer = relay.answers.shift() ?? await ask(relay.target + request.url, asked).catch(() => null)
    // A test may stop the sample once its page shows the result, while it still answers the webhook.
    if (!answer) return request.socket.destroy()
    answer = relay.edits.shift()?.(answer) ?? answer
    const { 'content-type': type = 'application/json' } = answer.headers ?? {}
    events.emit('exchange', { ...asked, path: request.url, answer })
    if (relay.losses > 0) {
      relay.losses -= 1
      request.socket.destroy()
    } else {
      response.writeHead(answer.status, { 'content-type': type }).end(answer.text)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const relay = {
    url: `http://127.0.0.1:${server.address().port}`,
    target: undefined,
    held: undefined,
    /** How many of the next answers get lost. */
    losses: 0,
    /** Answers to give instead of those of `target`. */
    answers: [],
    /** Functions that change the next answers. */
    edits: [],
    /** Holds requests back until the returned function is called. */
    hold() {
      let release
      relay.held = new Promise((resolve) => { release = resolve })
      return release
    },
    /** Returns the next request, with its answer. */
    next: async () => (await exchanges.next()).value[0],
    /** Returns the next request to a path that matches, with its answer. */
    async nextTo(pattern) {
      for (;;) {
        const exchange = await relay.next()
        if (pattern.test(exchange.path)) return exchange
      }
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
  return relay
}
