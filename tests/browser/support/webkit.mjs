// WebKitGTK, through WebKitWebDriver and on a display of its own.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'

import { fontsOf } from './fonts.mjs'
import { ROOT, webKitDriver } from './tools.mjs'
import { Driven, overHttp } from './webdriver.mjs'

const PROGRAM = join(ROOT, 'tests/browser/support/webkit.py')

/** What pages write to the console, and what the browser says about them. */
const FAULT = /^CONSOLE (?:\w+ )*(?:ERROR|WARN) .*$/gm

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/** Starts a display, and returns its name. */
async function startDisplay() {
  const words = ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp']
  const child = spawn('Xvfb', words, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  const [number] = await once(child.stdio[3], 'data')
  return { name: `:${String(number).trim()}`, child }
}

/** Waits until the driver answers. */
async function answers(url) {
  for (;;) {
    const isReady = await fetch(`${url}/status`).then(({ ok }) => ok, () => false)
    if (isReady) return
    await new Promise((resolve) => { setTimeout(resolve, 20) }) // sleep: the driver says nothing when it is ready.
  }
}

/** Starts WebKitGTK with a folder for what it keeps; without one, as a private window. */
export async function startWebKit(folder) {
  const port = await freePort()
  const display = await startDisplay()
  const env = { ...fontsOf('wide'), DISPLAY: display.name, LANG: 'C.UTF-8' }
  const child = spawn(webKitDriver(), [`--port=${port}`], { stdio: ['ignore', 'pipe', 'ignore'], env })
  let said = ''
  child.stdout.on('data', (text) => { said += text })
  const url = `http://127.0.0.1:${port}`
  await answers(url)
  const options = { binary: PROGRAM, args: folder ? [folder] : [] }
  const answer = await fetch(`${url}/session`, {
    method: 'POST', body: JSON.stringify({ capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } } }),
  })
  const end = async () => {
    for (const one of [child, display.child]) {
      const ended = once(one, 'exit')
      one.kill()
      await ended
    }
  }
  const { value } = await answer.json()
  if (!answer.ok) {
    await end()
    throw new Error(`WebKitGTK did not start: ${JSON.stringify(value)}`)
  }
  const send = overHttp(url, value.sessionId)
  return Object.assign(new Driven(send), {
    resize: (width, height) => send('SetWindowRect', { width, height }),
    /** Starts another browser as a private window, calls a function with it, and ends it. */
    async inPrivate(work) {
      const other = await startWebKit()
      try {
        await work(other)
      } finally {
        await other.quit()
      }
    },
    /** What went wrong in the pages so far. */
    faults: async () => said.match(FAULT) ?? [],
    async quit() {
      await send('DeleteSession')
      await end()
    },
  })
}
