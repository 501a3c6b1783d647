// A service with Better Auth, Hono and SQLite whose users sign in with a text or with their phone, in Node.js 20 or later.
// `make example IN=better-auth` starts it. Copied elsewhere, it needs: npm install better-auth hono @hono/node-server
// kysely libsql esbuild, and the two archives of the README.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { serve } from '@hono/node-server'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { build, stop } from 'esbuild'
import { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import { SqliteDialect } from 'kysely'
import Database from 'libsql'

import { countersign } from '@countersign/better-auth'

const { COUNTERSIGN_URL: service, COUNTERSIGN_APP_KEY: appKey, PORT: port = '3000' } = process.env
const origin = `http://localhost:${port}`

export const auth = betterAuth({
  baseURL: origin,
  secret: process.env.BETTER_AUTH_SECRET ?? randomBytes(32).toString('base64url'),
  database: { dialect: new SqliteDialect({ database: new Database(process.env.DATABASE ?? ':memory:') }), type: 'sqlite' },
  plugins: [
    countersign({
      url: service,
      apiKey: process.env.COUNTERSIGN_API_KEY,
      appKey,
      webhookSecret: process.env.COUNTERSIGN_WEBHOOK_SECRET,
      callbackUrl: `http://127.0.0.1:${port}/api/auth/countersign/webhook`,
    }),
  ],
})
await (await getMigrations(auth.options)).runMigrations()

const file = (name) => fileURLToPath(new URL(name, import.meta.url))
const page = readFileSync(file('page.html'), 'utf8').replaceAll('{{ service }}', service).replaceAll('{{ appKey }}', appKey)
const { outputFiles: [{ text: script }] } = await build({ entryPoints: [file('page.js')], bundle: true, format: 'esm', minify: true, write: false })
await stop()

const app = new Hono()
app.use(secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'", service],
    styleSrc: ["'self'"],
    imgSrc: ['data:'],
    connectSrc: ["'self'", service, service.replace(/^http/, 'ws')],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: 'DENY',
}))
app.on(['GET', 'POST'], '/api/auth/*', (context) => auth.handler(context.req.raw))
for (const path of ['/', '/sign-in', '/login']) app.get(path, (context) => context.html(page))
app.get('/page.js', (context) => context.body(script, 200, { 'content-type': 'text/javascript; charset=utf-8' }))
app.get('/style.css', (context) => context.body(style, 200, { 'content-type': 'text/css; charset=utf-8' }))

const style = `
:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif }
main { max-width: 36rem; margin: 0 auto; padding: 1rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: 0.5rem; border: 1px solid }
label, textarea { display: block; box-sizing: border-box; width: 100% }
button { padding: 0.5rem 1rem; font: inherit }
`

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(port) }, () => console.log(`listening on ${origin}`))
