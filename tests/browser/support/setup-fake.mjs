// A phone registration under the tests' control, for pages with `<countersign-setup>`.

import { ElementPage } from './element.mjs'

/** The page of a user who sets a phone up. */
export class SetupPage extends ElementPage {
  constructor(window) {
    super('countersign-setup', ['opened', 'completed', 'failed', 'renew', 'error'], window)
  }

  async typeDigits(digits) {
    await this.page.getByRole('textbox').fill(digits)
    await this.page.getByRole('button', { name: 'Continue' }).click()
  }
}

/** Registrations as the service answers for them. They share one state. */
export class Registrations {
  state = 'created'
  /** The digits that were typed. */
  typed = []
  #count = 0

  /** What the page's server gets for a new one. */
  start() {
    this.#count += 1
    this.state = 'created'
    const registrationId = `phr_${String(this.#count).padStart(32, '0')}`
    return {
      registrationId,
      url: `https://link.shop.example/phone-setup#${registrationId}.${'A'.repeat(22)}`,
      pageToken: `token-${this.#count}`,
      expiresAt: new Date(Date.now() + 600_000).toISOString(),
      expiresIn: 600,
      serverTime: new Date().toISOString(),
    }
  }

  /** Answers a request, if it is about a registration. */
  answer({ method, path }, send, response) {
    if (!path.startsWith('/phone-registrations/')) return false
    response.setHeader('access-control-allow-headers', 'authorization, content-type')
    if (path.endsWith('/digits') && method === 'POST') {
      this.typed.push(path.split('/')[2])
      this.state = 'completed'
    }
    const device = this.state === 'created' ? {} : { device: { browser: 'Safari on iOS', location: 'Berlin, DE' } }
    if (method === 'GET') send(200, { state: this.state, expiresIn: 600, ...device, ...(this.state === 'failed' ? { failure: 'cancelled' } : {}) })
    else send(204, '')
    return true
  }
}
