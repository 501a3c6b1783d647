// Starts the shop of phone-shop.mjs, in each language that has a library for servers.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { EventEmitter, on, once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { ask } from './server.mjs'
import { find, ROOT } from './tools.mjs'

const PYTHON = process.env.COUNTERSIGN_PYTHON ?? 'python3'
const SUPPORT = join(ROOT, 'tests/browser/support')
const GO = join(ROOT, '.tools/phone-shop')

/** Longer than a webhook takes on a busy machine, in ms. */
const PATIENCE = 300_000

/** Languages: what a machine lacks for them, and how their shop is started. */
export const SHOPS = {
  node: { missing: () => null, command: () => [process.execPath, join(SUPPORT, 'phone-shop.mjs')] },
  python: {
    missing: () => (
      spawnSync(PYTHON, ['-c', 'import countersign.flask']).status === 0 ? null : 'no Python with countersign and Flask'
    ),
    command: () => [PYTHON, join(SUPPORT, 'phone_shop.py')],
  },
  go: {
    missing: () => find('go') ? null : 'no go',
    command: () => {
      mkdirSync(join(ROOT, '.tools'), { recursive: true })
      const built = spawnSync('go', ['build', '-C', join(ROOT, 'clients/go/internal/integration'), '-o', GO, './phoneshop'])
      assert.equal(built.status, 0, String(built.stderr))
      return [GO]
    },
  },
}

/** Starts a shop, whose page is at `site`. It gets the webhooks of the demo app until the next one starts. */
export async function startShopIn(language, { server, site }) {
  const { demo } = server
  const secret = (await server.run('app', 'webhook-secret', 'demo')).out.split('\n')[0]
  const [program, ...words] = SHOPS[language].command()
  const child = spawn(program, words, {
    env: {
      ...process.env,
      COUNTERSIGN_URL: server.url,
      COUNTERSIGN_API_KEY: demo.apiKey,
      COUNTERSIGN_APP_KEY: demo.appKey,
      COUNTERSIGN_WEBHOOK_SECRET: secret,
      COUNTERSIGN_SHOP_ORIGIN: site.url,
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let log = ''
  child.stderr.on('data', (text) => { log += text })
  const said = new EventEmitter()
  const lines = on(said, 'line', { signal: AbortSignal.timeout(PATIENCE) })
  createInterface(child.stdout).on('line', (line) => said.emit('line', JSON.parse(line)))
  ended.then(() => said.emit('line', { event: 'ended', log }))

  const shop = {
    language,
    log: () => log,
    /** The shop's next line, which must be about this event. */
    async says(event) {
      const { value: [line] } = await lines.next()
      assert.equal(line.event, event, JSON.stringify(line))
      return line
    },
    /** Calls the shop, which must answer 200. */
    async call(path, body) {
      const answer = await shop.post(path, body)
      assert.equal(answer.status, 200, `${path}: ${answer.text}\n${log}`)
      return answer.json()
    },
    /** Whether the app's webhooks about logins and phones that begin now go to the shop. */
    async getsWebhooks(wanted) {
      const setting = wanted ? ['--login-callback', `${shop.url}/webhook`] : ['--no-login-callback']
      const { code, err } = await server.run('app', 'update', 'demo', ...setting)
      assert.equal(code, 0, err)
    },
    post: (path, body, headers = {}) => ask(shop.url + path, {
      method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body),
    }),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
  shop.url = (await shop.says('ready')).url
  await shop.getsWebhooks(true)
  return shop
}
