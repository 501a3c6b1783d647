// A fake service with the routes for browsers. Tests change its sessions as a phone would.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHash, randomBytes } from 'node:crypto'

import type { SessionState } from '../../src/machine.ts'

interface Session {
  readonly token: string
  state: SessionState
  payload: { payload: string; encrypted: boolean } | null
}

export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** The fake service, on a free port. */
export class FakeService {
  readonly sessions = new Map<string, Session>()
  readonly seen: Seen[] = []
  /** Called before each answer. Returns `true` if it has answered the request itself. */
  interfere: (request: IncomingMessage, response: ServerResponse) => boolean = () => false
  readonly server = createServer((request, response) => void this.#answer(request, response))

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    return this.url
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  stop(): void {
    this.server.closeAllConnections()
    this.server.close()
  }

  /** Changes a session, as a phone's request would. */
  becomes(id: string, state: SessionState, payload: Session['payload'] = null): void {
    const session = this.sessions.get(id)
    if (!session) throw new Error(`no session ${id}`)
    Object.assign(session, { state, payload })
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { headers, method = '', url: path = '' } = request
    this.seen.push({ method, path, headers, body: Buffer.concat(chunks).toString() })
    response.setHeader('access-control-allow-origin', headers.origin ?? '*')
    response.setHeader('access-control-expose-headers', 'etag, retry-after, date')
    response.setHeader('vary', 'origin')
    if (this.interfere(request, response)) return
    if (method === 'OPTIONS') {
      response.setHeader('access-control-allow-methods', 'GET, POST, DELETE')
      response.setHeader('access-control-allow-headers', 'authorization, content-type, if-none-match, x-app-key')
      response.writeHead(204).end()
      return
    }
    const route = /^\/qr-sessions(?:\/(\w+)(?:\/(redeem))?)?$/.exec(path)
    const [, id, action] = route ?? []
    if (!route) send(response, 404, { code: 'not_found', title: 'There is nothing at this path' })
    else if (id === undefined) this.#open(response, Buffer.concat(chunks).toString())
    else this.#use(request, response, id, action)
  }

  #open(response: ServerResponse, body: string): void {
    const { browserPublicKey = '' } = JSON.parse(body) as { browserPublicKey?: string }
    const id = `qrs_${randomBytes(16).toString('hex')}`
    const token = randomBytes(32).toString('base64url')
    const k = createHash('sha256').update(Buffer.from(browserPublicKey, 'base64url')).digest('base64url')
    this.sessions.set(id, { token, state: 'created', payload: null })
    send(response, 200, {
      sessionId: id,
      url: `https://login.shop.example?sessionId=${id}#k=${k}`,
      browserToken: token,
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
      socketUrl: `${this.url.replace('http', 'ws')}/socket`,
    })
  }

  #use(request: IncomingMessage, response: ServerResponse, id: string, action: string | undefined): void {
    const session = this.sessions.get(id)
    if (!session || request.headers.authorization !== `Bearer ${session.token}`) {
      send(response, 404, { code: 'qr_session_unknown', title: 'There is no such session' })
    } else if (request.method === 'DELETE') {
      session.state = 'cancelled'
      response.writeHead(204).end()
    } else if (action) {
      const { payload } = session
      if (session.state !== 'confirmed' || !payload) {
        send(response, 409, { code: 'qr_session_state', title: 'Not now' })
        return
      }
      session.state = 'consumed'
      send(response, 200, payload)
    } else {
      const tag = `"${session.state}"`
      response.setHeader('etag', tag)
      if (request.headers['if-none-match'] === tag) response.writeHead(304).end()
      else send(response, 200, { state: session.state, expiresAt: new Date().toISOString() })
    }
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': status < 400 ? 'application/json' : 'application/problem+json' })
  response.end(JSON.stringify(body))
}
