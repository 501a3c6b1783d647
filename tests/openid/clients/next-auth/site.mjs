// A site whose users log in with next-auth 4, and Express in the place of Next.js: next-auth's handler of API routes needs
// nothing of Next.js but the form of its requests.

import express from 'express'
import nextAuth from 'next-auth'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT, CHECKS } = process.env
process.env.NEXTAUTH_URL = `http://localhost:${PORT}`

const options = {
  secret: process.env.AUTH_SECRET,
  providers: [{
    id: 'countersign',
    name: 'Countersign',
    type: 'oauth',
    wellKnown: `${ISSUER}/.well-known/openid-configuration`,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    idToken: true,
    client: { id_token_signed_response_alg: 'ES256' },
    checks: CHECKS.split(' '),
    authorization: { params: { scope: 'openid phone' } },
    // Otherwise the page loads a picture from authjs.dev.
    style: { logo: '' },
    profile: ({ sub, phone_number }) => ({ id: sub, name: phone_number }),
  }],
  callbacks: {
    session: ({ session, token }) => ({ ...session, user: { ...session.user, id: token.sub } }),
  },
}

const app = express()
app.use(express.urlencoded({ extended: false }))
app.use((request, response, next) => {
  request.cookies = Object.fromEntries(
    (request.headers.cookie ?? '').split('; ').filter(Boolean).map((cookie) => {
      const [name, ...value] = cookie.split('=')
      return [name, decodeURIComponent(value.join('='))]
    }),
  )
  next()
})

app.all('/api/auth/*nextauth', (request, response) => {
  const query = { ...request.query, nextauth: request.params.nextauth }
  Object.defineProperty(request, 'query', { value: query })
  return nextAuth.default(request, response, options)
})

/** Returns the session of a request's browser, as the endpoint for pages does. */
async function session(request) {
  const answer = await fetch(`http://localhost:${PORT}/api/auth/session`, { headers: { cookie: request.headers.cookie ?? '' } })
  return (await answer.json()).user
}

app.get('/', async (request, response) => {
  const user = await session(request)
  response.send(user ? '<p>Logged in</p>' : '<p>Not logged in</p><a href="/api/auth/signin">Log in</a>')
})

app.get('/me', async (request, response) => {
  const user = await session(request)
  response.json(user ? { sub: user.id, phone_number: user.name } : null)
})

app.listen(PORT, '127.0.0.1', () => console.log(`listening on http://localhost:${PORT}`))
