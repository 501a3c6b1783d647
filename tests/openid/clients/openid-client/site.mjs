// A site whose users log in with openid-client and Express. Without CLIENT_SECRET it is a public client.

import { randomUUID } from 'node:crypto'

import express from 'express'
import * as client from 'openid-client'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT } = process.env
const site = `http://localhost:${PORT}`

const config = await client.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, {
  execute: [client.allowInsecureRequests], // only for http
})

const sessions = new Map()
const app = express()
app.use((request, response, next) => {
  let id = /(?:^|; )session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1]
  if (!sessions.has(id)) {
    id = randomUUID()
    sessions.set(id, {})
    response.cookie('session', id, { httpOnly: true, sameSite: 'lax' })
  }
  request.session = sessions.get(id)
  next()
})

app.get('/', ({ session: { user } }, response) => {
  response.send(user ? '<p>Logged in</p><a href="/logout">Log out</a>' : '<p>Not logged in</p><a href="/login">Log in</a>')
})

app.get('/me', ({ session }, response) => response.json(session.user ?? null))

app.get('/login', async ({ session, query }, response) => {
  session.verifier = client.randomPKCECodeVerifier()
  session.state = client.randomState()
  session.nonce = client.randomNonce()
  response.redirect(client.buildAuthorizationUrl(config, {
    redirect_uri: `${site}/callback`,
    scope: 'openid phone',
    code_challenge: await client.calculatePKCECodeChallenge(session.verifier),
    code_challenge_method: 'S256',
    state: session.state,
    nonce: session.nonce,
    // A second factor confirms the number that the user already has.
    ...(query.number ? { login_hint: `tel:${query.number}` } : {}),
  }))
})

app.get('/callback', async ({ session, originalUrl }, response) => {
  const { verifier, state, nonce } = session
  const tokens = await client.authorizationCodeGrant(config, new URL(originalUrl, site), {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
  })
  const { sub, amr } = tokens.claims()
  const { phone_number } = await client.fetchUserInfo(config, tokens.access_token, sub)
  Object.assign(session, { idToken: tokens.id_token, user: { sub, amr, phone_number } })
  response.redirect('/')
})

app.get('/logout', ({ session }, response) => {
  const { idToken } = session
  delete session.user
  response.redirect(client.buildEndSessionUrl(config, { id_token_hint: idToken, post_logout_redirect_uri: `${site}/` }))
})

app.use((error, request, response, next) => {
  if (response.headersSent) return next(error)
  if (!error.error) console.error(error)
  response.status(401).send(`<p>Not logged in: ${error.error ?? error.code}</p>`)
})

app.listen(PORT, '127.0.0.1', () => console.log(`listening on ${site}`))
