// The real server and its simulated phone: the program that COUNTERSIGN_BIN names.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const PROGRAM = process.env.COUNTERSIGN_BIN

/** Declares a test against the real server. Without the program it is skipped, and says so. */
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
    /** Runs `countersign phone` with a phone of this server's own, and returns its JSON. */
    phone: async (...words) => JSON.parse(await command('phone', '--phone', join(parent, 'phone'), ...words, '--json')),
    /** Sends the text of a confirmation. */
    text: ({ sendTo, confirmationMessage }, from) => (
      command('phone', 'text', '--from', from, '--to', sendTo, '--message', confirmationMessage)
    ),
  }
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
