import { backoff, type Clock } from './clock.ts'

/** The parts of a WebSocket that are used. */
export interface Socket {
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: () => void): void
  send(text: string): void
  close(): void
}

export interface PushPorts {
  readonly clock: Clock
  readonly random: () => number
  /** Connects; may throw if the page's policy forbids it. */
  readonly connect: () => Socket
  /** The first message. */
  readonly hello: string
  /** Called when something has changed. */
  readonly changed: () => void
  /** Whether changes are pushed. */
  readonly pushed: (pushed: boolean) => void
}

/** Keeps a WebSocket open over which the service signals changes. */
export class Push {
  readonly #ports: PushPorts
  #socket: Socket | null = null
  #stopped = false
  #failures = 0
  #disarm = () => {}

  constructor(ports: PushPorts) {
    this.#ports = ports
    this.#open()
  }

  /** Connects immediately instead of waiting for the next attempt. */
  wake(): void {
    if (this.#socket === null) this.#open()
  }

  stop(): void {
    this.#stopped = true
    this.#disarm()
    this.#socket?.close()
    this.#socket = null
  }

  #open(): void {
    this.#disarm()
    if (this.#stopped) return
    const { changed, connect, hello, pushed } = this.#ports
    let socket: Socket
    try {
      socket = connect()
    } catch {
      this.#lost()
      return
    }
    this.#socket = socket
    const own = (then: () => void) => () => {
      if (this.#socket === socket) then()
    }
    socket.addEventListener('open', own(() => socket.send(hello)))
    // The service's first message confirms the subscription: changes are pushed only from now on.
    socket.addEventListener('message', own(() => {
      this.#failures = 0
      pushed(true)
      changed()
    }))
    const lost = own(() => {
      this.#socket = null
      socket.close()
      pushed(false)
      this.#lost()
    })
    socket.addEventListener('close', lost)
    socket.addEventListener('error', lost)
  }

  #lost(): void {
    this.#failures += 1
    const { clock, random } = this.#ports
    this.#disarm = clock.after(backoff(this.#failures, random), () => this.#open())
  }
}
