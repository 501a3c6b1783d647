// A client of the conformance suite's HTTP interface.

import assert from 'node:assert/strict'

export class Suite {
  constructor(url) {
    // Its certificate is its own.
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    this.url = url
  }

  /** Returns a client, once the suite has started. */
  static async ready(url) {
    const suite = new Suite(url)
    const until = Date.now() + 300_000
    while (!await fetch(`${url}/api/runner/available`).then(({ ok }) => ok, () => false)) {
      assert.ok(Date.now() < until, 'the suite has not started')
      // sleep: the pace of the requests. The suite does not say when it is ready.
      await new Promise((resolve) => setTimeout(resolve, 2_000))
    }
    return suite
  }

  async ask(path, { query = {}, ...options } = {}) {
    const answer = await fetch(`${this.url}/api/${path}?${new URLSearchParams(query)}`, options)
    assert.ok(answer.ok, `${path}: ${answer.status} ${answer.ok ? '' : await answer.text()}`)
    return answer
  }

  async read(path) {
    return (await this.ask(path)).json()
  }

  async create(path, query, body) {
    const headers = { 'content-type': 'application/json' }
    return (await this.ask(path, { method: 'POST', query, headers, body: body && JSON.stringify(body) })).json()
  }

  createPlan(planName, variant, configuration) {
    return this.create('plan', { planName, variant: JSON.stringify(variant) }, configuration)
  }

  /** Starts a module of a plan, and returns its id. */
  async createTest(plan, { testModule: test, variant }) {
    const { id } = await this.create('runner', { test, plan, ...(variant ? { variant: JSON.stringify(variant) } : {}) })
    return id
  }

  info(id) {
    return this.read(`info/${id}`)
  }

  /** Returns the addresses that a person should visit. A module that has ended has none. */
  async visits(id) {
    const answer = await fetch(`${this.url}/api/runner/browser/${id}`)
    if (!answer.ok) return []
    const { urls = [], urlsWithMethod = [] } = await answer.json()
    return urlsWithMethod.length ? urlsWithMethod : urls.map((url) => ({ url, method: 'GET' }))
  }

  visited(id, url) {
    return this.ask(`runner/browser/${id}/visit`, { method: 'POST', query: { url } })
  }

  /** Returns the names of pictures that a module waits for. */
  async picturesWanted(id) {
    const log = await this.read(`log/${id}`)
    return log.map(({ upload }) => upload).filter(Boolean)
  }

  /** Gives a module a picture. It may have ended without. */
  upload(id, name, png) {
    const body = `data:image/png;base64,${png.toString('base64')}`
    return fetch(`${this.url}/api/log/${id}/images/${name}`, { method: 'POST', body })
  }

  /** Returns the report of a plan, a ZIP archive. */
  async report(plan) {
    return Buffer.from(await (await this.ask(`plan/exporthtml/${plan}`)).arrayBuffer())
  }
}
