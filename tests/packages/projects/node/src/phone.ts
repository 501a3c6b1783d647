// An app's phone with its own stores.

import {
  Authenticator, AuthenticatorError, inOneProcess, type AuthenticatorErrorCode, type KeyStore, type Session, type SimpleStorage,
} from '@countersign/authenticator'

const texts = new Map<string, string>()
const storage: SimpleStorage = {
  get: (name) => texts.get(name),
  set: (name, text) => { texts.set(name, text) },
  remove: async (name) => { texts.delete(name) },
  names: () => [...texts.keys()],
}

const locked = () => { throw new AuthenticatorError('user_authentication_required', 'the key is locked') }
const keys: KeyStore = { generate: locked, publicKey: () => undefined, list: async () => [], sign: locked }

const phone = new Authenticator({
  service: 'https://countersign.example', appKey: 'cs_app_0123456789abcdefABCDEF', linkHosts: ['login.shop.example'],
  storage: inOneProcess(storage), keys, showsContexts: true, languages: ['de-AT'], retries: { delays: [250], timeout: 5000 },
  http: async ({ url, headers, body }) => ({ status: url.length + body.length + Object.keys(headers).length, retryAfter: undefined, body }),
})

export async function open(link: string, ask: (session: Session) => Promise<boolean>): Promise<AuthenticatorErrorCode | boolean> {
  try {
    const session = await phone.open(phone.sessionId(link), { user: 'zoe@example.com' })
    const context: string | undefined = session.context
    if (!await ask(session) || context === '') return session.deny().then(() => false)
    const { proven } = await session.confirm('a token', { signal: new AbortController().signal })
    return proven
  } catch (error) {
    if (error instanceof AuthenticatorError) return error.code
    throw error
  }
}
