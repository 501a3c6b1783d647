// A fake service with the routes for browsers. Tests change its sessions as a phone would.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { plainId, sealedId } from '../../src/identity.ts'
import type { SessionState } from '../../src/machine.ts'

interface Payload {
  readonly payload: string
  readonly encrypted: boolean
  readonly salt?: string
  readonly proof?: string
}

interface Session {
  readonly tokenHash: string
  readonly expiresAt: string
  state: SessionState
  payload: Payload | null
  /** The receipt that redeemed the payload. */
  receipt: string | null
  /** The check code that it requires, if any. */
  code: string | null
  readonly missed: Set<string>
  /** Whether the app's server opened it, so that the page's token can only watch. */
  readonly given?: boolean
}

export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

const hash = (text: string) => createHash('sha256').update(text).digest('base64url')

/** The fake service, on a free port, for pages with one origin. */
export class FakeService {
  readonly sessions = new Map<string, Session>()
  readonly seen: Seen[] = []
  /** The check code that new sessions require, if any. */
  code: string | null = null
  /** Called before each answer. Returns `true` if it has answered the request itself. */
  interfere: (request: IncomingMessage, response: ServerResponse) => boolean = () => false
  readonly server = createServer((request, response) => void this.#answer(request, response))
  readonly #origin: string

  constructor(origin: string) {
    this.#origin = origin
  }

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

  /** Opens a session as the app's server would. Returns what its page receives. */
  openForPage(code: string | null): { readonly sessionId: string; readonly token: string } {
    const sessionId = `qrs_${String(this.sessions.size).padStart(32, '0')}`
    const token = 'P'.repeat(43)
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    this.sessions.set(sessionId, {
      tokenHash: hash(token), expiresAt, state: 'created', payload: null, receipt: null, code, missed: new Set(), given: true,
    })
    return { sessionId, token }
  }

  /** Changes a session as a phone's request or the passage of time would. */
  becomes(id: string, state: SessionState, payload: Payload | null = null): void {
    const session = this.sessions.get(id)
    if (!session) throw new Error(`no session ${id}`)
    Object.assign(session, { state, payload })
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const { headers, method = '', url: path = '' } = request
    this.seen.push({ method, path, headers, body })
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
    const route = /^\/qr-sessions(?:\/(\w+)(?:\/(redeem|check-code))?)?$/.exec(path)
    const [, id, action] = route ?? []
    if (!route) send(response, 404, { code: 'not_found', title: 'There is nothing at this path' })
    else if (id === undefined) await this.#open(request, response, body)
    else this.#use(request, response, id, action, body)
  }

  async #open({ headers }: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const { browserPublicKey } = JSON.parse(body) as { browserPublicKey?: string }
    const token = headers.authorization?.slice('Bearer '.length)
    if (!token) {
      send(response, 401, { code: 'token_missing', title: 'The token is missing' })
      return
    }
    const id = browserPublicKey
      ? await sealedId(String(headers['x-app-key']), this.#origin, browserPublicKey)
      : plainId(token)
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const session = this.sessions.get(id) ?? {
      tokenHash: hash(token), expiresAt, state: 'created', payload: null, receipt: null,
      code: this.code, missed: new Set<string>(),
    }
    this.sessions.set(id, session)
    if (session.tokenHash !== hash(token)) {
      send(response, 409, { code: 'session_exists', title: 'Another browser opened this session' })
    } else if (session.state === 'expired' || session.state === 'cancelled') {
      send(response, 410, { code: 'session_over', title: 'The session has ended' })
    } else {
      send(response, 200, {
        sessionId: id,
        url: `https://login.shop.example?sessionId=${id}`,
        expiresAt: session.expiresAt,
        socketUrl: `${this.url.replace('http', 'ws')}/socket`,
        ...(session.code === null ? {} : { checkCodeRequired: true }),
      })
    }
  }

  #use(request: IncomingMessage, response: ServerResponse, id: string, action: string | undefined, body: string): void {
    const session = this.sessions.get(id)
    const token = request.headers.authorization?.slice('Bearer '.length) ?? ''
    if (!session || hash(token) !== session.tokenHash) {
      send(response, 404, { code: 'session_not_found', title: 'There is no such session' })
    } else if (session.given && (request.method === 'DELETE' || action === 'redeem')) {
      send(response, 404, { code: 'session_not_found', title: 'There is no such session' })
    } else if (action === 'check-code') {
      const { checkCode } = JSON.parse(body) as { checkCode?: string }
      if (this.#passes(response, session, checkCode)) {
        session.state = 'consumed'
        response.writeHead(204).end()
      }
    } else if (request.method === 'DELETE') {
      session.state = 'cancelled'
      response.writeHead(204).end()
    } else if (action) {
      const { checkCode, receipt } = JSON.parse(body) as { checkCode?: string; receipt: string }
      if (this.#passes(response, session, checkCode)) this.#redeem(response, session, receipt)
    } else {
      const tag = `"${session.state}"`
      response.setHeader('etag', tag)
      const serverTime = new Date().toISOString()
      if (request.headers['if-none-match'] === tag) response.writeHead(304).end()
      else send(response, 200, { state: session.state, expiresAt: session.expiresAt, expiresIn: 60, serverTime })
    }
  }

  /** Checks the code of a confirmed session, and answers if it is wrong. */
  #passes(response: ServerResponse, session: Session, code: string | undefined): boolean {
    if (session.state === 'blocked') {
      send(response, 409, { code: 'session_blocked', title: 'The session was blocked' })
    } else if (session.code === null || session.state !== 'confirmed' || code === session.code) {
      return true
    } else if (code === undefined) {
      send(response, 403, { code: 'check_code_required', title: 'The session needs its check code' })
    } else if (session.missed.add(code).size > 2) {
      session.state = 'blocked'
      send(response, 409, { code: 'session_blocked', title: 'The session was blocked' })
    } else {
      const triesLeft = 3 - session.missed.size
      send(response, 403, { code: 'check_code_wrong', title: 'The check code is wrong', triesLeft })
    }
    return false
  }

  #redeem(response: ServerResponse, session: Session, receipt: string): void {
    const { payload } = session
    if (session.receipt !== null && (session.receipt !== receipt || !payload)) {
      send(response, 409, { code: 'session_redeemed', title: 'The payload was redeemed before' })
    } else if (!payload) {
      send(response, 409, { code: 'session_not_confirmed', title: 'Nobody has confirmed' })
    } else {
      Object.assign(session, { receipt, state: 'consumed', payload: payload.encrypted ? payload : null })
      send(response, 200, payload)
    }
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': status < 400 ? 'application/json' : 'application/problem+json' })
  response.end(JSON.stringify(body))
}
