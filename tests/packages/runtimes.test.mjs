// Programs for frameworks and runtimes that install the packages from archives. They take minutes, and run weekly.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { before, test } from 'node:test'

import { openWindow, startBrowser } from '../browser/support/page.mjs'
import { PhonePage, startFake } from '../browser/support/phone-element.mjs'
import { chromium, skipped } from '../browser/support/tools.mjs'
import { USED, startService } from './support/service.mjs'
import { ARCHIVES, ROOT, VERSION, install, npmProject, program, run } from './support/workplace.mjs'

/** The settings of the pages with the elements, whose service this test does not need. */
const ELEMENTS = { COUNTERSIGN_URL: 'http://127.0.0.1:9', COUNTERSIGN_APP_KEY: 'cs_app_x' }

let project
const bin = (...path) => join(project, 'node_modules', ...path)

before(async () => {
  await run(ROOT, 'scripts/pack.sh', 'node', 'widget')
  project = await npmProject('runtimes')
  await install(project, ARCHIVES.server, ARCHIVES.widget)
})

/** Starts a server that is stopped at the end of the test, and returns the port that it prints. */
async function listen(t, port, command, ...words) {
  const child = spawn(command, words, { cwd: project, env: { ...process.env, ...ELEMENTS, NEXT_TELEMETRY_DISABLED: '1' } })
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

let built

/** Builds the pages for Next.js once, and starts their server. */
async function startNext(t) {
  built ??= program(project, 'next/dist/bin/next', 'build')
  await built
  return listen(t, /localhost:(\d+)/, process.execPath, bin('next/dist/bin/next'), 'start', '--port', '0')
}

const JSON_PORT = /"port":\s*(\d+)/

const CASES = {
  'Next.js': startNext,
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

test('Next.js shows the elements on a page that its server rendered', async (t) => {
  if (!chromium()) return skipped(t.name, 'no Chromium')
  const url = `http://localhost:${await startNext(t)}`
  const html = await (await fetch(`${url}/account`)).text()
  assert.match(html, /<countersign-login service="http:\/\/127\.0\.0\.1:9" app-key="cs_app_x"><\/countersign-login>/)
  assert.match(html, /<countersign-phone start="\/sign-up\/phone"><\/countersign-phone>/)
  const fake = await startFake()
  t.after(() => fake.stop())
  const browser = await startBrowser()
  t.after(() => browser.close())
  const window = await openWindow(browser, [url, fake.service, ELEMENTS.COUNTERSIGN_URL])
  const { page } = window
  const phone = new PhonePage(window)
  await phone.listen()
  await page.routeWebSocket(/\/socket$/, (socket) => {
    phone.sockets.push(socket)
    socket.onMessage(() => socket.send('{"changed":true}'))
  })
  let starts = 0
  await page.route('**/sign-up/phone', (route) => {
    starts += 1
    return route.fulfill({ status: 201, json: fake.started() })
  })
  await page.route('**/sign-up/finish', (route) => route.fulfill({ status: starts === 1 ? 409 : 200, json: {} }))
  await page.goto(`${url}/account`)
  await phone.gets('started')
  const verify = async () => {
    fake.status = 'verified'
    phone.poke()
    await phone.gets('verified')
  }
  await verify()
  await phone.sees('This number already has an account.')
  assert.equal(starts, 1)
  await page.locator('countersign-phone').getByRole('button', { name: 'Try again' }).click()
  await phone.gets('started')
  await verify()
  await page.waitForURL(`${url}/`)
  assert.equal(await page.locator('countersign-phone').count(), 0)
  // There is no service, and the start page does not need one.
  await window.close(/<countersign-login> (unreachable|bad_service):|ERR_UNSAFE_PORT|status of 409/)
})
