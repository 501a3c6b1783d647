// The adapters, each in its framework, behind a single function that posts.

import { once } from 'node:events'
import { createServer, request } from 'node:http'

import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { setCookie } from 'hono/cookie'

import * as expressAdapter from '../../src/express.js'
import * as fastifyAdapter from '../../src/fastify.js'
import * as honoAdapter from '../../src/hono.js'
import * as nextAdapter from '../../src/next.js'

/** Sends a request with any headers, even `Origin`, on a new connection. */
async function ask(url, { method = 'POST', headers = {}, body = '' }) {
  const asked = request(url, { method, headers, agent: false })
  asked.end(body)
  const [response] = await once(asked, 'response')
  const chunks = []
  for await (const chunk of response) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  return { status: response.statusCode, headers: new Headers(response.headers), text }
}

async function listen(t, server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (path, parts) => ask(`http://127.0.0.1:${server.address().port}${path}`, parts)
}

const textOf = async (response) => ({ status: response.status, headers: response.headers, text: await response.text() })

const webRequest = (path, { method = 'POST', headers, body }) => (
  new Request(`http://shop.example${path}`, { method, headers, body: method === 'GET' ? undefined : body })
)

/**
 * Frameworks with both handlers, at /webhook and /login. `parse` lets the framework parse bodies first. The
 * test's `onLogin` is called with the login and a function that sets a cookie, and may return a text to answer
 * with.
 */
export const FRAMEWORKS = {
  async Express(t, countersign, { webhook, login: { onLogin, ...login } = {}, parse = false }) {
    const app = express()
    if (parse) app.use(express.json())
    app.all('/webhook', expressAdapter.webhook(countersign, webhook))
    app.all('/login', expressAdapter.login(countersign, {
      ...login,
      async onLogin(verified, request, response) {
        const text = await onLogin(verified, (name, value) => response.cookie(name, value))
        if (text) response.status(201).send(text)
      },
    }))
    return listen(t, createServer(app))
  },

  async 'Express with express.raw()'(t, countersign, { webhook }) {
    const app = express()
    app.use(express.raw({ type: '*/*', limit: '64kb' }))
    app.all('/webhook', expressAdapter.webhook(countersign, webhook))
    return listen(t, createServer(app))
  },

  async 'node:http'(t, countersign, { webhook }) {
    return listen(t, createServer(expressAdapter.webhook(countersign, webhook)))
  },

  async Fastify(t, countersign, { webhook, login: { onLogin, ...login } = {} }) {
    const app = Fastify()
    app.addContentTypeParser('text/special', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    app.register(fastifyAdapter.webhook(countersign, webhook), { prefix: '/webhook' })
    app.register(fastifyAdapter.login(countersign, {
      ...login,
      async onLogin(verified, request, reply) {
        const text = await onLogin(verified, (name, value) => reply.header('set-cookie', `${name}=${value}`))
        if (text) reply.code(201).send(text)
      },
    }), { prefix: '/login' })
    await app.listen({ port: 0, host: '127.0.0.1' })
    t.after(() => app.close())
    return (path, parts) => ask(`http://127.0.0.1:${app.server.address().port}${path}`, parts)
  },

  async Hono(t, countersign, { webhook, login: { onLogin, ...login } = {}, parse = false }) {
    const app = new Hono()
    if (parse) app.use(async (context, next) => { await context.req.json(); await next() })
    app.all('/webhook', honoAdapter.webhook(countersign, webhook))
    app.all('/login', honoAdapter.login(countersign, {
      ...login,
      async onLogin(verified, context) {
        const text = await onLogin(verified, (name, value) => setCookie(context, name, value))
        return text ? context.text(text, 201) : undefined
      },
    }))
    return async (path, parts) => textOf(await app.request(webRequest(path, parts)))
  },

  async 'Next.js'(t, countersign, { webhook, login: { onLogin, ...login } = {}, parse = false }) {
    const routes = {
      '/webhook': nextAdapter.webhook(countersign, webhook),
      '/login': nextAdapter.login(countersign, {
        ...login,
        async onLogin(verified) {
          const headers = new Headers()
          const text = await onLogin(verified, (name, value) => headers.set('set-cookie', `${name}=${value}`))
          if (!headers.has('set-cookie')) return undefined
          return new Response(text ?? 'logged in', { status: text ? 201 : 200, headers })
        },
      }),
    }
    return async (path, parts) => {
      const asked = webRequest(path, parts)
      if (parse) await asked.json()
      return textOf(await routes[path](asked))
    }
  },
}
