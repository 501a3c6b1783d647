// The real service, with a test key: the program in COUNTERSIGN_BIN.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const PROGRAM = process.env.COUNTERSIGN_BIN
const PROCESS = fileURLToPath(new URL('process.mjs', import.meta.url))

/** Declares a test with the real service. Without the program, the test is skipped and reported. */
export function serviceTest(name, run) {
  if (PROGRAM) return test(name, { timeout: 300_000 }, run)
  const line = `SKIPPED: ${name}: COUNTERSIGN_BIN is not set\n`
  process.stderr.write(line)
  if (process.env.COUNTERSIGN_SKIP_LOG) appendFileSync(process.env.COUNTERSIGN_SKIP_LOG, line)
  return test(name, { skip: 'COUNTERSIGN_BIN is not set' }, () => {})
}

/** Starts the service. It ends with the test. */
export async function startService(t) {
  const parent = await mkdtemp(join(tmpdir(), 'countersign-better-auth-'))
  const data = join(parent, 'data')
  t.after(() => rm(parent, { recursive: true, force: true }))
  await start(t, PROGRAM, ['serve', '--listen', '127.0.0.1:0', '--data', data], (line) => line.includes('is ready'))
  const demo = JSON.parse(await readFile(join(data, 'demo.json'), 'utf8'))
  const command = (...words) => run(['--data', data, ...words])
  const [, testKey] = /(cs_test_\w+)/.exec(await command('key', 'issue', 'demo', '--test')) ?? assert.fail('no test key')
  const [webhookSecret] = (await command('app', 'webhook-secret', 'demo')).split('\n')
  await command('app', 'update', 'demo', '--add-origin', 'http://localhost:3000')
  return {
    demo,
    options: { url: demo.url, apiKey: testKey, appKey: demo.appKey, webhookSecret },
    command,
    /** Simulates the text of a confirmation, and returns its effect. */
    async text({ sendTo, confirmationMessage }, from) {
      const answer = await fetch(new URL('/simulated-texts', demo.url), {
        method: 'POST',
        headers: { 'x-api-key': testKey, 'content-type': 'application/json' },
        body: JSON.stringify({ from, to: sendTo, text: confirmationMessage }),
      })
      return (await answer.json()).effect
    },
  }
}

/** Starts a process of a service with Better Auth, and returns its address. */
export async function startProcess(t, configuration) {
  const port = await start(t, process.execPath, [PROCESS, JSON.stringify(configuration)], (line) => /^\d+$/.test(line))
  return { port: Number(port), url: `http://127.0.0.1:${port}` }
}

/** Starts a program, and returns the first line that says that it is ready. It ends with the test. */
async function start(t, program, words, isReady) {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGTERM')
    await ended
  })
  let log = ''
  child.stderr.on('data', (text) => { log += text })
  for await (const line of createInterface(child.stdout)) {
    // Keeps the pipe empty.
    if (isReady(line)) return child.stdout.resume() && line
  }
  throw new Error(`${program} did not start:\n${log}`)
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
