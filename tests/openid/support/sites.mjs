// Starts the sites of the clients.

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'

import { freePort } from '../../browser/support/examples.mjs'
import { CLIENTS } from './clients.mjs'

/** Runs a program with another clock. */
export const FAKETIME = 'faketime'

/** Starts the site of a client, whose users log in with this provider. Its clock is wrong by `skew` seconds. */
export async function startSite(name, provider, { publicClient = false, pkce = 'required', skew = 0 } = {}) {
  const client = CLIENTS[name]
  const port = await freePort()
  const url = `http://localhost:${port}`
  const kind = publicClient ? '-public' : pkce === 'nonce' ? '-nonce' : skew < 0 ? '-slow' : skew > 0 ? '-fast' : ''
  const registered = await provider.register(name + kind, {
    redirectUris: [url + client.callback], postLogoutRedirectUris: [`${url}/`], publicClient, pkce,
  })
  const secret = randomBytes(32).toString('hex')
  const given = { issuer: provider.url, port, secret, pkce, ...registered }
  const clock = skew === 0 ? [] : [FAKETIME, '-f', `${skew > 0 ? '+' : ''}${skew}s`]
  const [program, ...words] = [...clock, ...client.command()]
  const env = { ...environment(given), ...client.environment?.(given) }
  const running = await startProgram(program, words, env, `${url}${client.healthy ?? '/'}`)
  return { url, ...registered, ...running }
}

/** The variables that our own sites read. */
const environment = ({ issuer, clientId, clientSecret, port, secret }) => ({
  ISSUER: issuer,
  CLIENT_ID: clientId,
  ...(clientSecret ? { CLIENT_SECRET: clientSecret } : {}),
  PORT: String(port),
  AUTH_SECRET: secret,
  PYTHONDONTWRITEBYTECODE: '1',
})

/** Starts a program, and waits until it answers requests. */
export async function startProgram(program, words, env, url) {
  // A separate group, because scripts do not pass signals on.
  const child = spawn(program, words, { detached: true, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => { log += text })
  const ended = once(child, 'close')
  let running = true
  ended.finally(() => { running = false })
  while (!await fetch(url, { redirect: 'manual' }).then(() => true, () => false)) {
    if (!running) throw new Error(`${program} did not start:\n${log}`)
    // sleep: the pace of the requests. Not every program says when it is ready.
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    log: () => log,
    async stop() {
      if (running) process.kill(-child.pid)
      await ended
    },
  }
}
