// What tests of the web authenticator do as the app's server, and at the desktop.

import assert from 'node:assert/strict'

import { Countersign } from '../../../clients/node/src/index.js'
import { openWindow } from './page.mjs'
import { ask } from './server.mjs'
import { SetupPage } from './setup-fake.mjs'
import { pageWith } from './site.mjs'

/** The app whose users have phones without an app, over a server, a browser for the desktop and a site. */
export class App {
  constructor({ browser, server, site }) {
    this.browser = browser
    this.server = server
    this.site = site
    const { apiKey, appKey } = server.demo
    /** The app's server, with the Node library. */
    this.countersign = new Countersign({ url: server.url, apiKey, appKey })
  }

  /** The address of the link host. */
  get linkHost() {
    return `http://localhost:${new URL(this.server.url).port}`
  }

  async settings(...words) {
    const { code, err } = await this.server.run('app', 'update', 'demo', ...words)
    assert.equal(code, 0, err)
  }

  /** Calls the API as the app's server. */
  async api(method, path, body) {
    const headers = { 'x-api-key': this.server.demo.apiKey, ...(body ? { 'content-type': 'application/json' } : {}) }
    const answer = await ask(this.server.url + path, { method, headers, body: body && JSON.stringify(body) })
    return answer.text ? answer.json() : answer.status
  }

  register(user, label) {
    return this.api('POST', '/phone-registrations', { publicUserId: user, ...(label ? { label } : {}) })
  }

  /** The keys of a user. */
  async keysOf(user) {
    return (await this.api('GET', `/association-keys?publicUserId=${user}`)).keys
  }

  /** Adds the shop's page with `<countersign-setup>`, and returns its URL. */
  putSetup() {
    const page = { script: 'widget/setup.js', body: () => '<countersign-setup></countersign-setup>' }
    return this.site.put(pageWith(this.server, page))
  }

  /** Opens the shop's page with `<countersign-setup>` for a user. */
  async openSetup(registration) {
    const window = await openWindow(this.browser, [this.server.url, this.site.url])
    const page = new SetupPage(window)
    await page.listen()
    await window.page.goto(this.putSetup())
    await page.element.evaluate((element, value) => { element.registration = value }, registration)
    return page
  }

  /** Types the digits, as the page of the app would send them. */
  async sendDigits({ registrationId, pageToken }, digits) {
    const headers = { authorization: `Bearer ${pageToken}`, 'content-type': 'application/json', origin: this.site.url }
    const { status } = await ask(`${this.server.url}/phone-registrations/${registrationId}/digits`, {
      method: 'POST', headers, body: JSON.stringify({ digits }),
    })
    assert.equal(status, 204)
  }
}
