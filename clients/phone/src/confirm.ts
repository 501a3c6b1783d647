import { fromBase64Url, toBase64Url } from '../../authenticator/src/bytes.ts'
import { AuthenticatorError, type Authenticator, type Session } from '../../authenticator/src/index.ts'
import { readPublicKey } from '../../authenticator/src/signature.ts'
import { identifyChallenge, isAbout, isAssertion } from '../../authenticator/src/webauthn.ts'
import { isPending, settleAll, type SetupPorts } from './registration.ts'
import { isPassing, text } from './service.ts'

/** What the page shows while it asks for a confirmation. */
export type ConfirmScene =
  | 'busy'
  /** The page was opened without a link. */
  | 'scan'
  /** Several users have keys on this phone. */
  | 'choose'
  | 'no_key'
  /** The login is for a user other than the one who opened it. */
  | 'other_account'
  | 'ask'
  | 'sending'
  /** The user types two digits in the browser. */
  | 'code'
  | 'confirmed'
  | 'returning'
  | 'denied'
  | 'cancelled'
  /** The login cannot be confirmed. */
  | 'ended'
  | 'failed'
  | 'in_browser'
  | 'no_storage'

/** Facts for the scenes. */
export interface ConfirmFacts {
  readonly session?: Session
  /** The name of the account. */
  readonly account?: string
  readonly accounts?: readonly { readonly user: string; readonly name: string }[]
  /** A sentence of the page, by its name: why a login ended, or why the last tap had no effect. */
  readonly message?: string
  /** Whether this browser may have a passkey that it forgot the user of. */
  readonly canIdentify?: boolean
}

export interface Ports extends SetupPorts {
  readonly appKey: string
  readonly phone: Authenticator
  readonly inApp: boolean
  /** The service's time, in ms since 1970. */
  readonly serverTime: () => number
  readonly show: (scene: ConfirmScene, facts: ConfirmFacts) => void
  /** Calls a function after some time, in ms. Returns a function that prevents it. */
  readonly after: (delay: number, then: () => void) => () => void
  /** Goes to a page of the site. */
  readonly leave: (url: string) => void
}

/** The account that the user chose for the last login, for the same login after a reload. */
const CHOICE = 'countersign.choice'

/** Longest wait of a timer, in ms: timers stop while the phone sleeps. */
const STEP = 5_000

/** Errors whose sentence the page has. */
const MESSAGES = [
  'network', 'problem', 'malformed_answer', 'expired', 'blocked', 'ended', 'not_found', 'risk_denied', 'key_mismatch', 'already_answered',
  'plain_refused', 'user_authentication_required', 'key_store_failed', 'storage_failed', 'internal',
]

/** Refusals of the phone's key: it was revoked, or belongs to nobody. */
const KEY_PROBLEMS = ['proof_required', 'proof_invalid', 'proof_mismatch']

/** Opens the login of a link, asks the user, and sends the answer. */
export class Confirm {
  readonly #id: string | null
  readonly #ports: Ports
  #scene: ConfirmScene = 'busy'
  #session: Session | null = null
  #user = ''
  #account = ''
  /** The users of this phone whom the login is not for. */
  readonly #others = new Set<string>()
  #step: () => Promise<void> = async () => {}
  #running = false
  #stopWaiting = () => {}
  #calls = new AbortController()

  constructor(id: string | null, ports: Ports) {
    this.#id = id
    this.#ports = ports
  }

  get scene(): ConfirmScene {
    return this.#scene
  }

