// A visitor of a site, with a browser and a phone.

import assert from 'node:assert/strict'

import { openWindow } from '../../browser/support/page.mjs'
import { CLIENTS } from './clients.mjs'

export class Visitor {
  static async open(browser, provider, site, name) {
    const { page, close } = await openWindow(browser, [site.url, provider.url])
    return Object.assign(new Visitor(), { page, close, provider, site, client: CLIENTS[name] })
  }

  /** Goes from the site to the provider's page. */
  async leave(path = '/') {
    await this.page.goto(this.site.url + path)
    if (path === '/') await this.client.logIn(this.page)
    await this.arrive()
  }

  /** Waits for the provider's page. */
  async arrive() {
    await this.page.waitForURL((url) => url.origin === this.provider.url)
  }

  /** Sends the text that the provider's page shows. */
  async text(from) {
    const shown = await this.page.getByText(/CS-\w{6,}/).first().innerText()
    await this.provider.text(shown.match(/CS-\w+/)[0], from)
  }

  async cancel() {
    await this.page.getByRole('button', { name: 'Cancel' }).click()
  }

  /** Logs in with a text from this number, and returns the user as the site knows them. */
  async logIn(number) {
    await this.leave()
    await this.text(number)
    await this.client.loggedIn(this.page)
    assert.equal(new URL(this.page.url()).origin, this.site.url)
    return this.user()
  }

  /** Returns the user who is logged in, or null. */
  async user() {
    const response = await this.page.request.get(this.site.url + this.client.me, { maxRedirects: 0 })
    if (!response.ok()) return null
    const user = await response.json()
    return user && this.client.user ? this.client.user(user) : user
  }

  sees(text) {
    return this.page.getByText(text).first().waitFor()
  }
}
