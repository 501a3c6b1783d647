// Starts servers: the built command, on a free port, with a new data directory.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { countersign } from './tools.mjs'

/** Starts a server. `demo` contains the contents of its demo.json. */
export async function startServer(options = []) {
  const parent = await mkdtemp(join(tmpdir(), 'countersign-browser-'))
  const data = join(parent, 'data')
  let running = await launch(data, options)
  const demo = JSON.parse(await readFile(join(data, 'demo.json'), 'utf8'))
  return {
    demo,
    data,
    url: demo.url,
    log: () => running.log(),
    /** Runs the command on the server's data, as in a second terminal. */
    run: (...words) => run(countersign(), ['--data', data, ...words]),
    /** Runs `countersign phone` with a phone of this server. */
    phone: (...words) => (
      run(countersign(), ['--data', data, 'phone', '--phone', join(parent, 'phone'), ...words])
    ),
    /** Stops the server with SIGTERM but leaves its data, and returns its exit code. */
    halt: () => running.end(),
    /** Starts the server again on its data and its port, with more options. */
    async resume(...more) {
      running = await launch(data, [...options, ...more, '--listen', new URL(demo.url).host])
    },
    /** Stops the server with SIGTERM, and returns its exit code. */
    async stop() {
      const code = await running.end()
      await rm(parent, { recursive: true, force: true })
      return code
    },
  }
}

/** Starts the server on a data directory, and waits until it is ready. */
async function launch(data, options) {
  const port = options.includes('--listen') ? [] : ['--listen', '127.0.0.1:0']
  const child = spawn(countersign(), ['serve', ...port, '--data', data, ...options], { stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  child.stderr.on('data', (text) => { log += text })
  const ended = once(child, 'exit')
  const ready = new Promise((resolve) => {
    let said = ''
    child.stdout.on('data', (text) => {
      said += text
      if (said.includes('is ready')) resolve(true)
    })
  })
  if (await Promise.race([ready, ended.catch(() => false)]) !== true) {
    throw new Error(`the server did not start:\n${log}`)
  }
  return {
    log: () => log,
    /** Stops it with SIGTERM, and returns its exit code. */
    async end() {
      if (child.exitCode === null) child.kill('SIGTERM')
      return (await ended)[0]
    },
  }
}

/** Runs a program to its end, with more variables in its environment, and returns its exit code and output. */
export async function run(program, words, env = {}) {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  const said = { out: '', err: '' }
  child.stdout.on('data', (text) => { said.out += text })
  child.stderr.on('data', (text) => { said.err += text })
  const [code] = await once(child, 'close')
  return { code, ...said }
}

/** Sends a request with any headers, even `Host` and `Origin`, which `fetch` cannot set. */
export async function ask(url, { method = 'GET', headers = {}, body } = {}) {
  // Uses a new connection, because a server may close an idle one just as it is used again.
  const asked = request(url, { method, headers, agent: false })
  asked.end(body)
  const [response] = await once(asked, 'response')
  const chunks = []
  for await (const chunk of response) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  return { status: response.statusCode, headers: response.headers, text, json: () => JSON.parse(text) }
}