  /** Opens the login for the only user of this phone, or asks which. */
  start(): Promise<void> {
    return this.#take(async () => {
      const { keys, storage } = this.#ports
      if (!this.#id) return this.#show('scan')
      await settleAll(this.#ports)
      const users = await keys.list()
      const chosen = JSON.parse(await storage.get(CHOICE) ?? '{}') as { id?: unknown; user?: unknown }
      const [only] = users.length === 1 ? users : users.filter((user) => chosen.id === this.#id && chosen.user === user)
      if (only !== undefined) return this.#open(only)
      if (users.length === 0) return this.#showNoKey()
      this.#show('choose', { accounts: await this.#accounts() })
    })
  }

  /** Opens the login for one of several users. */
  choose(user: string): Promise<void> {
    return this.#take(async () => {
      await this.#ports.storage.set(CHOICE, JSON.stringify({ id: this.#id, user }))
      await this.#open(user)
    })
  }

  /** Asks the service whose passkey this phone has, after the browser has forgotten it. */
  identify(): Promise<void> {
    const former = this.#scene
    return this.#take(async () => {
      const { ask, appKey, keys } = this.#ports
      const at = Math.round(this.#ports.serverTime())
      const challenge = await identifyChallenge(appKey, at)
      const assertion = await keys.assertWith(undefined, challenge)
      const { authenticatorData, clientDataJSON, signature, credentialId } = assertion
      this.#show('busy')
      const body = {
        authenticatorData: toBase64Url(authenticatorData), clientDataJSON: toBase64Url(clientDataJSON), signature: toBase64Url(signature), at,
      }
      const reply = await ask({ method: 'POST', path: '/passkeys/identify', appKey, body })
      if (isPassing(reply)) return this.#show('failed', { message: 'message_network' })
      // The dialogue was open for too long.
      if (reply.code === 'passkey_false') return this.#showNoKey('message_internal')
      const der = fromStandard(text(reply.body['publicKey']))
      const key = der ? await readPublicKey(der) : undefined
      const user = text(reply.body['publicUserId'])
      const expected = { challenge, scope: keys.scope }
      const isKnown = reply.status === 200 && user && key && await isAssertion(assertion, { ...expected, key })
      // The service gives the same answer for an assertion about something else.
      const isUnknown = reply.code === 'passkey_unknown' && await isAbout(assertion, expected)
      if (isUnknown && !await isPending(this.#ports.storage, credentialId)) await keys.forgetUnknown(credentialId)
      if (!isKnown) return this.#showNoKey('unknown_passkey')
      await keys.keep(user, { kind: 'passkey', publicKey: toBase64Url(key.der), credentialId })
      await this.#open(user)
    }, former)
  }

  /** Confirms. A passkey's dialogue opens before anything is sent. */
  confirm(): Promise<void> {
    return this.#take(async () => {
      const session = this.#session
      if (!session) return
      this.#show('sending', { session })
      await session.confirm('', { signal: this.#calls.signal })
      this.#answered(session.returnUrl, session.checkCode)
    }, 'ask')
  }

  deny(): Promise<void> {
    return this.#take(async () => {
      const session = this.#session
      if (!session) return
      this.#show('sending', { session })
      await session.deny('', { signal: this.#calls.signal })
      this.#show('denied')
    }, 'ask')
  }

  /** Leaves without a decision. Nothing is sent, apart from an answer that is on its way. */
  cancel(): void {
    this.#calls.abort()
    this.#calls = new AbortController()
    this.#show('cancelled')
  }

  /** Repeats what failed, or shows the question again. */
  async retry(): Promise<void> {
    if (this.#scene === 'failed') await this.#step()
    else if (this.#scene === 'cancelled') await this.start()
  }

  /** Ends a question whose time is up. */
  look(): void {
    if (this.#scene !== 'ask' || !this.#session) return
    if (this.#session.timeLeft === 0) this.#show('ended', { message: 'message_expired' })
    else this.#wait(this.#session)
  }

  async #open(user: string): Promise<void> {
    this.#show('busy')
    this.#user = user
    this.#account = await this.#nameOf(user)
    const session = await this.#ports.phone.open(this.#id ?? '', { user, signal: this.#calls.signal })
    this.#session = session
    this.#show('ask', { session })
    this.#wait(session)
  }

  #answered(returnUrl: string | undefined, checkCode: string | undefined): void {
    const facts = this.#session ? { session: this.#session } : {}
    if (returnUrl !== undefined) {
      this.#show('returning', facts)
      this.#ports.leave(returnUrl)
    } else {
      this.#show(checkCode === undefined ? 'confirmed' : 'code', facts)
    }
  }

  /** Runs a step. If it failed for a reason that the user can remove, the page shows the former scene again. */
  async #take(step: () => Promise<void>, former?: ConfirmScene): Promise<void> {
    if (this.#running) return
    this.#running = true
    this.#step = () => this.#take(step, former)
    try {
      await step()
    } catch (error) {
      await this.#fail(error, former)
    } finally {
      this.#running = false
    }
  }

  async #fail(error: unknown, former: ConfirmScene | undefined): Promise<void> {
    // Other errors are those of the browser's storage.
    if (!(error instanceof AuthenticatorError)) return this.#show('no_storage')
    const { code, decision, endsLogin, problem, returnUrl } = error
    if (code === 'already_answered') {
      return decision === 'confirm' ? this.#answered(returnUrl, this.#session?.checkCode) : this.#show('denied')
    }
    if (code === 'passkey_unavailable') return this.#show('in_browser')
    if (code === 'storage_failed') return this.#show('no_storage')
    if (this.#scene === 'cancelled') return
    if (problem?.code === 'user_mismatch') {
      this.#others.add(this.#user)
      return this.#showOtherAccount()
    }
    if (problem?.code === 'proof_invalid') await this.#markRefused()
    if (code === 'unknown_key' || KEY_PROBLEMS.includes(problem?.code ?? '')) return this.#showNoKey()
    const message = `message_${MESSAGES.includes(code) ? code : 'internal'}`
    if (endsLogin || code === 'plain_refused') return this.#show('ended', { message })
    if (former === 'ask' && this.#session) {
      this.#show('ask', { session: this.#session, message })
      return this.#wait(this.#session)
    }
    if (former === 'no_key') return this.#showNoKey(message)
    if (former === 'other_account') return this.#showOtherAccount(message)
    this.#show('failed', { message })
  }

  async #showNoKey(message?: string): Promise<void> {
    const hasPasskeys = await this.#ports.keys.hasPasskeys()
    // The key is probably in the phone's browser.
    if (this.#ports.inApp && !hasPasskeys) return this.#show('in_browser')
    this.#show('no_key', { canIdentify: hasPasskeys, ...(message === undefined ? {} : { message }) })
  }

  async #showOtherAccount(message?: string): Promise<void> {
    const accounts = (await this.#accounts()).filter(({ user }) => !this.#others.has(user))
    const canIdentify = await this.#ports.keys.hasPasskeys()
    this.#show('other_account', { accounts, canIdentify, ...(message === undefined ? {} : { message }) })
  }

  /** Remembers that the service refused a passkey, for the next set-up. */
  async #markRefused(): Promise<void> {
    const { keys } = this.#ports
    const key = await keys.key(this.#user)
    if (key?.kind === 'passkey') await keys.keep(this.#user, { ...key, isRefused: true })
  }

  #wait(session: Session): void {
    this.#stopWaiting()
    this.#stopWaiting = this.#ports.after(Math.min(session.timeLeft, STEP), () => this.look())
  }

  async #accounts(): Promise<{ user: string; name: string }[]> {
    const users = await this.#ports.keys.list()
    return Promise.all(users.map(async (user) => ({ user, name: await this.#nameOf(user) })))
  }

  async #nameOf(user: string): Promise<string> {
    return (await this.#ports.keys.key(user))?.label ?? user
  }

  #show(scene: ConfirmScene, facts: ConfirmFacts = {}): void {
    this.#scene = scene
    this.#ports.show(scene, { account: this.#account, ...facts })
  }
}

/** Decodes standard Base64. */
function fromStandard(base64: string): Uint8Array | undefined {
  return fromBase64Url(base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))
}
