// Keycloak as a broker: its users log in with the real server, and link it to the account that they have.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { openWindow, startBrowser } from '../browser/support/page.mjs'
import { HANG } from '../browser/support/suite.mjs'
import { chromium, skipped } from '../browser/support/tools.mjs'
import { missingForKeycloak, startKeycloak } from './support/keycloak.mjs'
import { startProvider } from './support/provider.mjs'
import { Visitor } from './support/visitor.mjs'

const own = {}
const lack = () => chromium() ? missingForKeycloak() : 'no Chromium'

before(async () => {
  if (lack()) return
  own.provider = await startProvider()
  own.browser = await startBrowser()
  own.keycloak = await startKeycloak(own.provider)
}, HANG)

after(async () => {
  await own.browser?.close()
  await own.keycloak?.stop()
  await own.provider?.stop()
}, HANG)

function keycloakTest(name, run) {
  const title = `Keycloak: ${name}`
  test(title, HANG, async () => lack() ? skipped(title, lack()) : run())
}

/** What users of Keycloak's account console do. */
const accountConsole = {
  /** Chromium's console messages about Keycloak's own pages. */
  expected: /sandbox attribute|status of 4/,
  logIn: (page) => page.getByRole('link', { name: 'Countersign' }).click(),
  loggedIn: (page) => page.getByText('Personal info').first().waitFor(),
}

/** Opens the account console. */
async function open() {
  const { page, close } = await openWindow(own.browser, [own.keycloak.url, own.provider.url])
  const visitor = Object.assign(new Visitor(), { page, close, provider: own.provider, site: own.keycloak, client: accountConsole })
  await page.goto(`${own.keycloak.url}/realms/site/account/`)
  return visitor
}

/** Logs in to the account console with a text. */
async function logIn(number) {
  const visitor = await open()
  await accountConsole.logIn(visitor.page)
  await visitor.arrive()
  await visitor.text(number)
  await accountConsole.loggedIn(visitor.page)
  return visitor
}

const users = () => own.keycloak.ask('/site/users?briefRepresentation=false')
const links = (id) => own.keycloak.ask(`/site/users/${id}/federated-identity`)
const sessions = (id) => own.keycloak.ask(`/site/users/${id}/sessions`)
const others = async () => (await users()).filter(({ username }) => username !== 'ada')

keycloakTest('the discovery document fills in the endpoints', async () => {
  const body = JSON.stringify({ providerId: 'oidc', fromUrl: `${own.provider.url}/.well-known/openid-configuration` })
  const imported = await own.keycloak.ask('/site/identity-provider/import-config', { method: 'POST', body })
  const { config } = await own.keycloak.ask('/site/identity-provider/instances/countersign')
  for (const field of ['issuer', 'authorizationUrl', 'tokenUrl', 'userInfoUrl', 'jwksUrl', 'logoutUrl', 'useJwksUrl', 'validateSignature']) {
    assert.equal(imported[field], config[field], field)
  }
})

keycloakTest('a first login makes an account, and a second one finds it', async () => {
  const number = '+12025550150'
  await (await logIn(number)).close(accountConsole.expected)
  const [user, ...more] = await others()
  assert.deepEqual(more, [])
  assert.deepEqual(user.attributes.phoneNumber, [number])
  assert.equal(user.email, undefined)
  const [link] = await links(user.id)
  assert.equal(link.identityProvider, 'countersign')
  assert.equal(user.username, link.userId.toLowerCase())

  await (await logIn(number)).close(accountConsole.expected)
  assert.deepEqual((await others()).map(({ id }) => id), [user.id])
  assert.equal((await sessions(user.id)).length, 2)
})

keycloakTest('a user links an account, and logs in to it with a text', async () => {
  const number = '+12025550151'
  const before = (await others()).length
  const visitor = await open()
  const { page } = visitor
  await page.getByLabel('Username').fill('ada')
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple')
  await page.getByRole('button', { name: 'Sign In' }).click()
  await accountConsole.loggedIn(page)
  await page.goto(`${own.keycloak.url}/realms/site/account/account-security/linked-accounts`)
  await page.getByRole('button', { name: 'Link account' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await visitor.arrive()
  await visitor.text(number)
  await page.getByRole('button', { name: 'Unlink account' }).waitFor()
  await visitor.close(accountConsole.expected)

  const ada = (await users()).find(({ username }) => username === 'ada')
  const [link] = await links(ada.id)
  assert.equal(link.identityProvider, 'countersign')
  await (await logIn(number)).close(accountConsole.expected)
  assert.equal((await sessions(ada.id)).length, 2)
  assert.equal((await others()).length, before)
})

keycloakTest('a user logs out, by way of the provider', async () => {
  const visitor = await logIn('+12025550152')
  const { page } = visitor
  const passed = page.waitForRequest((request) => request.url().startsWith(`${own.provider.url}/end-session?`))
  await page.goto(`${own.keycloak.url}/realms/site/protocol/openid-connect/logout`)
  await page.getByRole('button', { name: 'Logout' }).click()
  const { searchParams } = new URL((await passed).url())
  assert.ok(searchParams.get('id_token_hint'))
  await page.getByText('You are logged out').first().waitFor()
  assert.equal(new URL(page.url()).origin, own.keycloak.url)
  await visitor.close(accountConsole.expected)
})

keycloakTest('a user cancels', async () => {
  const before = (await users()).length
  const visitor = await open()
  await accountConsole.logIn(visitor.page)
  await visitor.arrive()
  await visitor.cancel()
  await visitor.page.getByRole('link', { name: 'Countersign' }).waitFor()
  assert.equal(new URL(visitor.page.url()).origin, own.keycloak.url)
  await visitor.close(accountConsole.expected)
  assert.equal((await users()).length, before)
})
