// A phone that sends the requests that a test determines, where the command would refuse to.

import { randomBytes } from 'node:crypto'

import { ask } from './server.mjs'

/** Opens the login of a link with a new token. */
export class SimplePhone {
  #path
  #headers

  constructor(server, link) {
    this.#path = `${server.url}/qr-sessions/${new URL(link).searchParams.get('sessionId')}`
    this.#headers = {
      'authorization': `Bearer ${randomBytes(32).toString('base64url')}`,
      'content-type': 'application/json',
      'x-app-key': server.demo.appKey,
    }
  }

  initiate() {
    return this.#post('initiate', {})
  }

  confirm(answer) {
    return this.#post('confirm', answer)
  }

  #post(action, body) {
    const request = { method: 'POST', headers: this.#headers, body: JSON.stringify(body) }
    return ask(`${this.#path}/${action}`, request)
  }
}
