// A site whose users log in with Better Auth's generic OAuth plugin and Hono.

import { createPlaceholderEmail } from '@better-auth/core/utils/email'
import { serve } from '@hono/node-server'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { genericOAuth } from 'better-auth/plugins'
import { Hono } from 'hono'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT } = process.env
const site = `http://localhost:${PORT}`
const database = { user: [], session: [], account: [], verification: [] }

const auth = betterAuth({
  baseURL: site,
  secret: process.env.AUTH_SECRET,
  database: memoryAdapter(database),
  user: { additionalFields: { phoneNumber: { type: 'string', input: false } } },
  plugins: [
    genericOAuth({
      config: [{
        providerId: 'countersign',
        discoveryUrl: `${ISSUER}/.well-known/openid-configuration`,
        clientId: CLIENT_ID,
        clientSecret: CLIENT_SECRET,
        scopes: ['openid', 'phone'],
        mapProfileToUser: ({ sub, phone_number }) => ({
          email: createPlaceholderEmail({ identifier: sub, namespace: 'countersign' }),
          name: phone_number,
          phoneNumber: phone_number,
        }),
      }],
    }),
  ],
})

const page = `<p>Not logged in</p>
<p id="error"></p>
<button>Log in</button>
<script>
document.querySelector('#error').textContent = new URLSearchParams(location.search).get('error') ?? ''
document.querySelector('button').addEventListener('click', async () => {
  const response = await fetch('/api/auth/sign-in/social', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'countersign', callbackURL: '/', errorCallbackURL: '/' }),
  })
  location.href = (await response.json()).url
})
</script>`

const app = new Hono()
app.on(['GET', 'POST'], '/api/auth/*', ({ req }) => auth.handler(req.raw))
app.get('/', async (context) => {
  const session = await auth.api.getSession({ headers: context.req.raw.headers })
  return context.html(session ? '<p>Logged in</p>' : page)
})
app.get('/me', async (context) => {
  const session = await auth.api.getSession({ headers: context.req.raw.headers })
  if (!session) return context.json(null)
  const { accountId } = database.account.find(({ userId }) => userId === session.user.id)
  return context.json({ sub: accountId, user: session.user.id, phone_number: session.user.phoneNumber, email: session.user.email })
})

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) }, () => console.log(`listening on ${site}`))
