// The provider as the suite sees it: over TLS under a name, out of local mode.

import { execFileSync } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ask, startServer } from '../../browser/support/server.mjs'

/** The name under which containers reach this machine. */
export const HOST = 'host.docker.internal'

/** Starts the provider with two clients that return to this address. */
export async function startProvider(callback, port = 9443) {
  const issuer = `https://${HOST}:${port}`
  const server = await startServer()
  const clients = []
  for (const app of ['one', 'two']) {
    await server.run('app', 'create', app, '--sender', server.demo.sendTo)
    await server.run('app', 'update', app, '--add-redirect-uri', callback, '--add-redirect-uri', `${callback}?dummy1=lorem&dummy2=ipsum`, '--openid-pkce', 'nonce')
    const { out, err } = await server.run('openid', 'issue-secret', app, '--json')
    if (!out) throw new Error(err)
    clients.push(JSON.parse(out))
  }
  await server.halt()
  await server.resume('--public-url', issuer, '--trusted-proxy', '127.0.0.1')
  const proxy = await startProxy(port, new URL(server.url), issuer)
  return {
    issuer,
    clients,
    /** Sends a text as the SMS provider does. */
    async text(message, from) {
      const body = JSON.stringify({ from, to: server.demo.sendTo, text: message })
      const answer = await ask(`${server.url}/inbound-sms/generic`, { method: 'POST', headers: signed(server.demo.inboundSecret, body), body })
      if (answer.status >= 300) throw new Error(`the text was answered ${answer.status}: ${answer.text}`)
    },
    async stop() {
      proxy.close()
      proxy.closeAllConnections()
      await server.stop()
    },
  }
}

/** Returns the headers of a text, by the Standard Webhooks scheme. */
function signed(secret, body) {
  const id = randomUUID()
  const timestamp = Math.floor(Date.now() / 1000)
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}

/** Starts a TLS proxy in front of a server. Each request has another address, so that no limit is reached. */
async function startProxy(port, { hostname, port: to }, issuer) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-suite-'))
  const [key, cert] = ['key', 'cert'].map((name) => join(folder, name))
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`,
    '-keyout', key, '-out', cert,
  ], { stdio: 'ignore' })
  let number = 0
  const proxy = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (incoming, outgoing) => {
    number += 1
    const headers = { ...incoming.headers, host: new URL(issuer).host, 'x-forwarded-for': `198.51.100.${number % 250}` }
    const passed = request({ hostname, port: to, path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  rmSync(folder, { recursive: true })
  // Containers come in over their bridge.
  await new Promise((resolve) => { proxy.listen(port, '0.0.0.0', resolve) })
  return proxy
}
