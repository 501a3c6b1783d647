// The clients, each with the program that serves its site, and with what its users do and see.

import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { find, ROOT } from '../../browser/support/tools.mjs'

const here = (...names) => join(ROOT, 'tests/openid', ...names)

/** The folder of the programs that scripts/setup/openid.sh has built. */
const built = (...names) => join(process.env.COUNTERSIGN_OPENID_BUILT ?? join(ROOT, '.tools/openid-clients'), ...names)

const python = () => process.env.COUNTERSIGN_OPENID_PYTHON ?? join(ROOT, '.tools/openid/bin/python')

const lacks = (path, what) => existsSync(path) ? null : what

const node = (name) => ({
  missing: () => lacks(here('node_modules', '.package-lock.json'), 'no npm ci in tests/openid'),
  command: () => [process.execPath, here('clients', name, 'site.mjs')],
})

const inPython = (name) => ({
  missing: () => lacks(python(), 'no Python with the clients'),
  command: () => [python(), here('clients', name, 'app.py')],
})

const program = (name) => ({
  missing: () => lacks(built(name), `${name} has not been built`),
  command: () => [built(name)],
})

/** Presses the site's link or button. */
async function logIn(page) {
  await page.getByText('Not logged in').waitFor()
  await page.getByText('Log in', { exact: true }).click()
}

/** What most sites have in common. */
const site = {
  callback: '/callback',
  logIn,
  loggedIn: (page) => page.getByText('Logged in', { exact: true }).waitFor(),
  me: '/me',
  cancelled: 'Not logged in: access_denied',
  /** The console messages of Chromium about the site's status codes. */
  expected: /status of 401/,
}

export const CLIENTS = {
  'openid-client': { ...site, ...node('openid-client') },
  'auth-js': {
    ...site,
    ...node('auth-js'),
    callback: '/auth/callback/countersign',
    async logIn(page) {
      await logIn(page)
      await page.getByRole('button', { name: 'Sign in with Countersign' }).click()
    },
    cancelled: 'Try signing in with a different account.',
  },
  'next-auth': {
    ...site,
    ...node('next-auth'),
    environment: ({ pkce }) => ({ CHECKS: pkce === 'nonce' ? 'state nonce' : 'pkce state nonce' }),
    callback: '/api/auth/callback/countersign',
    async logIn(page) {
      await logIn(page)
      await page.getByRole('button', { name: 'Sign in with Countersign' }).click()
    },
    cancelled: 'Try signing in with a different account.',
  },
  'better-auth': {
    ...site,
    ...node('better-auth'),
    callback: '/api/auth/callback/countersign',
    cancelled: 'access_denied',
  },
  authlib: { ...site, ...inPython('authlib') },
  django: { ...site, ...inPython('django'), callback: '/oidc/callback/', cancelled: 'The login failed' },
  'go-oidc': { ...site, ...program('go-oidc') },
  'oauth2-proxy': {
    ...site,
    ...program('oauth2-proxy'),
    command: () => [built('oauth2-proxy'), '--config', here('clients/oauth2-proxy/oauth2-proxy.cfg')],
    environment: ({ issuer, clientId, clientSecret, port, secret }) => ({
      OAUTH2_PROXY_OIDC_ISSUER_URL: issuer,
      OAUTH2_PROXY_CLIENT_ID: clientId,
      // A public client has an empty secret.
      ...(clientSecret ? { OAUTH2_PROXY_CLIENT_SECRET: clientSecret } : { OAUTH2_PROXY_CLIENT_SECRET_FILE: '/dev/null' }),
      OAUTH2_PROXY_COOKIE_SECRET: secret.slice(0, 32),
      OAUTH2_PROXY_HTTP_ADDRESS: `127.0.0.1:${port}`,
      OAUTH2_PROXY_REDIRECT_URL: `http://localhost:${port}/oauth2/callback`,
    }),
    callback: '/oauth2/callback',
    logIn: (page) => page.getByRole('button', { name: 'Sign in with OpenID Connect' }).click(),
    loggedIn: (page) => page.getByText('Authenticated').waitFor(),
    me: '/oauth2/userinfo',
    user: ({ user }) => ({ sub: user }),
    cancelled: 'Forbidden',
    expected: /status of 403/,
  },
  spring: {
    ...site,
    missing: () => find('java') ? lacks(built('spring.jar'), 'the site with Spring has not been built') : 'no java',
    command: () => ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-jar', built('spring.jar')],
    callback: '/login/oauth2/code/countersign',
    // With a single provider, Spring Security sends the browser there without a page in between.
    logIn: () => {},
    loggedIn: (page) => page.getByText('Logged in').waitFor(),
    cancelled: 'Invalid credentials',
  },
}
