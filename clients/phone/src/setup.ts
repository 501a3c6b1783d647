import { AuthenticatorError, type Passkey } from '../../authenticator/src/index.ts'
import { randomBytes } from '../../authenticator/src/digest.ts'
import { toBase64Url } from '../../authenticator/src/bytes.ts'
import {
  forgetProgress, keepProgress, readProgress, settle, signRegistration, type Progress, type SetupPorts,
} from './registration.ts'
import { isPassing, text, type Reply } from './service.ts'

/** What the page shows while it sets the phone up. */
export type SetupScene =
  | 'busy'
  /** Nothing has been opened yet. */
  | 'start'
  | 'account'
  | 'try'
  | 'digits'
  | 'done'
  | 'not_set_up'
  /** Another phone has opened the link. */
  | 'opened'
  | 'link_over'
  /** A passkey of the user exists already. */
  | 'exists'
  | 'in_browser'
  | 'no_storage'
  | 'passkey_needed'
  | 'failed'

/** Facts for the scenes. */
export interface SetupFacts {
  readonly account?: string
  readonly kind?: Passkey['kind']
  readonly digits?: string
  /** A sentence that says why the last tap had no effect, by its name. */
  readonly trouble?: 'message_user_authentication_required'
}

/** What the service says about a set-up. */
interface Opened {
  readonly appName: string
  readonly user: string
  readonly label?: string
  readonly userHandle: string
  readonly excludeCredentials: readonly string[]
  readonly passkeyOnly: boolean
  /** Whether the host is a name. IP addresses have no passkeys. */
  readonly hasDomain: boolean
}

export interface Ports extends SetupPorts {
  readonly appKey: string
  /** Whether the page is in the window of another app. */
  readonly inApp: boolean
  readonly show: (scene: SetupScene, facts: SetupFacts) => void
  /** Calls a function after some time, in ms. */
  readonly after: (delay: number, then: () => void) => void
}

/** Time between two questions whether the digits were typed, in ms. */
const PAUSE = 2_000

/** Sets this phone up: opens the link, makes the key, tries it, and shows the digits. */
export class Setup {
  readonly #id: string
  readonly #secret: string
  readonly #ports: Ports
  #scene: SetupScene = 'busy'
  #progress: Progress | null = null
  #opened: Opened | null = null
  #kind: Passkey['kind'] = 'passkey'
  #digits = ''
  /** The last step, to repeat it. */
  #step: () => Promise<void> = async () => {}
  #running = false
  #polling = false

  constructor({ id, secret }: { readonly id: string; readonly secret: string }, ports: Ports) {
    this.#id = id
    this.#secret = secret
    this.#ports = ports
  }

  get scene(): SetupScene {
    return this.#scene
  }

  /** Continues a set-up that this phone began before its page was loaded again. */
  async resume(): Promise<void> {
    try {
      this.#progress = await readProgress(this.#ports.storage, this.#id)
    } catch {
      return this.#show('no_storage')
    }
    if (this.#progress) await this.begin()
    else this.#show('start')
  }

  /** Opens the link: from now on, it belongs to this phone. */
  begin(): Promise<void> {
    return this.#take(async () => {
      const token = this.#progress?.token ?? toBase64Url(randomBytes(32))
      if (!this.#progress) await this.#keep({ token })
      const reply = await this.#send('POST', '/open', { secret: this.#secret })
      if (!reply) return
      const opened = this.#read(reply)
      if (!opened) return this.#show('failed')
      this.#opened = opened
      const { user, label } = opened
      await this.#keep({ ...this.#progress, token, user, ...(label === undefined ? {} : { label }) })
      await this.#forgetRevoked(opened)
      if (this.#progress?.signed) return this.#sendSigned()
      if (this.#progress?.key) {
        this.#kind = this.#progress.key.kind
        return this.#show('try')
      }
      const passkeys = opened.hasDomain && await this.#ports.keys.hasPasskeys()
      this.#kind = passkeys ? 'passkey' : 'browser'
      if (passkeys || !(this.#ports.inApp || opened.passkeyOnly)) return this.#show('account')
      return this.#show(this.#ports.inApp ? 'in_browser' : 'passkey_needed')
    })
  }

  /** Makes the key. A browser's dialogue needs the tap, so nothing else comes before it. */
  make(): Promise<void> {
    return this.#take(async () => {
      const { keys } = this.#ports
      const opened = this.#opened
      const progress = this.#progress
      if (!opened || !progress) return this.#show('start')
      const { appName, user, label, userHandle, excludeCredentials } = opened
      const key = this.#kind === 'passkey'
        ? await keys.makePasskey({ appName, userName: label ?? user, userHandle, excludeCredentials })
        : await keys.makeKey()
      await this.#keep({ ...progress, key })
      this.#show('try')
    }, 'account')
  }

  /** Signs with the key: without attestation, only this proves that the phone has it. */
  tryOnce(): Promise<void> {
    return this.#take(async () => {
      const { keys, appKey } = this.#ports
      const progress = this.#progress
      if (!progress?.key || progress.user === undefined) return this.#show('start')
      const signed = await signRegistration(keys, progress.key, appKey, this.#id, progress.user)
      await this.#keep({ ...progress, signed })
      await this.#sendSigned()
    }, 'try')
  }

