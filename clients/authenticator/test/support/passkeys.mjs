// A browser's passkeys, as `navigator.credentials`, with faults.

import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const bufferOf = (bytes) => new Uint8Array(bytes).buffer
const sha256 = (data) => createHash('sha256').update(data).digest()

/** An error as browsers throw it. */
export const domError = (name) => Object.assign(new Error(name), { name })

/** The passkeys of one page. Times pass only by `thinks`, the time that the user needs. */
export class Passkeys {
  time = 0
  thinks = 2_000
  /** The name of the error that the next dialogue ends with. */
  error = undefined
  flags = 0x1d
  clientData = {}
  asked = []
  all = []
  /** The ids that the page reported as unknown. */
  unknown = []

  constructor(origin) {
    this.origin = origin
  }

  /** Options of a store. */
  get options() {
    return { credentials: this, signalUnknown: async (options) => { this.unknown.push(options) }, sinceBoot: () => this.time }
  }

  #decide() {
    this.time += this.thinks
    const { error } = this
    this.error = undefined
    if (error) throw domError(error)
  }

  async create({ publicKey: options }) {
    this.asked.push(options)
    this.#decide()
    const known = (id) => options.excludeCredentials.some((one) => Buffer.from(one.id).equals(id))
    if (this.all.some(({ id }) => known(id))) throw domError('InvalidStateError')
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const made = { id: randomBytes(20), privateKey, userHandle: Buffer.from(options.user.id) }
    this.all.push(made)
    const der = publicKey.export({ format: 'der', type: 'spki' })
    return { rawId: bufferOf(made.id), response: { getPublicKey: () => bufferOf(der) } }
  }

  async get({ publicKey: options }) {
    this.asked.push(options)
    this.#decide()
    const { allowCredentials: allowed } = options
    const key = this.all.findLast(({ id }) => allowed.length === 0 || allowed.some((one) => Buffer.from(one.id).equals(id)))
    if (!key) throw domError('NotAllowedError')
    const challenge = Buffer.from(options.challenge).toString('base64url')
    const client = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin: this.origin, crossOrigin: false, ...this.clientData }))
    const data = Buffer.concat([sha256(options.rpId), Buffer.from([this.flags, 0, 0, 0, 0])])
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), key.privateKey)
    return {
      rawId: bufferOf(key.id),
      response: {
        authenticatorData: bufferOf(data), clientDataJSON: bufferOf(client), signature: bufferOf(signature), userHandle: bufferOf(key.userHandle),
      },
    }
  }
}
