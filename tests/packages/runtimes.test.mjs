// Programs for frameworks and runtimes that install the packages from archives. They take minutes, and run weekly.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { before, test } from 'node:test'

import { USED, startService } from './support/service.mjs'
import { ARCHIVES, ROOT, VERSION, install, npmProject, program, run } from './support/workplace.mjs'

let project
const bin = (...path) => join(project, 'node_modules', ...path)

before(async () => {
  await run(ROOT, 'scripts/pack.sh', 'node', 'widget')
  project = await npmProject('runtimes')
  await install(project, ...Object.values(ARCHIVES))
})

/** Starts a server that ends with the test, and returns the port that it prints. */
async function listen(t, port, command, ...words) {
  const child = spawn(command, words, { cwd: project, env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' } })
  t.after(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const printed = []
  child.stderr.on('data', (data) => printed.push(data.toString()))
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line)
    const found = port.exec(line)
    if (found) return Number(found[1])
  }
  throw new Error(`${command} printed no port:\n${printed.join('\n')}`)
}

/** Uses the program on this port as a service and a webhook would. */
async function assertUsed(t, port) {
  const { input: { url, secret, delivery }, assertAgent } = await startService(t)
  const post = (path, body, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, headers })
  const started = await post('/start', JSON.stringify({ url, secret }), { 'content-type': 'application/json' })
  const { confirmationId, problem } = await started.json()
  const statuses = []
  for (const body of [delivery.body, delivery.body, delivery.body.replace('0100', '0199')]) {
    statuses.push((await post('/webhook', body, { ...delivery.headers, 'content-type': 'application/json' })).status)
  }
  const numbers = await (await fetch(`http://127.0.0.1:${port}/numbers`)).json()
  assert.deepEqual({ confirmationId, numbers, statuses, problem }, USED)
  assertAgent(`countersign-node/${VERSION}`)
}

const JSON_PORT = /"port":\s*(\d+)/

const CASES = {
  'Next.js': async (t) => {
    await program(project, 'next/dist/bin/next', 'build')
    return listen(t, /localhost:(\d+)/, process.execPath, bin('next/dist/bin/next'), 'start', '--port', '0')
  },
  'Nest': async (t) => {
    await program(project, 'typescript/bin/tsc', '--project', 'nest')
    return listen(t, JSON_PORT, process.execPath, 'nest-out/nest/main.js')
  },
  'Workers': async (t) => {
    await program(project, 'esbuild/bin/esbuild', 'worker.ts', '--bundle', '--format=esm', '--platform=neutral',
      '--conditions=workerd,worker,browser', '--main-fields=module,main', '--external:node:*', '--outfile=worker.js')
    const workerd = bin('@cloudflare/workerd-linux-64/bin/workerd')
    return listen(t, JSON_PORT, workerd, 'serve', '--experimental', '--control-fd=1', 'worker.capnp')
  },
  'Deno': (t) => listen(t, JSON_PORT, bin('@deno/linux-x64-glibc/deno'), 'run', '--node-modules-dir=manual',
    '--no-prompt', '--allow-net', '--allow-read', '--allow-env', 'serve.ts'),
  'Bun': (t) => listen(t, JSON_PORT, bin('@oven/bun-linux-x64/bin/bun'), 'run', 'serve.ts'),
}

for (const [name, start] of Object.entries(CASES)) {
  test(`${name} runs the package`, async (t) => assertUsed(t, await start(t)))
}
