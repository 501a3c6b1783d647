// A phone's page with storage, passkeys and a service under the test's control.

import { MemoryKeyStore, MemoryStorage, PasskeyStore } from '../../../authenticator/src/index.ts'
// @ts-expect-error The browser's passkeys are in JavaScript.
import { Passkeys } from '../../../authenticator/test/support/passkeys.mjs'
import type { Call, Reply } from '../../src/service.ts'

export const APP_KEY = 'cs_app_0123456789abcdefABCDEF'
export const SCOPE = { rpId: 'login.shop.example', origin: 'https://login.shop.example' }

class Software extends MemoryKeyStore {
  readonly removed: string[] = []
  broken = false

  override async generate(name: string): Promise<Uint8Array> {
    if (!this.broken) return super.generate(name)
    throw Object.assign(new Error('no key'), { name: 'DataCloneError' })
  }

  remove(name: string): void {
    this.removed.push(name)
  }
}

export interface FakePasskeys {
  time: number
  thinks: number
  error: string | undefined
  readonly all: { readonly id: Uint8Array }[]
  readonly asked: unknown[]
  readonly unknown: { readonly credentialId: string }[]
  readonly options: object
}

/** What survives a page, and what answers it. */
export class World {
  readonly storage = new MemoryStorage()
  readonly software = new Software()
  readonly passkeys = new Passkeys(SCOPE.origin) as FakePasskeys
  hasPasskeys = true
  readonly calls: Call[] = []
  /** Answers calls, by method and the end of their path. */
  readonly answers: Record<string, (call: Call) => Reply> = {}
  readonly timers: { readonly delay: number; readonly then: () => void; stopped: boolean }[] = []

  get keys(): PasskeyStore {
    const { passkeys, software, storage } = this
    const store = new PasskeyStore({
      scope: SCOPE, storage, software, ...passkeys.options,
    })
    store.hasPasskeys = async () => this.hasPasskeys
    return store
  }

  readonly ask = async (call: Call): Promise<Reply> => {
    this.calls.push(call)
    const name = `${call.method} ${call.path.split('/')[3] ?? call.path.split('/')[1]}`
    return this.answers[name]?.(call) ?? reply(0)
  }

  readonly after = (delay: number, then: () => void) => {
    const timer = { delay, then, stopped: false }
    this.timers.push(timer)
    return () => { timer.stopped = true }
  }

  /** Lets the timers of now run out, and waits for what they start. */
  async pass(): Promise<void> {
    for (const { then, stopped } of this.timers.splice(0)) if (!stopped) then()
    await settled()
  }
}

export const reply = (status: number, body: Record<string, unknown> = {}): Reply => (
  { status, code: typeof body['code'] === 'string' ? body['code'] : '', body }
)

export async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
