// Keycloak, with a realm whose users can log in with the provider, and its administration.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { freePort } from '../../browser/support/examples.mjs'
import { find, ROOT } from '../../browser/support/tools.mjs'
import { startProgram } from './sites.mjs'

const HOME = join(process.env.COUNTERSIGN_OPENID_BUILT ?? join(ROOT, '.tools/openid-clients'), 'keycloak')

export function missingForKeycloak() {
  if (!find('java')) return 'no java'
  return existsSync(join(HOME, 'bin/kc.sh')) ? null : 'Keycloak has not been set up'
}

/** Starts Keycloak with the realm of clients/keycloak. */
export async function startKeycloak(provider) {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const password = randomBytes(16).toString('hex')
  const words = ['start', '--optimized', '--http-enabled=true', '--http-host=127.0.0.1', `--http-port=${port}`, '--hostname-strict=false']
  const running = await startProgram(join(HOME, 'bin/kc.sh'), words, {
    KC_BOOTSTRAP_ADMIN_USERNAME: 'admin',
    KC_BOOTSTRAP_ADMIN_PASSWORD: password,
    JAVA_OPTS_APPEND: '-XX:TieredStopAtLevel=1',
  }, url)
  const keycloak = { url, ...running, ask: (path, options) => ask(url, password, path, options) }
  const { clientId, clientSecret } = await provider.register('keycloak', {
    redirectUris: [`${url}/realms/site/broker/countersign/endpoint`],
    postLogoutRedirectUris: [`${url}/realms/site/broker/countersign/endpoint/logout_response`],
  })
  const realm = readFileSync(join(ROOT, 'tests/openid/clients/keycloak/realm.json'), 'utf8')
    .replaceAll('$ISSUER', provider.url)
    .replace('$CLIENT_ID', clientId)
    .replace('$CLIENT_SECRET', clientSecret)
  await keycloak.ask('', { method: 'POST', body: realm })
  return keycloak
}

/** Sends a request to the administration, and returns its answer. */
async function ask(url, password, path, { method = 'GET', body } = {}) {
  const login = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', username: 'admin', password })
  const tokens = await fetch(`${url}/realms/master/protocol/openid-connect/token`, { method: 'POST', body: login })
  const { access_token: token } = await tokens.json()
  const response = await fetch(`${url}/admin/realms${path}`, {
    method, body, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  })
  const text = await response.text()
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
  return text ? JSON.parse(text) : null
}
