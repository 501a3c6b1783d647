// The real server, with an app for each client.

import assert from 'node:assert/strict'

import { ask, startServer } from '../../browser/support/server.mjs'

/** Starts a server that is the provider of as many clients as a test registers. */
export async function startProvider() {
  const server = await startServer()
  /** Runs the command, and returns its output. */
  const run = async (...words) => {
    const { code, out, err } = await server.run(...words)
    assert.equal(code, 0, err)
    return out
  }
  return {
    url: server.url,
    /** Creates an app, which is a client, and its secret. */
    async register(app, { redirectUris, postLogoutRedirectUris = [], publicClient = false, pkce = 'required' }) {
      await run('app', 'create', app, '--sender', server.demo.sendTo)
      await run(
        'app', 'update', app,
        ...redirectUris.flatMap((uri) => ['--add-redirect-uri', uri]),
        ...postLogoutRedirectUris.flatMap((uri) => ['--add-post-logout-redirect-uri', uri]),
        '--openid-client', publicClient ? 'public' : 'confidential',
        '--openid-pkce', pkce,
      )
      const { appKey } = JSON.parse(await run('app', 'show', app, '--json'))
      if (publicClient) return { clientId: appKey }
      const { clientSecret } = JSON.parse(await run('openid', 'issue-secret', app, '--json'))
      return { clientId: appKey, clientSecret }
    },
    /** Lets users of an app log in by code too, and registers the phone's key for one. Returns a function that opens a link. */
    async registerPhone(app, { clientId, publicUserId }) {
      await run('app', 'update', app, '--link-host', `${app}.example`, '--openid-methods', 'text,code')
      const { apiKey } = JSON.parse(await run('key', 'issue', app, '--json'))
      const phone = async (...words) => {
        const { code, err, out } = await server.phone(...words)
        assert.equal(code, 0, err)
        return out
      }
      const made = await phone('keys', 'create', '--public-user-id', publicUserId, '--app-key', clientId, '--json')
      const { publicKey, signature } = JSON.parse(made)
      const answer = await ask(`${server.url}/association-keys`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ publicUserId, publicKey, signature }),
      })
      assert.equal(answer.status, 200, answer.text)
      const own = ['--public-user-id', publicUserId, '--app-key', clientId, '--service', server.url]
      return (link, decision) => phone('open', link, ...own, decision)
    },
    /** Sends a text as a phone with this number. */
    text: (message, from) => run('phone', 'text', '--from', from, '--to', server.demo.sendTo, '--message', message),
    async stop() {
      assert.equal(await server.stop(), 0)
    },
  }
}
