// A site whose users log in with Auth.js and Express.

import { ExpressAuth, getSession } from '@auth/express'
import express from 'express'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT } = process.env

const config = {
  secret: process.env.AUTH_SECRET,
  trustHost: true,
  providers: [{
    id: 'countersign',
    name: 'Countersign',
    type: 'oidc',
    issuer: ISSUER,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    // By default, the page loads a picture from authjs.dev.
    style: { logo: '' },
    checks: ['pkce', 'state', 'nonce'],
    authorization: { params: { scope: 'openid phone' } },
    profile: ({ sub, phone_number }) => ({ id: sub, name: phone_number }),
  }],
  callbacks: {
    // Without a database, Auth.js makes up a new user id at each login.
    jwt: ({ token, account }) => account ? { ...token, sub: account.providerAccountId } : token,
    session: ({ session, token }) => ({ ...session, user: { ...session.user, id: token.sub } }),
  },
}

const app = express()
app.use('/auth', ExpressAuth(config))

app.get('/', async (request, response) => {
  const session = await getSession(request, config)
  response.send(session ? '<p>Logged in</p>' : '<p>Not logged in</p><a href="/auth/signin">Log in</a>')
})

app.get('/me', async (request, response) => {
  const session = await getSession(request, config)
  response.json(session && { sub: session.user.id, phone_number: session.user.name })
})

app.listen(PORT, '127.0.0.1', () => console.log(`listening on http://localhost:${PORT}`))