  /** Ends the set-up, also at the service. */
  async cancel(): Promise<void> {
    this.#step = () => this.cancel()
    const token = this.#progress?.token
    const reply = token === undefined ? null : await this.#ports.ask({ method: 'DELETE', path: this.#path(), token })
    if (reply && isPassing(reply)) return this.#show('failed')
    await this.#end('not_set_up').catch(() => this.#show('no_storage'))
  }

  /** Repeats the last step. */
  async retry(): Promise<void> {
    if (this.#scene === 'failed') await this.#step()
  }

  /** Asks whether the digits were typed, because the page is visible again. */
  async look(): Promise<void> {
    if (this.#scene !== 'digits' || this.#polling || !this.#progress) return
    this.#polling = true
    const outcome = await settle(this.#ports, this.#id, this.#progress).catch(() => 'unknown' as const)
    this.#polling = false
    if (outcome === 'completed') this.#show('done')
    else if (outcome === 'over') this.#show('not_set_up')
  }

  /** Lets the browser forget the user's former passkey if the service refused it before, and does not list it now. */
  async #forgetRevoked({ user, excludeCredentials }: Opened): Promise<void> {
    const { keys } = this.#ports
    const former = await keys.key(user)
    if (former?.kind !== 'passkey' || !former.isRefused || excludeCredentials.includes(former.credentialId)) return
    await keys.forgetUnknown(former.credentialId)
  }

  async #sendSigned(): Promise<void> {
    const reply = await this.#send('POST', '/sign', this.#progress?.signed)
    if (!reply) return
    this.#digits = text(reply.body['digits'])
    this.#show('digits')
    this.#poll()
  }

  #poll(): void {
    this.#ports.after(PAUSE, () => {
      if (this.#scene !== 'digits') return
      void this.look().then(() => this.#poll())
    })
  }

  /** Runs a step. If the user did not go through with a dialogue, the page shows the former scene again. */
  async #take(step: () => Promise<void>, former?: SetupScene): Promise<void> {
    if (this.#running) return
    this.#running = true
    this.#step = () => this.#take(step, former)
    try {
      if (!former) this.#show('busy')
      await step()
    } catch (error) {
      this.#fail(error, former)
    } finally {
      this.#running = false
    }
  }

  #fail(error: unknown, former: SetupScene | undefined): void {
    const code = error instanceof AuthenticatorError ? error.code : ''
    if (former && (code === 'user_authentication_required' || code === 'cancelled')) {
      return this.#show(former, { trouble: 'message_user_authentication_required' })
    }
    if (code === 'passkey_exists') return this.#show('exists')
    if (code === 'passkey_unavailable') return this.#show('in_browser')
    if (code === 'key_store_failed' && this.#kind === 'browser') return this.#show('no_storage')
    // Other errors are those of the browser's storage.
    this.#show(code ? 'failed' : 'no_storage')
  }

  /** Sends a request of this set-up. Without an answer that continues it, shows why and returns `null`. */
  async #send(method: 'POST', route: string, body: object | undefined): Promise<Reply | null> {
    const token = this.#progress?.token ?? ''
    const reply = await this.#ports.ask({ method, path: this.#path() + route, token, ...(body ? { body } : {}) })
    if (reply.status === 200) return reply
    if (isPassing(reply)) this.#show('failed')
    else if (reply.code === 'registration_opened') await this.#end('opened')
    else await this.#end(route === '/open' ? 'link_over' : 'not_set_up')
    return null
  }

  /**
   * Shows why the link is of no more use to this phone, and forgets its key. The user may have typed the digits in the
   * meantime: then the key is the user's, and the phone is set up.
   */
  async #end(scene: SetupScene): Promise<void> {
    const progress = this.#progress
    const outcome = progress?.key ? await settle(this.#ports, this.#id, progress) : 'over'
    if (outcome === 'unknown') return this.#show('failed')
    if (outcome === 'completed') return this.#show('done')
    await forgetProgress(this.#ports, this.#id, progress?.key)
    this.#progress = null
    this.#show(scene)
  }

  /** Reads what the service says, which must be about the app and the host of this page. */
  #read({ body }: Reply): Opened | null {
    const app = Object(body['app']) as { name?: unknown; key?: unknown }
    const { rpId, origin } = this.#ports.keys.scope
    const [user, userHandle] = [text(body['publicUserId']), text(body['userHandle'])]
    const listed = body['excludeCredentials']
    const isOurs = app.key === this.#ports.appKey && (body['rpId'] ?? rpId) === rpId && body['origin'] === origin
    if (!isOurs || !user || !userHandle || !Array.isArray(listed)) return null
    const label = text(body['label'])
    return {
      appName: text(app.name),
      user,
      ...(label ? { label } : {}),
      userHandle,
      excludeCredentials: listed.map(text),
      passkeyOnly: body['key'] === 'passkey',
      hasDomain: body['rpId'] !== undefined,
    }
  }

  async #keep(progress: Progress): Promise<void> {
    await keepProgress(this.#ports.storage, this.#id, progress)
    this.#progress = progress
  }

  #path(): string {
    return `/phone-registrations/${this.#id}`
  }

  #show(scene: SetupScene, facts: SetupFacts = {}): void {
    this.#scene = scene
    const account = this.#progress?.label ?? this.#progress?.user
    this.#ports.show(scene, {
      kind: this.#kind,
      digits: this.#digits,
      ...(account === undefined ? {} : { account }),
      ...facts,
    })
  }
}
