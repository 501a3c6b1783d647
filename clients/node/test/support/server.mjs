// The real server and its simulated phone: the program in COUNTERSIGN_BIN.

import { spawn } from 'node:child_process'
import { EventEmitter, on, once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { assemble } from '../../src/countersign.js'
import { webhook } from '../../src/express.js'
import { Countersign } from '../../src/index.js'

const PROGRAM = process.env.COUNTERSIGN_BIN

/** Declares a test with the real server. Without the program, the test is skipped and reported. */
export function serviceTest(name, run) {
  if (PROGRAM) return test(name, { timeout: 120_000 }, run)
  const line = `SKIPPED: ${name}: COUNTERSIGN_BIN is not set\n`
  process.stderr.write(line)
  if (process.env.COUNTERSIGN_SKIP_LOG) appendFileSync(process.env.COUNTERSIGN_SKIP_LOG, line)
  return test(name, { skip: 'COUNTERSIGN_BIN is not set' }, () => {})
}

/** Starts a server in local mode, which ends with the test. */
export async function startServer(t) {
  const parent = await mkdtemp(join(tmpdir(), 'countersign-node-'))
  const data = join(parent, 'data')
  const serve = ['serve', '--listen', '127.0.0.1:0', '--data', data]
  const child = spawn(PROGRAM, serve, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGTERM')
    await ended
    await rm(parent, { recursive: true, force: true })
  })
  let log = ''
  child.stderr.on('data', (text) => { log += text })
  const ready = new Promise((resolve) => {
    let said = ''
    child.stdout.on('data', (text) => {
      said += text
      if (said.includes('is ready')) resolve(true)
    })
  })
  const started = await Promise.race([ready, ended.then(() => false)])
  if (!started) throw new Error(`the server did not start:\n${log}`)
  const demo = JSON.parse(await readFile(join(data, 'demo.json'), 'utf8'))
  const command = (...words) => run(['--data', data, ...words])
  return {
    demo,
    command,
    /** Runs `countersign phone` with this server's own phone, and returns its JSON. */
    phone: async (...words) => JSON.parse(await command('phone', '--phone', join(parent, 'phone'), ...words, '--json')),
    /** Sends the text of a confirmation. */
    text: ({ sendTo, confirmationMessage }, from) => (
      command('phone', 'text', '--from', from, '--to', sendTo, '--message', confirmationMessage)
    ),
  }
}

/** Starts a server, its client, and a webhook receiver. `optionsOf` may ask the server for further options. */
export async function startWithReceiver(t, { optionsOf = () => ({}), system } = {}) {
  const server = await startServer(t)
  const { url, apiKey, appKey } = server.demo
  const more = await optionsOf(server)
  const options = { url, apiKey, appKey, ...(more.webhookSecret ? {} : { webhookKeys: 'published' }), ...more }
  const countersign = system ? assemble(options, system) : new Countersign(options)
  const seen = { verified: [], logins: [], approvals: [] }
  const handle = webhook(countersign, {
    onVerified: (event) => { seen.verified.push(event) },
    onLogin: (event) => { seen.logins.push(event) },
    ...(appKey ? { onApproval: (decision) => { seen.approvals.push(decision) } } : {}),
    log: () => {},
  })
  const events = new EventEmitter()
  const answers = on(events, 'answered')
  const receiver = createServer(async (request, response) => {
    const { end } = response
    response.end = (text) => {
      end.call(response, text)
      events.emit('answered', `${response.statusCode} ${text}`)
    }
    await handle(request, response)
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  t.after(() => receiver.close())
  const callbackUrl = `http://127.0.0.1:${receiver.address().port}/webhook`
  const nextAnswer = async () => (await answers.next()).value[0]
  return { server, countersign, seen, callbackUrl, nextAnswer }
}

async function run(words) {
  const child = spawn(PROGRAM, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.on('data', (text) => { out += text })
  child.stderr.on('data', (text) => { err += text })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${words.slice(2, 5).join(' ')} ended with ${code}: ${err}`)
  return out
}
