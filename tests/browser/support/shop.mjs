// A shop that uses the service: pages of a test, and the routes behind them.

import { once } from 'node:events'
import { createServer } from 'node:http'
import { extname } from 'node:path'
import { text } from 'node:stream/consumers'

import { ask } from './server.mjs'

const TYPES = { html: 'text/html; charset=utf-8', js: 'text/javascript', css: 'text/css' }

/** Starts a shop next to a server. `fileAt` returns the file for a path, or `undefined`. */
export async function startShop(server, fileAt) {
  const call = async (method, path, body) => {
    const headers = { 'x-api-key': server.demo.apiKey, 'content-type': 'application/json' }
    return (await ask(server.url + path, { method, headers, body: body && JSON.stringify(body) })).json()
  }
  const shop = {
    /** Requests that started confirmations. */
    started: [],
    /** Bodies of logins. */
    logins: [],
    /** Whether to refuse users who log in or sign up. */
    locked: false,
    /** Token that each POST must contain in a header; by default, none. */
    token: '',
    stop() {
      http.closeAllConnections()
      http.close()
    },
  }

  /** Answers as JSON, or as HTML to htmx. */
  const outcome = (words) => (shop.locked ? [403, { error: 'locked' }] : [200, { outcome: words }])

  const routes = {
    '/sign-up/phone': async () => {
      shop.started.push(await call('POST', '/acquire-phone-number', { callbackUrl: 'http://127.0.0.1:9/webhook', clientChannel: true }))
      return [201, shop.started.at(-1)]
    },
    '/sign-up/finish': async () => {
      const { status } = await call('GET', `/confirmations/${shop.started.at(-1).confirmationId}`)
      return status === 'verified' ? outcome('Signed up') : [409, { error: status }]
    },
    '/login': (body) => {
      shop.logins.push(body)
      return outcome('Logged in')
    },
  }

  const http = createServer(async (request, response) => {
    const { headers, method, url } = request
    const { pathname } = new URL(url, 'http://localhost')
    if (method === 'GET') {
      const content = await fileAt(pathname)
      response.writeHead(content === undefined ? 404 : 200, { 'content-type': TYPES[extname(pathname).slice(1) || 'html'] ?? 'text/plain' })
      return response.end(content)
    }
    const form = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
    const sent = await text(request)
    const body = form ? Object.fromEntries(new URLSearchParams(sent)) : JSON.parse(sent || '{}')
    const allowed = shop.token === '' || headers['x-csrf-token'] === shop.token
    const [status, answer] = allowed ? await routes[pathname](body) : [403, { error: 'forged' }]
    const html = headers['hx-request'] !== undefined
    response.writeHead(status, { 'content-type': html ? TYPES.html : 'application/json' })
    response.end(html ? `<p>${answer.outcome}</p>` : JSON.stringify(answer))
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return Object.assign(shop, { url: `http://localhost:${http.address().port}` })
}
