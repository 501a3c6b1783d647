// Pages with the element for phone numbers, with a service and a page's server that a test controls.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

import { ElementPage } from './element.mjs'
import { openWindow } from './page.mjs'
import { ROOT } from './tools.mjs'

const DIST = join(ROOT, 'clients/widget/dist')

const NAMES = ['started', 'missed', 'verified', 'expired', 'cancelled', 'renew', 'error']

export const MESSAGE = 'Sign in to Shop: CS-7Q2M0XK4V9T1BHNE'

/** Returns the links of a text, in the service's format. */
export function linksOf(message, sendTo = '+12025550199') {
  const encoded = encodeURIComponent(message)
  return {
    qr: `smsto:${sendTo}:${message}`,
    ios: `sms:${sendTo}&body=${encoded}`,
    android: `smsto:${sendTo}:${encoded}`,
    sms: `sms:${sendTo}?body=${encoded}`,
  }
}

/**
 * Starts a server that plays two parts: at `localhost`, a shop with pages and the route `/sign-up/phone`, and
 * at 127.0.0.1, a service with one confirmation after another.
 */
export async function startFake() {
  const pages = new Map()
  let count = 0
  const server = createServer((request, response) => fake.answer(request, response))
  const fake = {
    /** Members of the next confirmations that replace the defaults. */
    other: {},
    /** The status of the current confirmation, and the time left, in s. */
    status: 'open',
    left: 300,
    /** Why a text was not accepted, or null. */
    miss: null,
    /** Answers a request instead of the server and returns `true`; by default, none. */
    interfere: () => false,
    /** The requests so far. */
    seen: [],
    put(html) {
      const path = `/${pages.size + 1}`
      pages.set(path, html)
      return fake.url + path
    },
    /** Returns a new confirmation. */
    started() {
      count += 1
      Object.assign(fake, { status: 'open', left: 300, miss: null })
      const id = `cfm_${String(count).padStart(32, '0')}`
      const message = fake.other.confirmationMessage ?? MESSAGE
      return {
        confirmationId: id,
        confirmationMessage: message,
        confirmationUri: linksOf(message),
        sendTo: '+12025550199',
        sendToCountry: 'US',
        expiresAt: new Date(Date.now() + 300_000).toISOString(),
        expiresIn: 300,
        serverTime: new Date().toISOString(),
        client: {
          token: `token-${count}`,
          statusUrl: `${fake.service}/confirmations/${id}/status`,
          socketUrl: `${fake.service.replace('http', 'ws')}/socket`,
        },
        ...fake.other,
      }
    },
    answer(request, response) {
      const { headers, method, url } = request
      const { pathname } = new URL(url, fake.url)
      fake.seen.push({ method, path: pathname, headers })
      const send = (status, body, type = 'application/json') => {
        response.writeHead(status, { 'content-type': `${type}; charset=utf-8` })
        response.end(typeof body === 'string' ? body : JSON.stringify(body))
      }
      response.setHeader('access-control-allow-origin', '*')
      response.setHeader('access-control-allow-headers', 'authorization, if-none-match')
      response.setHeader('access-control-expose-headers', 'etag, retry-after')
      if (fake.interfere({ method, path: pathname }, send, response)) return
      if (method === 'OPTIONS') return send(204, '')
      if (/^\/widget(\/\w+)?\.js$/.test(pathname)) return send(200, readFileSync(join(DIST, pathname), 'utf8'), 'text/javascript')
      if (pages.has(pathname)) return send(200, pages.get(pathname), 'text/html')
      if (pathname === '/sign-up/phone' && method === 'POST') return send(201, fake.started())
      const [, id] = /^\/confirmations\/(\w+)\/status$/.exec(pathname) ?? []
      if (!id) return send(404, { code: 'not_found' })
      const tag = `"${fake.status}-${fake.miss}"`
      response.setHeader('etag', tag)
      if (headers['if-none-match'] === tag) return response.writeHead(304).end()
      const lastMiss = fake.miss ? { reason: fake.miss } : undefined
      send(200, { confirmationId: id, status: fake.status, lastMiss, expiresIn: fake.left })
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  return Object.assign(fake, { url: `http://localhost:${port}`, service: `http://127.0.0.1:${port}` })
}

/** Returns the HTML of a page with the element. */
export function phonePage({ attributes = 'start="/sign-up/phone"', html = 'lang="en"', head = '', script } = {}) {
  return `<!doctype html>
<html ${html}>
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>A shop</title>
    <link rel="icon" href="data:,">
    ${head}
    <script type="module" src="${script ?? '/widget.js'}"></script>
  </head>
  <body>
    <main>
      <h1>Shop</h1>
      <countersign-phone ${attributes}></countersign-phone>
    </main>
  </body>
</html>
`
}

/** Opens a page in a new window. Its socket only opens if a test allows it. */
export async function openPhone(browser, fake, page = {}, { prepare, ...options } = {}) {
  const window = await openWindow(browser, [fake.url, fake.service], options)
  const phone = new PhonePage(window)
  await phone.listen()
  await window.page.routeWebSocket(/\/socket$/, (socket) => {
    phone.sockets.push(socket)
    socket.onMessage((hello) => {
      phone.hellos.push(JSON.parse(hello))
      socket.send('{"changed":true}')
    })
  })
  await prepare?.(window.page)
  await window.page.goto(fake.put(phonePage(page)))
  return phone
}

export class PhonePage extends ElementPage {
  sockets = []
  /** The first messages on the sockets. */
  hellos = []

  constructor(window) {
    super('countersign-phone', NAMES, window)
  }

  /** Tells the page that something has changed. */
  poke() {
    for (const socket of this.sockets) socket.send('{"changed":true}')
  }
}
