// Logins without encryption, on pages to which the browser provides no cryptography.

import assert from 'node:assert/strict'

import { openLogin } from './support/login.mjs'
import { SimplePhone } from './support/simple-phone.mjs'
import { pageWith } from './support/site.mjs'
import { overTheServer } from './support/suite.mjs'

const loginTest = overTheServer()

const SALT = 'AAECAwQFBgcICQoLDA0ODw'

/** Removes WebCrypto, as browsers do for pages that are not loaded over https. */
const withoutCryptography = (page) => page.addInitScript(() => {
  Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })
})

const open = ({ browser, server, site }, attributes, prepare = withoutCryptography) => (
  openLogin(browser, server, site.put(pageWith(server, { attributes })), { prepare })
)

/** Sets whether the demo app requires encryption. */
async function encryption({ server }, setting) {
  const { code, err } = await server.run('app', 'update', 'demo', '--payload-encryption', setting)
  assert.equal(code, 0, err)
}

loginTest('page without cryptography gets an error, and sends no request', async (own) => {
  const asked = []
  const login = await open(own, '', async (page) => {
    await withoutCryptography(page)
    page.on('request', (request) => {
      if (request.url().includes('/qr-sessions')) asked.push(request.url())
    })
  })
  const { code } = await login.gets('error')
  assert.equal(code, 'insecure_context')
  await login.getsNothing()
  assert.deepEqual(asked, [])
  await login.close()
})

loginTest('login without a key is refused if the app requires encryption', async (own) => {
  const login = await open(own, 'allow-unencrypted')
  const { code } = await login.gets('error')
  assert.equal(code, 'field_missing')
  assert.equal(await login.link(), null)
  await login.getsNothing()
  await login.close(/status of 422/)
})

loginTest('page that allows it gets a readable payload with its salt', async (own) => {
  await encryption(own, 'optional')
  try {
    const login = await open(own, 'allow-unencrypted')
    const link = await login.scan('a code of a login without a key')
    const phone = new SimplePhone(own.server, link)
    const initiated = await phone.initiate()
    assert.equal(initiated.status, 200, initiated.text)
    assert.equal(initiated.json().browserPublicKey, undefined)
    const { text } = await phone.confirm({ payload: 'in the clear', salt: SALT })
    assert.equal(text, 'true')
    const { sessionId } = await login.gets('scanned')
    assert.match(sessionId, /^qrp_[0-9a-f]{32}$/)
    assert.deepEqual(await login.getsConfirmed(), { sessionId, payload: 'in the clear', salt: SALT, proof: null })
    await login.close()
  } finally {
    await encryption(own, 'required')
  }
})

loginTest('page with cryptography encrypts even if the app does not require it', async (own) => {
  await encryption(own, 'optional')
  try {
    const login = await open(own, 'allow-unencrypted', () => {})
    const link = await login.shownLink()
    assert.match(link, /\?sessionId=qrs_[0-9a-f]{32}$/)
    const { code, err } = await login.phone(link, '--confirm', '--payload', 'x')
    assert.equal(code, 0, err)
    await login.gets('scanned')
    assert.equal((await login.getsConfirmed()).payload, 'x')
    await login.close()
  } finally {
    await encryption(own, 'required')
  }
})
