// A server that speaks the console's contract, for tests and for work on the page.

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { Fake, Refusal } from './requests.mjs'

const DIST = join(resolve(dirname(fileURLToPath(import.meta.url)), '../..'), 'dist')
const TYPES = { html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml' }

/** The headers of the real server. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

async function bodyOf(request) {
  const parts = []
  for await (const part of request) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString() || '{}')
}

async function shell(path) {
  const name = path.includes('.') ? path.slice(1) : 'index.html'
  if (!/^[a-z]+\.(html|js|css|svg)$/.test(name)) return null
  const text = await readFile(join(DIST, name), 'utf8').catch(() => null)
  return text === null ? null : { text, type: TYPES[name.split('.').at(-1)] }
}

/** Starts it. `link` has a code that works once; `fake` is the store behind it. */
export async function startFake(options = {}) {
  const fake = new Fake(options)
  const secret = randomBytes(16).toString('hex')
  const run = randomBytes(4).toString('hex')
  const codes = new Set()
  /** The names of the requests that came. */
  const asked = []

  async function respond(request, response) {
    const send = (status, text, type = 'application/json') => response.writeHead(status, { ...HEADERS, 'content-type': type }).end(text)
    const { pathname } = new URL(request.url, 'http://localhost')
    if (request.method === 'GET') {
      const file = await shell(pathname)
      return file === null ? send(404, '') : send(200, file.text, file.type)
    }
    const body = await bodyOf(request)
    if (pathname === '/session') {
      if (!codes.delete(body.code)) return send(403, JSON.stringify({ message: 'This link was used already, or has expired.' }))
      response.setHeader('set-cookie', `countersign-console-${run}=${secret}; HttpOnly; SameSite=Strict; Path=/`)
      return send(200, JSON.stringify({ secret, run }))
    }
    const hasCookie = request.headers.cookie?.includes(`countersign-console-${run}=${secret}`)
    if (!hasCookie || request.headers['countersign-console'] !== secret) return send(401, JSON.stringify({ message: 'Run `countersign console` again.' }))
    const name = pathname.replace('/api/', '')
    asked.push({ name, body })
    try {
      return send(200, JSON.stringify(fake.answer(name, body)))
    } catch (error) {
      const known = error instanceof Refusal ? error : new Refusal(500, error.stack)
      return send(known.status, JSON.stringify({ message: known.message, ...known.more }))
    }
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error) => response.writeHead(500).end(String(error)))
  })
  await new Promise((done) => { server.listen(options.port ?? 0, '127.0.0.1', done) })
  const url = `http://127.0.0.1:${server.address().port}`
  return {
    url,
    fake,
    asked,
    link(path = '/') {
      const code = randomBytes(32).toString('base64url')
      codes.add(code)
      return `${url}${path}#code=${code}`
    },
    close: () => new Promise((done) => { server.close(done); server.closeAllConnections() }),
  }
}
