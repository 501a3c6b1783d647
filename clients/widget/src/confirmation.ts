/** A confirmation as the service's API returns it, checked. */
export interface Confirmation {
  readonly id: string
  /** The text to send, which is secret. */
  readonly message: string
  readonly sendTo: string
  /** The country of `sendTo` (ISO 3166, two letters), if it is known. */
  readonly country: string | null
  /** The number to confirm; empty if any number may send the text. */
  readonly number: string
  /** The links that open the messages app with the text. */
  readonly links: Readonly<Record<'qr' | 'ios' | 'sms', string>> & { readonly whatsapp: string | null }
  /** Time left when the service answered, in ms. */
  readonly lifetime: number
  /** True if no text from a phone can complete it. */
  readonly test: boolean
  /** How to watch it, if the page's server asked for that. */
  readonly client: Client | null
}

/** The token and URLs to watch one confirmation. */
export interface Client {
  readonly token: string
  readonly statusUrl: string
  readonly socketUrl: string
}

/**
 * Checks the answer of `POST /acquire-phone-number` or `/make-confirmation`. Throws an error with the name of a
 * wrong member, never with its value.
 */
export function readConfirmation(value: unknown): Confirmation {
  const session = members(value)
  const uri = members(session['confirmationUri'])
  const client = members(session['client'])
  const { expiresIn, phoneNumber, sendToCountry } = session
  if (typeof expiresIn !== 'number') throw new Error('expiresIn')
  return {
    id: text(session, 'confirmationId'),
    message: text(session, 'confirmationMessage'),
    sendTo: text(session, 'sendTo', /^\+?\d+$/),
    country: typeof sendToCountry === 'string' ? sendToCountry : null,
    number: typeof phoneNumber === 'string' ? phoneNumber : '',
    // A link may only open a text, wherever the page got it.
    links: {
      qr: text(uri, 'qr', /^smsto:/),
      ios: text(uri, 'ios', /^sms:/),
      sms: text(uri, 'sms', /^sms:/),
      whatsapp: uri['whatsapp'] === undefined ? null : text(uri, 'whatsapp', /^https:\/\/wa\.me\//),
    },
    lifetime: expiresIn * 1_000,
    test: session['test'] === true,
    client: session['client'] === undefined ? null : {
      token: text(client, 'token'),
      statusUrl: text(client, 'statusUrl', /^https?:/),
      socketUrl: text(client, 'socketUrl', /^wss?:/),
    },
  }
}

type Members = Readonly<Record<string, unknown>>

function members(value: unknown): Members {
  return Object(value) as Members
}

function text(of: Members, name: string, shape = /./): string {
  const value = of[name]
  if (typeof value === 'string' && shape.test(value)) return value
  throw new Error(name)
}
