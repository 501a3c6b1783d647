import { fromBase64Url, toBase64, toBase64Url, utf8 } from '../../authenticator/src/bytes.ts'
import { AuthenticatorError, type Passkey, type PasskeyStore, type Storage } from '../../authenticator/src/index.ts'
import { readPublicKey, registrationText } from '../../authenticator/src/signature.ts'
import { isAssertion, registrationChallenge } from '../../authenticator/src/webauthn.ts'
import { isPassing, text, type Ask } from './service.ts'

const NAME = 'countersign.setup.'

/** A set-up that this phone has begun, as it outlives the tab. */
export interface Progress {
  /** The phone's token. */
  readonly token: string
  readonly user?: string
  readonly label?: string
  readonly key?: Passkey
  /** What the phone signed, which it sends again byte for byte. */
  readonly signed?: object
}

/** What the set-up and the next confirmation share. */
export interface SetupPorts {
  readonly ask: Ask
  readonly keys: PasskeyStore
  readonly storage: Storage
}

/** Reads the link's part after `#`; `null` if it is malformed. */
export function readFragment(hash: string): { id: string; secret: string } | null {
  const [, id, secret] = /^#(phr_[0-9a-f]{32})\.([A-Za-z0-9_-]{22})$/.exec(hash) ?? []
  return id && secret ? { id, secret } : null
}

export async function readProgress(storage: Storage, id: string): Promise<Progress | null> {
  const kept = await storage.get(NAME + id)
  return kept === undefined ? null : JSON.parse(kept) as Progress
}

export async function keepProgress(storage: Storage, id: string, progress: Progress): Promise<void> {
  await storage.set(NAME + id, JSON.stringify(progress))
}

/** Forgets a set-up, with its key unless it is a user's key now. */
export async function forgetProgress({ keys, storage }: SetupPorts, id: string, key?: Passkey): Promise<void> {
  await storage.remove(NAME + id)
  if (key) await keys.discard(key)
}

/** Signs a registration with a new key, and returns the request's body. */
export async function signRegistration(keys: PasskeyStore, key: Passkey, app: string, id: string, user: string): Promise<object> {
  const der = fromBase64Url(key.publicKey)
  const known = der && await readPublicKey(der)
  if (!known) throw new AuthenticatorError('key_store_failed', 'the new key is damaged')
  const publicKey = toBase64(known.der)
  if (key.kind === 'browser') {
    return { publicKey, signature: toBase64(await keys.signWith(key.name, utf8(registrationText(app, user)))) }
  }
  const challenge = await registrationChallenge(id, app, user)
  const assertion = await keys.assertWith(key.credentialId, challenge)
  if (!await isAssertion(assertion, { challenge, scope: keys.scope, key: known })) {
    throw new AuthenticatorError('key_store_failed', 'the passkey signed something else')
  }
  const { authenticatorData, clientDataJSON, signature } = assertion
  return {
    publicKey,
    credentialId: key.credentialId,
    authenticatorData: toBase64Url(authenticatorData),
    clientDataJSON: toBase64Url(clientDataJSON),
    signature: toBase64Url(signature),
  }
}

/** The end of a set-up; `open` while the digits have not been typed yet. */
export type Outcome = 'open' | 'completed' | 'over' | 'unknown'

/** Asks the service how a set-up ended, and keeps the key of a completed one. */
export async function settle(ports: SetupPorts, id: string, { token, user, label, key }: Progress): Promise<Outcome> {
  const reply = await ports.ask({ method: 'GET', path: `/phone-registrations/${id}`, token })
  if (isPassing(reply)) return 'unknown'
  const state = text(reply.body['state'])
  if (state === 'completed' && user !== undefined && key) {
    await ports.keys.keep(user, { ...key, ...(label === undefined ? {} : { label }) })
    await forgetProgress(ports, id)
    return 'completed'
  }
  // A registration that the service has deleted may have been completed before, so its passkey may be a user's.
  const hasFailed = state === 'failed' || state === 'expired'
  if (hasFailed && key?.kind === 'passkey') await ports.keys.forgetUnknown(key.credentialId)
  if (hasFailed || state === 'completed' || reply.status === 404) {
    await forgetProgress(ports, id, key)
    return 'over'
  }
  return reply.status === 200 ? 'open' : 'unknown'
}

/** Returns whether a passkey is that of a set-up that this phone has begun, so that the service may get to know it. */
export async function isPending(storage: Storage, credentialId: string): Promise<boolean> {
  for (const name of await storage.names()) {
    const progress = name.startsWith(NAME) ? await readProgress(storage, name.slice(NAME.length)) : null
    if (progress?.key?.kind === 'passkey' && progress.key.credentialId === credentialId) return true
  }
  return false
}

/** Settles the set-ups whose page was closed before their end. */
export async function settleAll(ports: SetupPorts): Promise<void> {
  for (const name of await ports.storage.names()) {
    const id = name.startsWith(NAME) ? name.slice(NAME.length) : ''
    const progress = id ? await readProgress(ports.storage, id) : null
    if (progress) await settle(ports, id, progress)
  }
}
